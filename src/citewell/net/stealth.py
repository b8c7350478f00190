"""Asks for a page the way Chrome does, down to the handshake; the only module that knows `wreq`.

It opens its sockets itself, so every one of them goes through our guarded proxy. The library is an
optional extra and is loaded with the first request.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from citewell.errors import Misconfigured, NetworkFailed, TooLarge, Unavailable
from citewell.net import refusal
from citewell.net.guard import Guard
from citewell.net.message import Request, Response
from citewell.net.proxy import GuardedProxy
from citewell.net.redirect import MOST_HOPS, follow

if TYPE_CHECKING:
    import wreq


def installed() -> bool:
    return find_spec("wreq") is not None


class Stealth:
    """Sends GET requests in Chrome's shape: `send`, and nothing else but closing."""

    def __init__(
        self,
        guard: Guard,
        *,
        available: Callable[[], bool] = installed,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._guard = guard
        self._available = available
        self._clock = clock
        self._proxy = GuardedProxy(guard, page=True)
        self._client: wreq.Client | None = None

    async def send(self, request: Request) -> Response:
        """The answer, redirects followed; our headers give way to Chrome's own.

        Raises Misconfigured when the extra is not installed, and otherwise what the plain client
        raises: Refused, NetworkFailed, TooLarge, Unavailable.
        """
        if not self._available():
            said = "The stealth tier needs the extra citewell[stealth]."
            raise Misconfigured(said, action="inform_user", detail="not installed")
        started = self._clock()
        try:
            async with asyncio.timeout(request.timeout):
                response = await self._follow(replace(request, headers={}))
        except TimeoutError:
            raise NetworkFailed(f"No whole answer came within {request.timeout:.3g} s.") from None
        return replace(response, seconds=self._clock() - started)

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()
        await self._proxy.aclose()

    async def _follow(self, request: Request) -> Response:
        hops: list[str] = []
        while True:
            answer = await self._hop(request)
            if isinstance(answer, Response):
                return replace(answer, hops=tuple(hops))
            hops.append(request.url)
            if answer.url in hops:
                raise Unavailable("The upstream sends us round in circles.")
            if len(hops) > MOST_HOPS:
                raise Unavailable(f"The upstream sent us on more than {MOST_HOPS} times.")
            request = answer

    async def _hop(self, request: Request) -> Response | Request:
        target = self._guard.target(request.url, page=request.page)
        # The proxy judges again; asking first tells a refusal from a host that is down.
        await self._guard.addresses(target.host, target.port)
        client = await self._ready()
        with _failures(target.host):
            answer = await client.get(target.url)
            try:
                status, headers = answer.status.as_int(), _headers(answer)
                refusal.check(target.host, headers)
                location = headers.get("location")
                onward = follow(request, target, status=status, location=location)
                if onward is not None:
                    return onward
                body = await _body(answer, request.max_bytes)
            finally:
                await answer.close()
        return Response(status=status, url=target.url, headers=headers, body=body)

    async def _ready(self) -> wreq.Client:
        """The client with its proxy, made on the first request."""
        await self._proxy.start()
        if self._client is None:
            self._client = _client(self._proxy)
        return self._client


def _client(proxy: GuardedProxy) -> wreq.Client:
    from wreq import Client, Emulation, Platform, Policy, Profile, Proxy

    user, password = proxy.credentials
    return Client(
        emulation=Emulation(profile=Profile.Chrome149, platform=Platform.Linux),
        proxies=[Proxy.all(proxy.address, username=user, password=password)],
        redirect=Policy.none(),
        cookie_store=False,
        # The proxy ends a plain connection after one answer; a kept one would be a dead one.
        pool_max_idle_per_host=0,
    )


def _headers(answer: wreq.Response) -> Mapping[str, str]:
    """Names in lower case, repeated ones joined, without those that the library has dealt with."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in answer.headers:
        name = bytes(raw_name).decode("latin-1").lower()
        value = bytes(raw_value).decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    headers.pop("content-encoding", None)
    return headers


async def _body(answer: wreq.Response, limit: int) -> bytes:
    """The unpacked body, or TooLarge: counted as it is unpacked, so that a bomb stays small."""
    body = bytearray()
    async with answer.stream() as stream:
        async for chunk in stream:
            if isinstance(chunk, memoryview):
                body += chunk
            if len(body) > limit:
                raise TooLarge(f"The answer has more than {limit} bytes.")
    return bytes(body)


@contextmanager
def _failures(host: str) -> Iterator[None]:
    """Say in our words what the library raises, and drop its texts: they may quote the request."""
    from wreq import exceptions as theirs

    try:
        yield
    except theirs.TlsError:
        raise NetworkFailed(f"No secure connection to {host} could be made.") from None
    except theirs.BuilderError:
        raise Unavailable(f"{host} cannot be asked in this way.") from None
    except (
        theirs.ConnectionError,
        theirs.ConnectionResetError,
        theirs.ProxyConnectionError,
        theirs.RequestError,
        theirs.BodyError,
        theirs.DecodingError,  # a packed body that ends too soon, or any body that does
        theirs.TimeoutError,
    ):
        raise NetworkFailed(f"The connection to {host} failed, or broke off.") from None
