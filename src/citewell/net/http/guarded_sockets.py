"""Socket backends for the HTTP library that connect only to addresses the guard has checked."""

from __future__ import annotations

from collections.abc import Iterable

import httpcore2
from httpcore2 import AnyIOBackend

from citewell.errors import RefusedByPolicy
from citewell.net.guard import ip_addresses
from citewell.net.guard.address_guard import Guard
from citewell.net.http.outbound_route import ForwardProxy

_MAX_ADDRESSES_TRIED = 6
_EARLY_CONNECT_SECONDS = 3.0  # seconds for an address if there is another to try


class GuardedSocketBackend(httpcore2.AsyncNetworkBackend):
    """Resolves and checks the host for every connection, so that a changed DNS answer cannot bypass the guard."""

    def __init__(
        self, guard: Guard, *, sockets: httpcore2.AsyncNetworkBackend | None = None
    ) -> None:
        self._guard = guard
        self._sockets = sockets or AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        local_address: str | None = None,  # noqa: ARG002 - the library's signature
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002 - the library's signature
    ) -> httpcore2.AsyncNetworkStream:
        *others, last = (await self._guard.resolve_checked(host, port))[:_MAX_ADDRESSES_TRIED]
        for candidate in others:
            try:
                return await self._connect_checked(candidate, port, _EARLY_CONNECT_SECONDS)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._connect_checked(last, port, timeout)

    async def _connect_checked(
        self,
        candidate: str,
        port: int,
        timeout: float | None,  # noqa: ASYNC109 - the library's parameter
    ) -> httpcore2.AsyncNetworkStream:
        stream = await self._sockets.connect_tcp(candidate, port, timeout=timeout)
        peer = stream.get_extra_info("server_addr")
        if peer is None or ip_addresses.parse_ip_address(
            str(peer[0])
        ) != ip_addresses.parse_ip_address(candidate):
            await stream.aclose()
            raise RefusedByPolicy("The connection did not reach the address that was checked.")
        return stream


class ProxySocketBackend(httpcore2.AsyncNetworkBackend):
    """Connects only to the configured proxy; the guard has already checked the target."""

    def __init__(self, proxy: ForwardProxy) -> None:
        self._proxy = proxy
        self._sockets = AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        local_address: str | None = None,  # noqa: ARG002 - the library's signature
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002 - the library's signature
    ) -> httpcore2.AsyncNetworkStream:
        if (host, port) != (self._proxy.host, self._proxy.port):
            raise RefusedByPolicy("Connections are made only to the configured proxy.")
        return await self._sockets.connect_tcp(host, port, timeout=timeout)
