"""Short answers for requests that a layer refuses: JSON, and the challenges of RFC 6750 and RFC 9728."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from starlette.types import Send

RawHeader = tuple[bytes, bytes]
_UNQUOTABLE = re.compile(r'[^ -~]|["\\]')


async def send_refusal(
    send: Send,
    status: int,
    code: str,
    message: str,
    *,
    headers: Iterable[RawHeader] = (),
) -> None:
    """Send `{"error": code, "message": message}` with this status."""
    await send_json_body(
        send, status, json.dumps({"error": code, "message": message}).encode(), headers
    )


async def send_json_body(
    send: Send, status: int, body: bytes, headers: Iterable[RawHeader] = ()
) -> None:
    """Send a whole response of JSON."""
    given = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *headers,
    ]
    await send({"type": "http.response.start", "status": status, "headers": given})
    await send({"type": "http.response.body", "body": body})


# The answers to callers who are not let in, as RFC 6750 and RFC 9728 describe them.


def build_challenge(
    *,
    metadata_url: str | None,
    scopes: Iterable[str] = (),
    error: str | None = None,
    description: str | None = None,
) -> str:
    """The value of WWW-Authenticate."""
    wanted = " ".join(scopes)
    parts = {
        "error": error,
        "error_description": description if error else None,
        "scope": wanted or None,
        "resource_metadata": metadata_url,
    }
    # RFC 6750 allows neither quotes nor backslashes in a quoted string.
    given = [f'{name}="{_UNQUOTABLE.sub("", value)}"' for name, value in parts.items() if value]
    return f"Bearer {', '.join(given)}" if given else "Bearer"


async def send_auth_error(
    send: Send, status: int, code: str, message: str, *, headers: Iterable[tuple[str, str]] = ()
) -> None:
    """Send `{"error": code, "error_description": message}` with this status."""
    body = json.dumps({"error": code, "error_description": message}).encode()
    given = [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers]
    await send_json_body(send, status, body, [(b"cache-control", b"no-store"), *given])
