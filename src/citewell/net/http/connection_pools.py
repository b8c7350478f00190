"""HTTP/1.1 exchanges over pooled connections, with the HTTP library.

Imported with the first request, because the library is slow to load.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cached_property

import httpcore2
from httpcore2 import AnyIOBackend

from citewell.core.errors import (
    FailureReason,
    InvalidInput,
    NetworkFailed,
    NotConnected,
    RefusedByPolicy,
    TooLarge,
)
from citewell.net import url_grammar
from citewell.net.address_guard import Guard
from citewell.net.http.outbound_route import ForwardProxy, OutboundRoute
from citewell.net.url_grammar import RequestTarget

_MAX_ADDRESSES_TRIED = 6
_EARLY_CONNECT_SECONDS = 3.0  # seconds for an address if there is another to try

_MAX_CONNECTIONS = 100
_MAX_IDLE_CONNECTIONS = 20
_IDLE_CONNECTION_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseHead:
    status: int
    headers: Mapping[str, str]  # names in lower case; repeated ones joined by ", "


class ConnectionPools:
    """Connection pools: two for direct connections, without and with TLS, and one for each proxy."""

    def __init__(self, guard: Guard, outbound: OutboundRoute) -> None:
        self._guard = guard
        self._outbound = outbound
        self._pools: dict[tuple[ForwardProxy | None, bool], httpcore2.AsyncConnectionPool] = {}

    @cached_property
    def _context(self) -> ssl.SSLContext:
        """For TLS; loading the authorities takes 20 ms."""
        return self._outbound.load_authorities(httpcore2.default_ssl_context())

    @asynccontextmanager
    async def open_exchange(
        self,
        target: RequestTarget,
        *,
        method: str,
        headers: Mapping[str, str],
        content: bytes | None,
    ) -> AsyncIterator[tuple[ResponseHead, AsyncIterator[bytes]]]:
        """Send one request; yields the response head and the body chunks, still compressed."""
        proxy = (
            None if self._guard.is_operator_host(target) else self._outbound.choose_proxy(target)
        )
        if proxy is not None:
            await self._guard.resolve_checked(target.host, target.port)
        url = httpcore2.URL(
            scheme=target.scheme, host=target.host, port=target.non_default_port, target=target.path
        )
        fields = [("Host", target.authority), *headers.items()]
        with _translate_library_errors(target.host):
            stream = self._choose_pool(target, proxy).stream(
                method, url, headers=_encode_header_fields(fields), content=content
            )
            async with stream as response:
                yield _read_response_head(response), response.aiter_stream()

    async def aclose(self) -> None:
        pools = list(self._pools.values())
        self._pools.clear()
        for pool in pools:
            await pool.aclose()

    def _choose_pool(
        self, target: RequestTarget, proxy: ForwardProxy | None
    ) -> httpcore2.AsyncConnectionPool:
        is_plain = target.scheme == "http" and proxy is None
        if (proxy, is_plain) not in self._pools:
            # A context without authorities trusts nobody, so no TLS connection can be made with it.
            bare = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if is_plain else None
            self._pools[proxy, is_plain] = httpcore2.AsyncConnectionPool(
                ssl_context=bare or self._context,
                proxy=_build_library_proxy(proxy, self._context) if proxy else None,
                max_connections=_MAX_CONNECTIONS,
                max_keepalive_connections=_MAX_IDLE_CONNECTIONS,
                keepalive_expiry=_IDLE_CONNECTION_SECONDS,
                network_backend=ProxySocketBackend(proxy)
                if proxy
                else GuardedSocketBackend(self._guard),
            )
        return self._pools[proxy, is_plain]


async def read_first_bytes(chunks: AsyncIterator[bytes], length: int) -> bytes:
    """The first `length` bytes; the rest is not read."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) >= length:
            break
    return bytes(body[:length])


async def read_whole_body(chunks: AsyncIterator[bytes], head: ResponseHead, limit: int) -> bytes:
    """The whole body; TooLarge as soon as it is known to exceed `limit` bytes."""
    length = head.headers.get("content-length", "")
    if length.isdigit() and len(length) < 20 and int(length) > limit:
        raise TooLarge(f"The response has more than {limit} bytes.")
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > limit:
            raise TooLarge(f"The response has more than {limit} bytes.")
    return bytes(body)


def _encode_header_fields(fields: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    try:
        return [(name.encode("ascii"), value.encode("latin-1")) for name, value in fields]
    except UnicodeEncodeError:
        # The original error quotes the value, which may be an API key.
        raise InvalidInput("A request header has characters that HTTP does not allow.") from None


def _read_response_head(response: httpcore2.Response) -> ResponseHead:
    headers: dict[str, str] = {}
    for raw_name, raw_value in response.headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return ResponseHead(status=response.status, headers=headers)


def _build_library_proxy(proxy: ForwardProxy, context: ssl.SSLContext) -> httpcore2.Proxy:
    url = httpcore2.URL(scheme=proxy.scheme, host=proxy.host, port=proxy.port, target="/")
    secure = context if proxy.scheme == "https" else None
    return httpcore2.Proxy(url, auth=proxy.credentials, ssl_context=secure)


@contextmanager
def _translate_library_errors(host: str) -> Iterator[None]:
    """Turn the library's errors into ours, without their messages, which may quote the request."""
    try:
        yield
    except httpcore2.LocalProtocolError:
        raise InvalidInput("The request is not valid HTTP.") from None
    except httpcore2.RemoteProtocolError:
        raise NetworkFailed(
            f"{host} closed the connection early, or does not speak HTTP.",
            reason=FailureReason.RESET,
        ) from None
    except httpcore2.ProxyError:
        raise NetworkFailed(
            f"The configured proxy could not connect to {host}.", reason=FailureReason.PROXY
        ) from None
    except (httpcore2.ConnectError, httpcore2.ConnectTimeout, httpcore2.PoolTimeout) as error:
        message, reason = _explain_connection_failure(host, error, otherwise=FailureReason.CONNECT)
        raise NotConnected(message, reason=reason) from None
    except (httpcore2.NetworkError, httpcore2.TimeoutException, OSError) as error:
        message, reason = _explain_connection_failure(host, error, otherwise=FailureReason.RESET)
        raise NetworkFailed(message, reason=reason) from None


def _explain_connection_failure(
    host: str, error: BaseException, *, otherwise: FailureReason
) -> tuple[str, FailureReason]:
    causes = {type(cause) for cause in _list_error_causes(error)}
    if ssl.SSLCertVerificationError in causes:
        return f"The certificate of {host} is not trusted.", FailureReason.TLS
    if any(issubclass(cause, ssl.SSLError) for cause in causes):
        return f"No secure connection to {host} could be made.", FailureReason.TLS
    slow = isinstance(error, (httpcore2.TimeoutException, TimeoutError))
    return f"The connection to {host} failed.", FailureReason.TIMEOUT if slow else otherwise


def _list_error_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


# Socket backends for the HTTP library that connect only to addresses the guard has checked.


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
        if peer is None or url_grammar.parse_ip_address(
            str(peer[0])
        ) != url_grammar.parse_ip_address(candidate):
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
