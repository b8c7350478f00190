"""The answers to callers who are not let in, as RFC 6750 and RFC 9728 describe them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from starlette.types import Send

RawHeader = tuple[bytes, bytes]


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
    given = [f'{name}="{_quote_value(value)}"' for name, value in parts.items() if value]
    return f"Bearer {', '.join(given)}" if given else "Bearer"


async def send_auth_error(
    send: Send, status: int, code: str, message: str, *, headers: Iterable[tuple[str, str]] = ()
) -> None:
    """Send `{"error": code, "error_description": message}` with this status."""
    body = json.dumps({"error": code, "error_description": message}).encode()
    given: list[RawHeader] = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *((name.encode(), value.encode("latin-1", "replace")) for name, value in headers),
    ]
    await send({"type": "http.response.start", "status": status, "headers": given})
    await send({"type": "http.response.body", "body": body})


def _quote_value(value: str) -> str:
    """`value` for a quoted string of a header; RFC 6750 allows neither quotes nor backslashes."""
    return "".join(char for char in value if " " <= char <= "~" and char not in '"\\')
