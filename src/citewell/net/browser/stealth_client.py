"""Requests pages with the TLS handshake and headers of Chrome; the only module that imports `wreq`.

The library opens its own sockets, so all of them go through our guarded proxy. It is an optional
extra, and is imported with the first request.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from citewell.core.errors import (
    FailureReason,
    Misconfigured,
    NetworkFailed,
    TooLarge,
    UpstreamUnavailable,
)
from citewell.net.address_guard import Guard
from citewell.net.browser import guarded_proxy
from citewell.net.browser.guarded_proxy import GuardedProxy
from citewell.net.http.file_downloads import build_redirect_request, follow_redirects
from citewell.net.http.messages import HttpRequest, HttpResponse

if TYPE_CHECKING:
    import wreq

_TLS_LIBRARY_MARK = 'library: "SSL routines"'  # in the library's description of a failed handshake


def is_wreq_installed() -> bool:
    return find_spec("wreq") is not None


class StealthClient:
    """Sends GET requests that look like Chrome's."""

    def __init__(
        self,
        guard: Guard,
        *,
        available: Callable[[], bool] = is_wreq_installed,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._guard = guard
        self._available = available
        self._clock = clock
        self._proxy = GuardedProxy(guard, page=True)
        self._client: wreq.Client | None = None

    async def send_request(self, request: HttpRequest) -> HttpResponse:
        """The response, after redirects; the request's headers are replaced by Chrome's.

        Raises Misconfigured if the extra is not installed, and otherwise what `GuardedClient` raises:
        RefusedByPolicy, NetworkFailed, TooLarge, UpstreamUnavailable.
        """
        if not self._available():
            message = "The stealth tier needs the extra citewell[stealth]."
            raise Misconfigured(message, action="inform_user", detail="not installed")
        started = self._clock()
        try:
            async with asyncio.timeout(request.timeout):
                response = await follow_redirects(replace(request, headers={}), self._exchange_hop)
        except TimeoutError:
            raise NetworkFailed(
                f"No whole answer came within {request.timeout:.3g} s.",
                reason=FailureReason.TIMEOUT,
            ) from None
        return replace(response, seconds=self._clock() - started)

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()
        await self._proxy.aclose()

    async def _exchange_hop(self, request: HttpRequest) -> HttpResponse | HttpRequest:
        target = self._guard.check_url(request.url, page=request.page)
        # The proxy checks again; checking first distinguishes a refusal from a host that is down.
        await self._guard.resolve_checked(target.host, target.port)
        await self._proxy.start_listening()
        if self._client is None:
            self._client = _build_chrome_client(self._proxy)
        client = self._client
        with _translate_wreq_errors(target.host):
            answer = await client.get(target.url)
            try:
                status, headers = answer.status.as_int(), _read_library_headers(answer)
                guarded_proxy.check_proxy_status(target.host, headers)
                location = headers.get("location")
                onward = build_redirect_request(request, target, status=status, location=location)
                if onward is not None:
                    return onward
                body = await _read_unpacked_body(answer, request.max_bytes)
            finally:
                await answer.close()
        return HttpResponse(status=status, url=target.url, headers=headers, body=body)


def _build_chrome_client(proxy: GuardedProxy) -> wreq.Client:
    from wreq import Client, Emulation, Platform, Policy, Profile, Proxy

    user, password = proxy.credentials
    return Client(
        emulation=Emulation(profile=Profile.Chrome149, platform=Platform.Linux),
        proxies=[Proxy.all(proxy.address, username=user, password=password)],
        redirect=Policy.none(),
        cookie_store=False,
        # The proxy closes a plain connection after one response, so none can be reused.
        pool_max_idle_per_host=0,
    )


def _read_library_headers(answer: wreq.Response) -> Mapping[str, str]:
    """Headers with lower-case names, repeated ones joined; without Content-Encoding, already decoded."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in answer.headers:
        name = bytes(raw_name).decode("latin-1").lower()
        value = bytes(raw_value).decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    headers.pop("content-encoding", None)
    return headers


async def _read_unpacked_body(answer: wreq.Response, limit: int) -> bytes:
    """The decompressed body; TooLarge as soon as it exceeds `limit` bytes."""
    body = bytearray()
    async with answer.stream() as stream:
        async for chunk in stream:
            if isinstance(chunk, memoryview):
                body += chunk
            if len(body) > limit:
                raise TooLarge(f"The response has more than {limit} bytes.")
    return bytes(body)


@contextmanager
def _translate_wreq_errors(host: str) -> Iterator[None]:
    """Turn the library's errors into ours, without their messages, which may quote the request."""
    from wreq import exceptions as theirs

    try:
        yield
    except theirs.TlsError:
        raise NetworkFailed(
            f"No secure connection to {host} could be made.", reason=FailureReason.TLS
        ) from None
    except theirs.BuilderError:
        raise UpstreamUnavailable(f"{host} cannot be requested by the stealth client.") from None
    except (
        theirs.ConnectionError,
        theirs.ConnectionResetError,
        theirs.ProxyConnectionError,
        theirs.RequestError,
        theirs.BodyError,
        theirs.DecodingError,  # a body that ends too early, compressed or not
        theirs.TimeoutError,
    ) as error:
        raise NetworkFailed(
            f"The connection to {host} failed or was closed early.",
            reason=_find_wreq_reason(error),
        ) from None


def _find_wreq_reason(error: Exception) -> FailureReason:
    from wreq import exceptions as theirs

    if isinstance(error, theirs.TimeoutError):
        return FailureReason.TIMEOUT
    if _TLS_LIBRARY_MARK in str(error):  # the library has no class of its own for these
        return FailureReason.TLS
    unconnected = (theirs.ConnectionError, theirs.ProxyConnectionError)
    return FailureReason.CONNECT if isinstance(error, unconnected) else FailureReason.RESET
