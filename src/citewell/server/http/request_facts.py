"""What the layers read from a request: its headers, network address, JSON-RPC method and tool."""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections import deque
from collections.abc import Iterable, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.server.http.refusals import RawHeader

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

_ADDRESS_KEY = "citewell.client_address"  # where the address stands in the ASGI scope of a request
_FORWARDED_HEADER = b"x-forwarded-for"
_MAX_HOPS = 20  # more proxies than anybody has in a row
_SHARED_PREFIX_BITS = 64  # of an IPv6 address: the rest is one household's or machine's to choose
_MAX_ADDRESS_CHARS = 128  # longer than any address with its zone and port
UNKNOWN_ADDRESS = "unknown"  # of a connection over a Unix socket

_HEADERS_KEY = "citewell.headers"  # where the sorted headers stand in the ASGI scope of a request

_SortedHeaders = dict[bytes, tuple[bytes, ...]]

MAX_MESSAGE_BYTES = 10 * 2**20  # the default of MAX_REQUEST_BODY_BYTES
MAX_KEPT_BYTES = 1 << 16  # of a message whose content is kept while it is answered
TOOL_CALL_METHOD = "tools/call"
_MESSAGE_KEY = "citewell.request_message"  # where the message stands in the ASGI scope of a request


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestMessage:
    """What one JSON-RPC message asks for."""

    method: str  # empty for a response of the client
    tool: str | None = None  # the name in a `tools/call`, as the client wrote it
    # For the response; None for a notification. Two requests that ask for the same are equal.
    id: int | str | None = field(default=None, compare=False)
    # The whole message; None if it is so long that it is not kept beside the body.
    content: dict[str, Any] | None = field(default=None, compare=False, repr=False)


async def read_request_message(
    scope: Scope, receive: Receive, *, max_bytes: int = MAX_MESSAGE_BYTES
) -> tuple[RequestMessage | None, Receive]:
    """The message in the body of a POST, and a `receive` that gives the body again.

    The message is None for other methods, and for a body that the SDK will refuse: one that is
    not JSON, a batch, longer than `max_bytes`, or broken off. It is remembered in `scope`, so that
    the body is read once however many layers ask.
    """
    if scope["type"] != "http" or scope["method"] != "POST":
        return None, receive
    if _MESSAGE_KEY in scope:
        return scope[_MESSAGE_KEY], receive
    received, body = await _receive_body(receive, max_bytes)
    message = None if body is None else parse_request_message(body)
    scope[_MESSAGE_KEY] = message
    return message, replay_messages(received, receive)


def forget_request_message(scope: Scope) -> None:
    """Let the body be read again, because the scope is that of another request now."""
    scope.pop(_MESSAGE_KEY, None)


def parse_request_message(body: bytes) -> RequestMessage | None:
    """The message in `body`; None if it is not one JSON object.

    Everything that the SDK's parsers of either protocol era accept is read, with the same result.
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    method = found.get("method")
    if not isinstance(method, str):
        return RequestMessage(method="")
    params = found.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    is_call = method == TOOL_CALL_METHOD and isinstance(name, str)
    given = found.get("id")
    return RequestMessage(
        method=method,
        tool=name if is_call else None,
        id=given if type(given) in {int, str} else None,
        content=found if len(body) <= MAX_KEPT_BYTES else None,
    )


async def _receive_body(receive: Receive, max_bytes: int) -> tuple[deque[Message], bytes | None]:
    """All that was received, and the body; None instead of the body if it is too long or incomplete."""
    received: deque[Message] = deque()
    size = 0
    while True:
        message = await receive()
        received.append(message)
        if message["type"] != "http.request":
            return received, None
        body = message.get("body", b"")
        size += len(body)
        if size > max_bytes:
            return received, None
        if not message.get("more_body", False):
            whole = len(body) == size
            return received, body if whole else b"".join(part.get("body", b"") for part in received)


def replay_messages(received: Iterable[Message], then: Receive | None = None) -> Receive:
    """A `receive` that gives these messages, and afterwards what `then` gives, or nothing."""
    waiting = deque(received)

    async def replay() -> Message:
        if waiting:
            return waiting.popleft()
        return await (then or _wait_for_ever)()

    return replay


async def _wait_for_ever() -> Message:
    """What a client sends that neither says more nor goes away."""
    await asyncio.Event().wait()
    raise AssertionError


# The headers of a request by name, sorted once for all layers that ask.


def find_header_values(scope: MutableMapping[str, Any], name: bytes) -> tuple[bytes, ...]:
    """All values of a header in their order; `name` is in lower case, as ASGI servers give names."""
    headers, known = scope["headers"], scope.get(_HEADERS_KEY)
    if known is None or known[0] is not headers:  # a layer may have replaced them
        known = scope[_HEADERS_KEY] = (headers, _sort_headers(headers))
    found: tuple[bytes, ...] = known[1].get(name, ())
    return found


def _sort_headers(headers: Sequence[RawHeader]) -> _SortedHeaders:
    known: _SortedHeaders = {name: (value,) for name, value in headers}
    if len(known) == len(headers):
        return known
    return {name: tuple(value for key, value in headers if key == name) for name in known}


# From which network address a request comes, also behind proxies.


def find_client_address(scope: Scope, trusted: Sequence[IpNetwork] = ()) -> IpAddress | None:
    """The address of the caller; None if the connection has none.

    If the connection comes from a trusted proxy, X-Forwarded-For is read from the right: each
    trusted proxy vouches for the address on its left, and the first that is not one of them is
    the caller's. What stands further left was written by the caller and is not believed.
    """
    client = scope.get("client")
    address = parse_address(client[0]) if client else None
    if not trusted:
        return address
    forwarded = b",".join(value for name, value in scope["headers"] if name == _FORWARDED_HEADER)
    for hop in reversed(forwarded.decode("latin-1").split(",")[-_MAX_HOPS:]):
        if address is None or not any(address in network for network in trusted):
            break
        named = parse_address(hop.strip())
        if named is None:
            break  # the proxy does not say who called it, so the call counts as its own
        address = named
    return address


class ClientAddresses:
    """The layer that finds out where each request comes from; later ones ask `read_client_address`."""

    def __init__(self, inner: ASGIApp, trusted: Sequence[IpNetwork]) -> None:
        self._inner = inner
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope[_ADDRESS_KEY] = find_client_address(scope, self._trusted)
        await self._inner(scope, receive, send)


def read_client_address(scope: MutableMapping[str, Any]) -> IpAddress | None:
    """The address that the layer found, or that of the connection for a request that did not pass it."""
    return scope[_ADDRESS_KEY] if _ADDRESS_KEY in scope else find_client_address(scope)


def name_address_group(address: IpAddress | None) -> str:
    """The name under which calls from an address are counted: IPv6 by the network of 64 bits."""
    if address is None:
        return UNKNOWN_ADDRESS
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((address, _SHARED_PREFIX_BITS), strict=False))


def parse_address(text: str) -> IpAddress | None:
    """The address in `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]:443` or with a zone."""
    return _parse_short_text(text) if len(text) <= _MAX_ADDRESS_CHARS else None


@lru_cache(maxsize=1024)  # the same few callers ask again and again
def _parse_short_text(text: str) -> IpAddress | None:
    text = text.strip('" ')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
