"""One HTTP/1.1 exchange on a pooled connection; the only module that knows the HTTP library.

It is imported with the first request, for the library takes a while to load.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import httpcore2

from citewell.errors import InvalidInput, NetworkFailed, TooLarge, Unconnected
from citewell.net.backend import GuardedBackend, ProxyBackend
from citewell.net.guard import Guard
from citewell.net.outbound import Outbound, Proxy
from citewell.net.target import Target

_CONNECTIONS = 100
_KEPT = 20
_KEPT_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    status: int
    headers: Mapping[str, str]  # names in lower case; repeated ones joined by ", "


class Wire:
    """Pools, one for each way out; a pooled connection serves the origin it was opened for."""

    def __init__(self, guard: Guard, outbound: Outbound) -> None:
        self._guard = guard
        self._outbound = outbound
        self._context = outbound.trust(httpcore2.default_ssl_context())
        self._pools: dict[Proxy | None, httpcore2.AsyncConnectionPool] = {}

    @asynccontextmanager
    async def exchange(
        self, target: Target, *, method: str, headers: Mapping[str, str], content: bytes | None
    ) -> AsyncIterator[tuple[Head, AsyncIterator[bytes]]]:
        """Send one request; yields the head and the body as it comes, still packed."""
        proxy = None if self._guard.named(target) else self._outbound.proxy(target)
        if proxy is not None:
            await self._guard.addresses(target.host, target.port)
        url = httpcore2.URL(
            scheme=target.scheme, host=target.host, port=target.odd_port, target=target.path
        )
        fields = [("Host", target.authority), *headers.items()]
        with _failures(target.host):
            stream = self._pool(proxy).stream(method, url, headers=_encode(fields), content=content)
            async with stream as response:
                yield _head(response), response.aiter_stream()

    async def aclose(self) -> None:
        pools = list(self._pools.values())
        self._pools.clear()
        for pool in pools:
            await pool.aclose()

    def _pool(self, proxy: Proxy | None) -> httpcore2.AsyncConnectionPool:
        if proxy not in self._pools:
            self._pools[proxy] = httpcore2.AsyncConnectionPool(
                ssl_context=self._context,
                proxy=_proxy(proxy, self._context) if proxy else None,
                max_connections=_CONNECTIONS,
                max_keepalive_connections=_KEPT,
                keepalive_expiry=_KEPT_SECONDS,
                network_backend=ProxyBackend(proxy) if proxy else GuardedBackend(self._guard),
            )
        return self._pools[proxy]


async def read_beginning(chunks: AsyncIterator[bytes], length: int) -> bytes:
    """The first `length` bytes; the rest is left with the server."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) >= length:
            break
    return bytes(body[:length])


async def read_body(chunks: AsyncIterator[bytes], head: Head, limit: int) -> bytes:
    """The whole body, or TooLarge as soon as it is known to pass `limit`."""
    length = head.headers.get("content-length", "")
    if length.isdigit() and len(length) < 20 and int(length) > limit:
        raise TooLarge(f"The answer has more than {limit} bytes.")
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > limit:
            raise TooLarge(f"The answer has more than {limit} bytes.")
    return bytes(body)


def _encode(fields: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    try:
        return [(name.encode("ascii"), value.encode("latin-1")) for name, value in fields]
    except UnicodeEncodeError:
        # The error would quote the value, and the value may be a key.
        raise InvalidInput("A header of the request holds characters HTTP cannot carry.") from None


def _head(response: httpcore2.Response) -> Head:
    headers: dict[str, str] = {}
    for raw_name, raw_value in response.headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return Head(status=response.status, headers=headers)


def _proxy(proxy: Proxy, context: ssl.SSLContext) -> httpcore2.Proxy:
    url = httpcore2.URL(scheme=proxy.scheme, host=proxy.host, port=proxy.port, target="/")
    secure = context if proxy.scheme == "https" else None
    return httpcore2.Proxy(url, auth=proxy.credentials, ssl_context=secure)


@contextmanager
def _failures(host: str) -> Iterator[None]:
    """Say in our words what the library raises, and drop its texts: they may quote the request."""
    try:
        yield
    except httpcore2.LocalProtocolError:
        raise InvalidInput("The request cannot be written as HTTP.") from None
    except httpcore2.RemoteProtocolError:
        raise NetworkFailed(f"{host} broke off, or does not speak HTTP.") from None
    except httpcore2.ProxyError:
        raise NetworkFailed(f"The configured proxy does not lead to {host}.") from None
    except (httpcore2.ConnectError, httpcore2.ConnectTimeout, httpcore2.PoolTimeout) as error:
        raise Unconnected(_reason(host, error)) from None
    except (httpcore2.NetworkError, httpcore2.TimeoutException, OSError) as error:
        raise NetworkFailed(_reason(host, error)) from None


def _reason(host: str, error: BaseException) -> str:
    causes = {type(cause) for cause in _chain(error)}
    if ssl.SSLCertVerificationError in causes:
        return f"The certificate of {host} is not one we trust."
    if any(issubclass(cause, ssl.SSLError) for cause in causes):
        return f"No secure connection to {host} could be made."
    return f"The connection to {host} failed."


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
