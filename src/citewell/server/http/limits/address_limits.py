"""The layer that admits tool calls by the network address they come from, before anybody is verified."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.server.http.client_address import name_address_group, read_client_address
from citewell.server.http.limits.caller_limits import is_limited_call
from citewell.server.http.limits.limit_headers import add_limit_headers
from citewell.server.http.limits.limit_refusals import send_limit_refusal
from citewell.server.http.request_messages import read_request_message
from citewell.services.limits.call_limits import CallLimits


class AddressLimits:
    """`tools` has the names of all tools, at whatever path they are offered."""

    def __init__(
        self, inner: ASGIApp, limits: CallLimits, tools: frozenset[str], *, max_bytes: int
    ) -> None:
        self._inner = inner
        self._limits = limits
        self._tools = tools
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._limits.limits_addresses:
            await self._inner(scope, receive, send)
            return
        message, receive = await read_request_message(scope, receive, max_bytes=self._max_bytes)
        if message is None or not is_limited_call(scope, message, self._tools):
            await self._inner(scope, receive, send)
            return
        address = name_address_group(read_client_address(scope))
        admission = await self._limits.admit_address(address)
        if admission.refusal is not None:
            await send_limit_refusal(admission, admission.refusal, message, scope=scope, send=send)
            return
        await self._inner(scope, receive, add_limit_headers(admission.states, send))
