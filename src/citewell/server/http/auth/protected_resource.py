"""What this server tells OAuth clients about itself (RFC 9728): metadata and where they are."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.config import Settings
from citewell.server.http.auth.auth_ways import MCP_PATH, choose_audiences
from citewell.server.http.auth.scope_rules import ScopeRules

METADATA_PATH = "/.well-known/oauth-protected-resource"
METADATA_SECONDS = 3600
_OPEN_HEADERS = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, HEAD, OPTIONS"),
    (b"access-control-allow-headers", b"*"),
    (b"access-control-max-age", b"86400"),
)
_LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectedResource:
    """All MCP endpoints of the server are one resource, so that one token is good for each of them."""

    issuer: str
    audiences: tuple[str, ...]
    public_url: str | None

    @classmethod
    def from_settings(cls, settings: Settings) -> ProtectedResource | None:
        """None if no issuer is configured: then there is nothing to tell."""
        if not settings.oauth_issuer:
            return None
        return cls(
            issuer=settings.oauth_issuer,
            audiences=choose_audiences(settings),
            public_url=settings.public_url.rstrip("/") if settings.public_url else None,
        )

    def find_resource_url(self, scope: Scope) -> str:
        """The identifier of the resource: the first audience that is an address, else that of /mcp."""
        named = next((name for name in self.audiences if _is_web_address(name)), None)
        return named or self._find_base_url(scope) + MCP_PATH

    def find_metadata_url(self, scope: Scope) -> str:
        """Where the metadata of the endpoint that this request is for can be read."""
        base = urlsplit(self._find_base_url(scope))
        return f"{base.scheme}://{base.netloc}{METADATA_PATH}{base.path}{scope['path']}"

    def build_metadata(self, scope: Scope, scopes: Iterable[str]) -> dict[str, Any]:
        metadata: dict[str, Any] = {
            "resource": self.find_resource_url(scope),
            "authorization_servers": [self.issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "Citewell",
        }
        supported = list(scopes)
        return metadata | ({"scopes_supported": supported} if supported else {})

    def _find_base_url(self, scope: Scope) -> str:
        if self.public_url:
            return self.public_url
        named = next((name for name in self.audiences if _is_web_address(name)), None)
        if named is not None:
            parts = urlsplit(named)
            return f"{parts.scheme}://{parts.netloc}"
        # Only a server on loopback has neither; it is reached by the name that the client used.
        given = next((value for name, value in scope["headers"] if name == b"host"), b"")
        host = given.decode("latin-1")
        is_loopback = (host if host.endswith("]") else host.rpartition(":")[0] or host) in (
            _LOOPBACK_NAMES
        )
        return f"{scope.get('scheme', 'http')}://{host if is_loopback else 'localhost'}"


class ResourceMetadata:
    """Serves the metadata of every MCP endpoint, to anyone and to pages of any origin."""

    def __init__(
        self,
        inner: ASGIApp,
        resource: ProtectedResource,
        rules: ScopeRules,
        paths: Iterable[str],
    ) -> None:
        self._inner = inner
        self._resource = resource
        self._rules = rules
        self._paths = {METADATA_PATH: MCP_PATH} | {f"{METADATA_PATH}{path}": path for path in paths}
        prefix = urlsplit(resource.public_url or "").path
        if prefix:  # a proxy may pass the path on with the prefix under which it serves us
            self._paths |= {f"{METADATA_PATH}{prefix}{path}": path for path in paths}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = self._paths.get(scope.get("path", "")) if scope["type"] == "http" else None
        if endpoint is None:
            await self._inner(scope, receive, send)
        elif scope["method"] == "OPTIONS":
            await _send_open(send, 204, b"")
        elif scope["method"] in {"GET", "HEAD"}:
            scopes = self._rules.list_endpoint_scopes(endpoint)
            body = json.dumps(self._resource.build_metadata(scope, scopes)).encode()
            await _send_open(send, 200, body)
        else:
            await _send_open(send, 405, b"")


async def _send_open(send: Send, status: int, body: bytes) -> None:
    headers = [
        *_OPEN_HEADERS,
        (b"content-type", b"application/json"),
        (b"cache-control", f"public, max-age={METADATA_SECONDS}".encode()),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _is_web_address(name: str) -> bool:
    return name.startswith(("https://", "http://"))
