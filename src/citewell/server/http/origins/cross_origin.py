"""CORS: lets browsers on the allowed origins call the server and read its answers."""

from __future__ import annotations

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.config import Settings
from citewell.server.http.header_values import find_header_values
from citewell.server.http.origins.allowed_origins import parse_named_origin
from citewell.server.http.origins.authority import WebOrigin

PREFLIGHT_SECONDS = 600  # how long a browser may remember the answer to a preflight request
EXPOSED_HEADERS = (
    "Mcp-Session-Id",
    "MCP-Protocol-Version",
    "WWW-Authenticate",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "X-Request-Id",
)
_LOOPBACK_PATTERN = r"https?://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?"


class CrossOriginAccess(CORSMiddleware):
    """Answers preflight requests itself, so that they need no credentials.

    Every request header is allowed, because clients of the newer protocol name theirs after the
    arguments of a tool. Cookies are not used, so credentials are never allowed.
    """

    def __init__(self, inner: ASGIApp, settings: Settings) -> None:
        super().__init__(
            inner,
            allow_origins=[
                write_origin(parse_named_origin(text)) for text in settings.allowed_origins
            ],
            allow_origin_regex=None if settings.cors_strict else _LOOPBACK_PATTERN,
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=("*",),
            expose_headers=EXPOSED_HEADERS,
            max_age=PREFLIGHT_SECONDS,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and find_header_values(scope, b"origin"):
            await super().__call__(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def write_origin(origin: WebOrigin) -> str:
    """The form in which browsers send this origin: the usual port is left out."""
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    is_usual = origin.port == {"http": 80, "https": 443}.get(origin.scheme)
    return f"{origin.scheme}://{host}" + ("" if is_usual else f":{origin.port}")
