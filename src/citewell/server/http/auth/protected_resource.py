"""What this server tells OAuth clients about itself (RFC 9728): metadata and where they are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.core.config import Settings
from citewell.server.capabilities.tool_selection import ARTIFACT_READER
from citewell.server.http.auth.auth_ways import MCP_PATH, choose_audiences
from citewell.server.http.auth.caller import CallerProof, VerifiedCaller
from citewell.server.http.request_facts import RequestMessage
from citewell.server.settings import ServerSettings

EVERY_TOOL = "tool:*"

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
        server_settings = settings[ServerSettings]
        if not server_settings.oauth_issuer:
            return None
        return cls(
            issuer=server_settings.oauth_issuer,
            audiences=choose_audiences(settings),
            public_url=server_settings.public_url.rstrip("/")
            if server_settings.public_url
            else None,
        )

    def find_metadata_url(self, scope: Scope) -> str:
        """Where the metadata of the endpoint that this request is for can be read."""
        base = urlsplit(self._find_base_url(scope))
        return f"{base.scheme}://{base.netloc}{METADATA_PATH}{base.path}{scope['path']}"

    def build_metadata(self, scope: Scope, scopes: Iterable[str]) -> dict[str, Any]:
        named = next((name for name in self.audiences if _is_web_address(name)), None)
        metadata: dict[str, Any] = {
            # The identifier of the resource: the first audience that is an address, else /mcp.
            "resource": named or self._find_base_url(scope) + MCP_PATH,
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


# What the scopes of a caller allow: `tool:*`, `toolset:<name>`, `tool:<name>`, or all REQUIRED_SCOPES.


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeRules:
    is_enforced: bool  # for OAuth tokens; an API token with scopes is always held to them
    required: tuple[str, ...]
    toolsets: Mapping[str, str]  # the toolset of each tool
    offered: Mapping[str, frozenset[str]]  # the tools at each path

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        toolsets: Mapping[str, str],
        offered: Mapping[str, frozenset[str]],
    ) -> ScopeRules:
        server_settings = settings[ServerSettings]
        return cls(
            is_enforced=server_settings.enforce_scopes,
            required=server_settings.required_scopes,
            toolsets=toolsets,
            offered=offered,
        )

    def list_endpoint_scopes(self, path: str) -> tuple[str, ...]:
        """What a client should ask for to use this endpoint; empty if no scope is needed."""
        return self.list_call_scopes(None, path) if self.is_enforced else self.required

    def is_restricted(self, caller: VerifiedCaller) -> bool:
        if caller.proof is CallerProof.API_TOKEN:
            return caller.scopes is not None
        return self.is_enforced and caller.proof is CallerProof.OAUTH

    def find_missing_scopes(
        self, caller: VerifiedCaller, path: str, message: RequestMessage | None
    ) -> tuple[str, ...]:
        """All scopes that this operation needs, if the caller has not enough; empty if it may go on.

        Calls need a scope for their tool. Everything else, and reading a linked result, needs a
        scope for any tool of the endpoint. Unknown tools are left to the SDK.
        """
        scopes = caller.scopes or frozenset()
        tool = message.tool if message is not None else None
        if tool is None or tool not in self.toolsets or tool == ARTIFACT_READER:
            allows = self._allow_any(scopes, self._list_tools(path))
            return () if allows else self.list_call_scopes(None, path)
        return () if self._allow_any(scopes, [tool]) else self.list_call_scopes(tool, path)

    def list_call_scopes(self, tool: str | None, path: str) -> tuple[str, ...]:
        """What to ask for to call `tool`, or to use the endpoint at all."""
        if self.required:
            return self.required
        if tool is not None:
            return (f"toolset:{self.toolsets[tool]}",)
        return tuple(sorted({f"toolset:{self.toolsets[name]}" for name in self._list_tools(path)}))

    def _allow_any(self, scopes: frozenset[str], tools: Iterable[str]) -> bool:
        if EVERY_TOOL in scopes or (self.required and scopes.issuperset(self.required)):
            return True
        return any(
            f"tool:{tool}" in scopes or f"toolset:{self.toolsets[tool]}" in scopes for tool in tools
        )

    def _list_tools(self, path: str) -> frozenset[str]:
        return self.offered.get(path, frozenset()) & self.toolsets.keys()
