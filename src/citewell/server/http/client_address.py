"""From which network address a request comes, also behind proxies."""

from __future__ import annotations

import ipaddress
from collections.abc import MutableMapping, Sequence
from functools import lru_cache
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

_SCOPE_KEY = "citewell.client_address"  # where the address stands in the ASGI scope of a request
_FORWARDED_HEADER = b"x-forwarded-for"
_MAX_HOPS = 20  # more proxies than anybody has in a row
_SHARED_PREFIX_BITS = 64  # of an IPv6 address: the rest is one household's or machine's to choose
_MAX_ADDRESS_CHARS = 128  # longer than any address with its zone and port
UNKNOWN_ADDRESS = "unknown"  # of a connection over a Unix socket


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
    for hop in reversed(_list_forwarded(scope)[-_MAX_HOPS:]):
        if address is None or not any(address in network for network in trusted):
            break
        told = parse_address(hop)
        if told is None:
            break  # the proxy does not say who called it, so the call counts as its own
        address = told
    return address


class ClientAddresses:
    """The layer that finds out where each request comes from; later ones ask `read_client_address`."""

    def __init__(self, inner: ASGIApp, trusted: Sequence[IpNetwork]) -> None:
        self._inner = inner
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope[_SCOPE_KEY] = find_client_address(scope, self._trusted)
        await self._inner(scope, receive, send)


def read_client_address(scope: MutableMapping[str, Any]) -> IpAddress | None:
    """The address that the layer found, or that of the connection for a request that did not pass it."""
    return scope[_SCOPE_KEY] if _SCOPE_KEY in scope else find_client_address(scope)


def name_address_group(address: IpAddress | None) -> str:
    """The name under which calls from an address are counted: IPv6 by the network of 64 bits."""
    if address is None:
        return UNKNOWN_ADDRESS
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((address, _SHARED_PREFIX_BITS), strict=False))


def _list_forwarded(scope: Scope) -> list[str]:
    values = [value for name, value in scope["headers"] if name == _FORWARDED_HEADER]
    return [hop.strip() for value in values for hop in value.decode("latin-1").split(",")]


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
