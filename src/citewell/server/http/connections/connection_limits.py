"""How many connections are open, in all and from each address, and which one makes room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from citewell.config import Settings
from citewell.server.http.auth.proxy_identity import TrustedProxies
from citewell.server.http.client_address import name_address_group, parse_address


def is_loopback_address(text: str) -> bool:
    """Also true of a local socket, which has no address."""
    address = parse_address(text)
    return address is None or address.is_loopback


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionTimeouts:
    """In seconds; 0 means no limit."""

    header: float
    body: float
    write: float


class IdleConnection(Protocol):
    """A connection between two requests."""

    def close_idle_connection(self) -> None: ...


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
    # Ordered by the time since when they are idle.
    idle: dict[IdleConnection, None] = field(default_factory=dict)

    def admit_connection(self, address: str) -> bool:
        """Count a new connection; False, and it is not counted, if there is no room for it.

        If the server is full, the connection that is idle for longest is closed in its place.
        """
        key = name_address_group(parse_address(address))
        if not self.is_shared_address(address) and self.by_address[key] >= self.max_per_address:
            return False
        if self.total >= self.max_total:
            longest_idle = next(iter(self.idle), None)
            if longest_idle is None:
                return False
            del self.idle[longest_idle]
            longest_idle.close_idle_connection()
        self.total += 1
        self.by_address[key] += 1
        return True

    def release_connection(self, address: str) -> None:
        key = name_address_group(parse_address(address))
        self.total -= 1
        self.by_address[key] -= 1
        if not self.by_address[key]:
            del self.by_address[key]


def build_connection_limits(settings: Settings) -> ConnectionLimits:
    """Raises Misconfigured if CITEWELL_TRUSTED_PROXIES names what is no address."""
    proxies = TrustedProxies.from_names(settings.trusted_proxies)
    return ConnectionLimits(
        is_shared_address=lambda address: (
            is_loopback_address(address) or proxies.includes_address(address)
        ),
        max_total=settings.max_connections,
        max_per_address=settings.max_address_connections,
        max_header_bytes=settings.max_header_bytes,
        timeouts=ConnectionTimeouts(
            header=settings.header_timeout,
            body=settings.body_timeout,
            write=settings.write_timeout,
        ),
    )
