"""Short JSON answers for requests that a layer refuses before they reach a route."""

from __future__ import annotations

import json
from collections.abc import Iterable

from starlette.types import Send

RawHeader = tuple[bytes, bytes]


async def send_refusal(
    send: Send,
    status: int,
    code: str,
    message: str,
    *,
    headers: Iterable[RawHeader] = (),
) -> None:
    """Send `{"error": code, "message": message}` with this status."""
    body = json.dumps({"error": code, "message": message}).encode()
    given = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *headers,
    ]
    await send({"type": "http.response.start", "status": status, "headers": given})
    await send({"type": "http.response.body", "body": body})
