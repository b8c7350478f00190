"""Refuses requests whose Host or Origin is not one of this server's: protects against DNS rebinding."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.server.http.header_values import find_header_values
from citewell.server.http.observing.request_records import note_refusal
from citewell.server.http.origins.allowed_origins import AllowedOrigins
from citewell.server.http.origins.authority import Authority, parse_authority, parse_origin
from citewell.server.http.refusals import send_refusal

_MAX_ACCEPTED_HOSTS = 256


class HostCheck:
    """Every route stands behind this: health, metrics, pages and administration as well as MCP."""

    def __init__(self, inner: ASGIApp, allowed: AllowedOrigins) -> None:
        self._inner = inner
        self._allowed = allowed
        self._accepted: set[tuple[tuple[bytes, ...], str | None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._accepts_host(scope):
            await self._inner(scope, receive, send)
            return
        note_refusal(scope, "host_not_allowed")
        await send_refusal(
            send,
            421,
            "host_not_allowed",
            "This server does not answer for that Host. "
            "Its operator can name the host in CITEWELL_ALLOWED_HOSTS or CITEWELL_PUBLIC_URL.",
        )

    def _accepts_host(self, scope: Scope) -> bool:
        """Accepted hosts are remembered: they are few, and what is refused could fill the memory."""
        local = (scope.get("server") or (None,))[0]
        case = (find_header_values(scope, b"host"), local)
        if case in self._accepted:
            return True
        host = _parse_host(scope)
        is_accepted = host is not None and self._allowed.accepts_host(host, local)
        if is_accepted and len(self._accepted) < _MAX_ACCEPTED_HOSTS:
            self._accepted.add(case)
        return is_accepted


class OriginCheck:
    """Stands behind `HostCheck`. What pages of any origin may read is served before it."""

    def __init__(self, inner: ASGIApp, allowed: AllowedOrigins) -> None:
        self._inner = inner
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._accepts_origin(scope):
            await self._inner(scope, receive, send)
            return
        note_refusal(scope, "origin_not_allowed")
        await send_refusal(
            send,
            403,
            "origin_not_allowed",
            "Pages of that origin may not call this server. "
            "Its operator can name the origin in ALLOWED_ORIGINS.",
        )

    def _accepts_origin(self, scope: Scope) -> bool:
        given = find_header_values(scope, b"origin")
        if not given:
            return True
        origin = parse_origin(given[0].decode("latin-1")) if len(given) == 1 else None
        host = _parse_host(scope)
        if origin is None or host is None:
            return False
        return self._allowed.accepts_origin(origin, host)


def _parse_host(scope: Scope) -> Authority | None:
    given = find_header_values(scope, b"host")
    return parse_authority(given[0].decode("latin-1")) if len(given) == 1 else None
