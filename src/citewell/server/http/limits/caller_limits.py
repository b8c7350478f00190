"""The layer that admits tool calls by the limits of the verified caller."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.server.http.auth.caller import find_caller
from citewell.server.http.limits.limit_headers import add_limit_headers
from citewell.server.http.limits.limit_refusals import send_limit_refusal
from citewell.server.http.request_messages import RequestMessage, read_request_message
from citewell.services.limits.call_limits import CallLimits

_MCP_PATH = "/mcp"


def is_limited_call(scope: Scope, message: RequestMessage | None, tools: frozenset[str]) -> bool:
    """Whether a request runs a tool; all others, and calls of unknown tools, are free."""
    path: str = scope["path"]
    is_mcp = path == _MCP_PATH or path.startswith(_MCP_PATH + "/")
    return is_mcp and message is not None and message.tool in tools


class CallerLimits:
    """`tools` has the names of all tools, at whatever path they are offered."""

    def __init__(
        self, inner: ASGIApp, limits: CallLimits, tools: frozenset[str], *, max_bytes: int
    ) -> None:
        self._inner = inner
        self._limits = limits
        self._tools = tools
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        message, receive = await read_request_message(scope, receive, max_bytes=self._max_bytes)
        if message is None or not is_limited_call(scope, message, self._tools):
            await self._inner(scope, receive, send)
            return
        admission = await self._limits.admit_call(find_caller(scope).owner)
        if admission.refusal is not None:
            await send_limit_refusal(admission, admission.refusal, message, scope=scope, send=send)
            return
        try:
            await self._inner(scope, receive, add_limit_headers(admission.states, send))
        finally:
            self._limits.release_call(admission)
