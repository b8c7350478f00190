"""Adds the headers that tell browsers what a response may do."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.config import Settings
from citewell.server.http.refusals import RawHeader

HSTS_SECONDS = 365 * 24 * 3600


class SecurityHeaders:
    """A response keeps the headers that its route has set, such as a page's own policy with a nonce."""

    def __init__(self, inner: ASGIApp, settings: Settings) -> None:
        self._inner = inner
        self._headers = build_security_headers(settings)
        self._names = frozenset(name for name, _ in self._headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message.get("headers", ())
                kept = self._names.intersection([name.lower() for name, _ in given])
                added = (
                    [pair for pair in self._headers if pair[0] not in kept]
                    if kept
                    else self._headers
                )
                message["headers"] = [*given, *added]
            await send(message)

        await self._inner(scope, receive, send_with_headers)


def build_security_headers(settings: Settings) -> tuple[RawHeader, ...]:
    headers = {
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "content-security-policy": settings.content_policy,
        "referrer-policy": settings.referrer_policy,
        "permissions-policy": settings.permissions_policy,
        "cache-control": "no-store",
    }
    if (settings.public_url or "").lower().startswith("https://"):
        headers["strict-transport-security"] = f"max-age={HSTS_SECONDS}"
    return tuple((name.encode(), value.encode()) for name, value in headers.items() if value)
