"""How many connections may be open, and the layer that admits tool calls by the limits of their caller.

Limits are written as the header fields `RateLimit` and `RateLimit-Policy` of the IETF's draft.
https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.server.call_limits import CallAdmission, CallLimits
from citewell.server.http import request_facts
from citewell.server.http.auth.caller import TrustedProxies, find_caller
from citewell.server.http.observing.request_records import note_refusal
from citewell.server.http.refusals import RawHeader, send_json_body
from citewell.server.limit_rules import UNDISCLOSED_KINDS, CallRefusal, LimitState
from citewell.server.settings import ServerSettings

RATE_LIMITED_CODE = -32010  # MCP leaves -32000 to -32019 to implementations
_MCP_PATH = "/mcp"


class CallLimitLayer:
    """Admits requests that run a tool; all others, and calls of unknown tools, are free."""

    def __init__(
        self,
        inner: ASGIApp,
        limits: CallLimits,
        tools: frozenset[str],
        *,
        max_bytes: int,
        by_address: bool = False,
    ) -> None:
        """`tools` has the names of all tools, at whatever path they are offered.

        With `by_address` a call is admitted by where it comes from, before anybody is verified.
        """
        self._inner = inner
        self._limits = limits
        self._tools = tools
        self._max_bytes = max_bytes
        self._by_address = by_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (self._by_address and not self._limits.limits_addresses):
            await self._inner(scope, receive, send)
            return
        message, receive = await request_facts.read_request_message(
            scope, receive, max_bytes=self._max_bytes
        )
        is_mcp = f"{scope['path']}/".startswith(f"{_MCP_PATH}/")
        if message is None or message.tool not in self._tools or not is_mcp:
            await self._inner(scope, receive, send)
            return
        if self._by_address:
            address = request_facts.name_address_group(request_facts.read_client_address(scope))
            admission = await self._limits.admit_address(address)
        else:
            admission = await self._limits.admit_call(find_caller(scope).owner)
        if admission.refusal is not None:
            await _send_limit_refusal(admission, admission.refusal, message, scope=scope, send=send)
            return
        try:
            await self._inner(scope, receive, add_limit_headers(admission.states, send))
        finally:
            self._limits.release_call(admission)


def build_limit_headers(states: Sequence[LimitState]) -> list[RawHeader]:
    """The policies, and what is left of each: `"user";q=60;w=60` and `"user";r=59;t=1`."""
    shown = [state for state in states if state.kind not in UNDISCLOSED_KINDS]
    if not shown:
        return []
    policies = ", ".join(
        f'"{state.kind}";q={state.limit};w={math.ceil(state.window_seconds)}' for state in shown
    )
    left = ", ".join(
        f'"{state.kind}";r={state.remaining};t={math.ceil(state.reset_seconds)}' for state in shown
    )
    return [(b"ratelimit-policy", policies.encode()), (b"ratelimit", left.encode())]


def add_limit_headers(states: Sequence[LimitState], send: Send) -> Send:
    """A `send` whose response tells what is left of the limits."""
    headers = build_limit_headers(states)
    if not headers:
        return send

    async def telling(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *headers]
        await send(message)

    return telling


async def _send_limit_refusal(
    admission: CallAdmission,
    refusal: CallRefusal,
    message: request_facts.RequestMessage,
    *,
    scope: Scope,
    send: Send,
) -> None:
    """Send 429, with the same advice in headers and in JSON."""
    note_refusal(scope, f"limit_{refusal.kind}".replace("-", "_"))
    error = refusal.build_error()
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": message.id,
            "error": {
                "code": RATE_LIMITED_CODE,
                "message": error.message,
                "data": error.build_error_block(),
            },
        },
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode()
    headers = [
        (b"retry-after", str(refusal.retry_after).encode()),
        (b"cache-control", b"no-store"),
        *build_limit_headers(admission.states),
    ]
    await send_json_body(send, 429, body, headers)


def list_trusted_networks(settings: Settings) -> tuple[request_facts.IpNetwork, ...]:
    """The trusted proxies if TRUST_PROXY is set; raises Misconfigured if none are named."""
    server_settings = settings[ServerSettings]
    if not server_settings.trust_proxy:
        return ()
    if not server_settings.trusted_proxies:
        raise Misconfigured(
            "TRUST_PROXY needs CITEWELL_TRUSTED_PROXIES: without the address of the proxy, anybody "
            "could write any address into X-Forwarded-For. Name it, or remove TRUST_PROXY.",
            action="inform_user",
            settings=("TRUST_PROXY", "CITEWELL_TRUSTED_PROXIES"),
        )
    return TrustedProxies.from_names(server_settings.trusted_proxies).networks


# How many connections are open, in all and from each address, and which one makes room.


def is_loopback_address(text: str) -> bool:
    """Also true of a local socket, which has no address."""
    address = request_facts.parse_address(text)
    return address is None or address.is_loopback


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionTimeouts:
    """In seconds; 0 means no limit."""

    header: float
    body: float
    write: float


@dataclass(slots=True, kw_only=True)
class ConnectionLimits:
    """The limits that all connections of one server share, and the count of what is open.

    Connections from loopback and from trusted proxies count in all but not by address: they bring
    many callers.
    """

    max_total: int
    max_per_address: int
    max_header_bytes: int
    timeouts: ConnectionTimeouts
    is_shared_address: Callable[[str], bool] = is_loopback_address
    total: int = 0
    by_address: Counter[str] = field(default_factory=Counter)
    # What closes each idle connection, ordered by the time since when they are idle.
    idle: dict[Callable[[], None], None] = field(default_factory=dict)

    def admit_connection(self, address: str) -> bool:
        """Count a new connection; False, and it is not counted, if there is no room for it.

        If the server is full, the connection that is idle for longest is closed in its place.
        """
        key = request_facts.name_address_group(request_facts.parse_address(address))
        if not self.is_shared_address(address) and self.by_address[key] >= self.max_per_address:
            return False
        if self.total >= self.max_total:
            close_longest_idle = next(iter(self.idle), None)
            if close_longest_idle is None:
                return False
            del self.idle[close_longest_idle]
            close_longest_idle()
        self.total += 1
        self.by_address[key] += 1
        return True

    def release_connection(self, address: str) -> None:
        key = request_facts.name_address_group(request_facts.parse_address(address))
        self.total -= 1
        self.by_address[key] -= 1
        if not self.by_address[key]:
            del self.by_address[key]


def build_connection_limits(settings: Settings) -> ConnectionLimits:
    """Raises Misconfigured if CITEWELL_TRUSTED_PROXIES names what is no address."""
    server_settings = settings[ServerSettings]
    proxies = TrustedProxies.from_names(server_settings.trusted_proxies)
    return ConnectionLimits(
        is_shared_address=lambda address: (
            is_loopback_address(address) or proxies.includes_address(address)
        ),
        max_total=server_settings.max_connections,
        max_per_address=server_settings.max_address_connections,
        max_header_bytes=server_settings.max_header_bytes,
        timeouts=ConnectionTimeouts(
            header=server_settings.header_timeout,
            body=server_settings.body_timeout,
            write=server_settings.write_timeout,
        ),
    )
