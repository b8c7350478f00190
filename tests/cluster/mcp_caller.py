"""A client that tells exactly how a call failed, in either era, and keeps one MCP session as long as it can."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from typing import Any

import httpx2

MODERN_VERSION, HANDSHAKE_VERSION = "2026-07-28", "2025-11-25"
CALL_SECONDS = 90.0
_MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
}
_HEADERS = {
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
}
_OPENING = {
    "protocolVersion": HANDSHAKE_VERSION,
    "capabilities": {},
    "clientInfo": {"name": "cluster-load", "version": "1"},
}


@dataclass(kw_only=True)
class CallFailed(Exception):
    """A call without an answer; `kind` says how: of the connection, of HTTP, of the protocol or of the tool."""

    kind: str
    detail: str
    instance: str = ""

    def __str__(self) -> str:
        return f"{self.kind} at {self.instance or 'nobody'}: {self.detail[:300]}"


@dataclass(kw_only=True)
class McpCaller:
    http: httpx2.AsyncClient
    url: str
    is_modern: bool
    user: str = ""
    tenant: str = ""
    session: str = ""
    sessions_opened: int = 0
    served_by: set[str] = field(default_factory=set)
    _ids: Any = field(default_factory=lambda: itertools.count(1), repr=False)

    async def call_tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer; raises CallFailed."""
        if self.is_modern:
            extra = {
                "mcp-protocol-version": MODERN_VERSION,
                "mcp-method": "tools/call",
                "mcp-name": name,
            }
            params = {"name": name, "arguments": arguments, "_meta": _MODERN_META}
            return self._read_tool_result(await self._request("tools/call", params, extra))
        if not self.session:
            await self._open_session()
        params = {"name": name, "arguments": arguments}
        return self._read_tool_result(
            await self._request("tools/call", params, self._name_session())
        )

    async def _open_session(self) -> None:
        response = await self._post("initialize", _OPENING, {})
        self._read_message(response)
        self.session = response.headers["mcp-session-id"]
        self.sessions_opened += 1
        await self._post("notifications/initialized", None, self._name_session())

    def _name_session(self) -> dict[str, str]:
        return {"mcp-session-id": self.session, "mcp-protocol-version": HANDSHAKE_VERSION}

    async def _request(
        self, method: str, params: dict[str, Any], extra: dict[str, str]
    ) -> tuple[dict[str, Any], str]:
        response = await self._post(method, params, extra)
        if response.status_code == 404 and self.session:
            self.session = ""
            raise CallFailed(
                kind="session_lost", detail=response.text, instance=_name_instance(response)
            )
        return self._read_message(response), _name_instance(response)

    async def _post(
        self, method: str, params: dict[str, Any] | None, extra: dict[str, str]
    ) -> httpx2.Response:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message |= {"id": next(self._ids), "params": params}
        identity = {"x-forwarded-user": self.user, "x-forwarded-tenant": self.tenant}
        named = {name: value for name, value in identity.items() if value}
        try:
            response = await self.http.post(
                f"{self.url}/mcp",
                json=message,
                headers=_HEADERS | named | extra,
                timeout=CALL_SECONDS,
            )
        except (httpx2.HTTPError, OSError) as error:
            raise CallFailed(kind="connection", detail=repr(error)) from None
        self.served_by.add(_name_instance(response))
        return response

    def _read_message(self, response: httpx2.Response) -> dict[str, Any]:
        where = _name_instance(response)
        if response.status_code >= 400:
            raise CallFailed(
                kind=f"http_{response.status_code}", detail=response.text, instance=where
            )
        lines = [line[6:] for line in response.text.splitlines() if line.startswith("data: {")]
        if not lines and not response.text:
            raise CallFailed(kind="connection", detail="an empty response", instance=where)
        try:
            found: dict[str, Any] = json.loads(lines[-1] if lines else response.text)
        except ValueError:
            raise CallFailed(kind="connection", detail="half a response", instance=where) from None
        return found

    def _read_tool_result(self, answered: tuple[dict[str, Any], str]) -> dict[str, Any]:
        found, where = answered
        if "error" in found:
            code = found["error"].get("code")
            raise CallFailed(kind=f"rpc_{code}", detail=str(found["error"]), instance=where)
        if "result" not in found:
            raise CallFailed(kind="connection", detail="no result came", instance=where)
        result = found["result"]
        if result.get("isError"):
            text = result["content"][0]["text"]
            raise CallFailed(kind=f"tool_{_read_error_kind(text)}", detail=text, instance=where)
        body: dict[str, Any] = result["structuredContent"]
        return body


def _name_instance(response: httpx2.Response) -> str:
    return str(response.headers.get("x-instance", ""))


def _read_error_kind(text: str) -> str:
    _, _, block = text.rpartition("\n\n")
    try:
        found = json.loads(block or text)
    except ValueError:
        return "unknown"
    error = found.get("error", found)
    return (
        str(error.get("kind") or error.get("code") or "unknown")
        if isinstance(error, dict)
        else str(error)
    )
