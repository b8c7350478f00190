"""The id of an HTTP request: the caller's own if it can be used, otherwise a new one."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable

MAX_REQUEST_ID_CHARS = 200
_ID_BYTES = 16
REQUEST_ID_HEADER = b"x-request-id"
TRACE_HEADER = b"traceparent"
ID_HEADERS = (REQUEST_ID_HEADER, TRACE_HEADER)  # in which a caller can name a request
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+=@-]*")
# Version, trace id, parent id and flags, as the W3C's Trace Context defines them.
_TRACE_PARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
)

RawHeaders = Iterable[tuple[bytes, bytes]]


def create_request_id() -> str:
    return secrets.token_hex(_ID_BYTES)


def choose_request_id(headers: RawHeaders, *, new_id: Callable[[], str] = create_request_id) -> str:
    """The id in X-Request-Id, else the trace id in `traceparent`, else a new one.

    An id of the caller is used only if it was sent once, is short, and has only safe characters,
    because it is written to logs and sent back.
    """
    given = find_single_header(headers, REQUEST_ID_HEADER)
    if given and len(given) <= MAX_REQUEST_ID_CHARS and _SAFE_ID.fullmatch(given):
        return given
    trace = find_single_header(headers, TRACE_HEADER)
    found = _TRACE_PARENT.fullmatch(trace) if trace else None
    return found[1] if found else new_id()


def find_single_header(headers: RawHeaders, name: bytes) -> str | None:
    """The value of a header that was sent exactly once; None otherwise."""
    values = [value for key, value in headers if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else None
