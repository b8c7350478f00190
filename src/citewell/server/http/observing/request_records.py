"""What the HTTP server is doing now, and the layer that names, counts and logs every request."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.server.http.auth.caller import find_caller
from citewell.server.http.request_facts import read_client_address
from citewell.server.log_output import LogContext, hold_log_context

if TYPE_CHECKING:
    from citewell.server.http.observing.tracing import RequestTracing

MAX_REQUEST_ID_CHARS = 200
_ID_BYTES = 16
REQUEST_ID_HEADER = b"x-request-id"
TRACE_HEADER = b"traceparent"
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


logger = logging.getLogger("citewell.access")
_SCOPE_KEY = "citewell.request"  # where the record stands in the ASGI scope of a request
_NO_RESPONSE = 499  # the caller left before a response began
_FAULT = 500
UNKNOWN_REFUSAL = "unknown"
_KNOWN_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"})
_PATH_KINDS = ("mcp", "health", "metrics", "admin", "dashboard", ".well-known")
_QUIET_KINDS = frozenset({"health", "metrics"})  # asked by machines all the time


@dataclass(slots=True, kw_only=True)
class RequestRecord:
    """One HTTP request while it is answered."""

    id: str
    status: int = 0  # 0 until a response has begun
    refusal: str = UNKNOWN_REFUSAL  # why a layer refused it, as a code; only read for a refusal


def find_request_record(scope: MutableMapping[str, Any]) -> RequestRecord:
    """The record of this request; a new one for a request that did not pass the layer."""
    record = scope.get(_SCOPE_KEY)
    return record if isinstance(record, RequestRecord) else RequestRecord(id=create_request_id())


def note_refusal(scope: MutableMapping[str, Any], reason: str) -> None:
    """Say why a layer refuses this request: a short code out of a fixed list, for the metrics."""
    find_request_record(scope).refusal = reason


def find_path_kind(path: str) -> str:
    """What a path leads to, out of a fixed list, so that strange paths make no new metrics."""
    first = path.strip("/").partition("/")[0]
    if not first:
        return "home"
    return first if first in _PATH_KINDS else "other"


class RequestRecorder:
    """Gives every request an id, which is sent back as X-Request-Id, and records its end."""

    def __init__(
        self,
        inner: ASGIApp,
        state: ServerState,
        *,
        access_level: int | None = None,
        new_id: Callable[[], str] = create_request_id,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`access_level` is the log level of access lines; None writes none."""
        self._inner = inner
        self._state = state
        self._access_level = access_level
        self._new_id = new_id
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        record = RequestRecord(id=choose_request_id(scope["headers"], new_id=self._new_id))
        scope[_SCOPE_KEY] = record
        started = self._clock()
        self._state.active_requests += 1
        try:
            with hold_log_context(LogContext(request_id=record.id)):
                await self._inner(scope, receive, _name_response(record, send))
        except Exception:
            record.status = record.status or _FAULT
            raise
        finally:
            self._state.active_requests -= 1
            self._count_response(scope, record)
            self._write_access_line(scope, record, self._clock() - started)

    def _count_response(self, scope: Scope, record: RequestRecord) -> None:
        method = scope["method"] if scope["method"] in _KNOWN_METHODS else "other"
        status = record.status or _NO_RESPONSE
        self._state.responses[method, find_path_kind(scope["path"]), status] += 1
        if status in {401, 403, 429} or record.refusal != UNKNOWN_REFUSAL:
            self._state.refusals[status, record.refusal] += 1

    def _write_access_line(self, scope: Scope, record: RequestRecord, seconds: float) -> None:
        """One line without the query of the address, which may hold what somebody searches."""
        level = self._access_level
        if level is None or not logger.isEnabledFor(level):
            return
        if find_path_kind(scope["path"]) in _QUIET_KINDS:
            level = logging.DEBUG
        status = record.status or _NO_RESPONSE
        with hold_log_context(LogContext(request_id=record.id, owner=find_caller(scope).owner)):
            logger.log(
                level,
                "%s %s %d %d ms",
                scope["method"],
                ascii(scope["path"])[1:-1][:200],
                status,
                round(1000 * seconds),
                extra={
                    "fields": {
                        "method": scope["method"],
                        "path": scope["path"][:200],
                        "status": status,
                        "duration_ms": round(1000 * seconds),
                        "remote_address": str(read_client_address(scope) or ""),
                    }
                },
            )


def _name_response(record: RequestRecord, send: Send) -> Send:
    """A `send` that adds the request's id to the response and notes its status."""

    async def named(message: Message) -> None:
        if message["type"] == "http.response.start":
            record.status = message["status"]
            kept = [pair for pair in message.get("headers", ()) if pair[0] != REQUEST_ID_HEADER]
            message["headers"] = [*kept, (REQUEST_ID_HEADER, record.id.encode("ascii"))]
        await send(message)

    return named


# What one HTTP server is doing now; shared by its layers, its health routes and its metrics.


@dataclass(slots=True, kw_only=True)
class ServerState:
    """Counters and flags of one server process. Everything happens on its event loop."""

    is_draining: bool = False  # the server was asked to end and accepts no new work
    active_requests: int = 0
    # By method, kind of path, and status.
    responses: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    refusals: Counter[tuple[int, str]] = field(default_factory=Counter)  # by status and reason
    tracing: RequestTracing | None = None
    count_connections: Callable[[], int] = lambda: 0
    count_sessions: Callable[[], int] = lambda: 0  # MCP sessions of the handshake era
