"""HTTP/1.1 exchanges over pooled connections, with the HTTP library.

Imported with the first request, because the library is slow to load.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import httpcore2

from citewell.errors import FailureReason, InvalidInput, NetworkFailed, NotConnected, TooLarge
from citewell.net.guard.address_guard import Guard
from citewell.net.guard.url_grammar import RequestTarget
from citewell.net.http.guarded_sockets import GuardedSocketBackend, ProxySocketBackend
from citewell.net.http.outbound_route import ForwardProxy, OutboundRoute

_MAX_CONNECTIONS = 100
_MAX_IDLE_CONNECTIONS = 20
_IDLE_CONNECTION_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseHead:
    status: int
    headers: Mapping[str, str]  # names in lower case; repeated ones joined by ", "


class ConnectionPools:
    """Connection pools: one for direct connections and one for each proxy."""

    def __init__(self, guard: Guard, outbound: OutboundRoute) -> None:
        self._guard = guard
        self._outbound = outbound
        self._context = outbound.load_authorities(httpcore2.default_ssl_context())
        self._pools: dict[ForwardProxy | None, httpcore2.AsyncConnectionPool] = {}

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
            stream = self._choose_pool(proxy).stream(
                method, url, headers=_encode_header_fields(fields), content=content
            )
            async with stream as response:
                yield _read_response_head(response), response.aiter_stream()

    async def aclose(self) -> None:
        pools = list(self._pools.values())
        self._pools.clear()
        for pool in pools:
            await pool.aclose()

    def _choose_pool(self, proxy: ForwardProxy | None) -> httpcore2.AsyncConnectionPool:
        if proxy not in self._pools:
            self._pools[proxy] = httpcore2.AsyncConnectionPool(
                ssl_context=self._context,
                proxy=_build_library_proxy(proxy, self._context) if proxy else None,
                max_connections=_MAX_CONNECTIONS,
                max_keepalive_connections=_MAX_IDLE_CONNECTIONS,
                keepalive_expiry=_IDLE_CONNECTION_SECONDS,
                network_backend=ProxySocketBackend(proxy)
                if proxy
                else GuardedSocketBackend(self._guard),
            )
        return self._pools[proxy]


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
        said, reason = _explain_connection_failure(host, error, otherwise=FailureReason.CONNECT)
        raise NotConnected(said, reason=reason) from None
    except (httpcore2.NetworkError, httpcore2.TimeoutException, OSError) as error:
        said, reason = _explain_connection_failure(host, error, otherwise=FailureReason.RESET)
        raise NetworkFailed(said, reason=reason) from None


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
