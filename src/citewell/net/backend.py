"""The sockets under the HTTP library: they open to a checked address and to nothing else."""

from __future__ import annotations

from collections.abc import Iterable

import httpcore2
from httpcore2 import AnyIOBackend

from citewell.errors import Refused
from citewell.net import address
from citewell.net.guard import Guard
from citewell.net.outbound import Proxy

_MOST_TRIED = 6
_FIRST_PATIENCE = 3.0  # seconds for an address while another is left to try


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Asks the guard anew for every connection, so an answer checked earlier cannot be swapped."""

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
        *others, last = (await self._guard.addresses(host, port))[:_MOST_TRIED]
        for candidate in others:
            try:
                return await self._connect(candidate, port, _FIRST_PATIENCE)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._connect(last, port, timeout)

    async def _connect(
        self,
        candidate: str,
        port: int,
        timeout: float | None,  # noqa: ASYNC109 - the library's parameter
    ) -> httpcore2.AsyncNetworkStream:
        stream = await self._sockets.connect_tcp(candidate, port, timeout=timeout)
        peer = stream.get_extra_info("server_addr")
        if peer is None or address.read(str(peer[0])) != address.read(candidate):
            await stream.aclose()
            raise Refused("The connection did not reach the address that was checked.")
        return stream


class ProxyBackend(httpcore2.AsyncNetworkBackend):
    """Opens connections to the operator's proxy only; the guard has judged the target before."""

    def __init__(self, proxy: Proxy) -> None:
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
            raise Refused("Only the configured proxy is connected to.")
        return await self._sockets.connect_tcp(host, port, timeout=timeout)
