"""The HTTP client: every hop is checked by the guard, and size and time are limited."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from citewell.errors import FailureReason, NetworkFailed
from citewell.net.guard.address_guard import Guard
from citewell.net.http.content_decoding import decode_content
from citewell.net.http.messages import HttpRequest, HttpResponse, QueryPairs, RequestWatch
from citewell.net.http.outbound_route import OutboundRoute
from citewell.net.http.redirects import build_redirect_request, follow_redirects
from citewell.net.http.request_headers import build_default_headers

if TYPE_CHECKING:
    from citewell.net.http.connection_pools import ConnectionPools

_MAX_INLINE_DECODE_BYTES = (
    64 * 1024
)  # larger bodies are decoded in a thread, to keep the event loop responsive


class GuardedClient:
    """Sends requests without cookies, cache or retries; an error status is returned, not raised."""

    def __init__(
        self,
        guard: Guard,
        *,
        outbound: OutboundRoute | None = None,
        user_agent: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        watching: RequestWatch | None = None,
    ) -> None:
        self._guard = guard
        self._outbound = outbound or OutboundRoute()
        self._headers = build_default_headers(user_agent)
        self._clock = clock
        self._watching = watching or RequestWatch()
        self._wire: ConnectionPools | None = None

    async def send_request(self, request: HttpRequest) -> HttpResponse:
        """The response, after redirects as the request's policy allows.

        Raises RefusedByPolicy if the guard forbids an address, NetworkFailed if no complete
        response arrived in time, TooLarge if the body exceeds its limit, and UpstreamUnavailable
        for invalid redirects.
        """
        with self._watching.watch("", request):
            return await self._send_in_time(request)

    async def _send_in_time(self, request: HttpRequest) -> HttpResponse:
        started = self._clock()
        try:
            async with asyncio.timeout(request.timeout):
                response = await follow_redirects(_add_query_params(request), self._exchange_hop)
        except TimeoutError:
            raise NetworkFailed(
                f"No whole answer came within {request.timeout:.3g} s.",
                reason=FailureReason.TIMEOUT,
            ) from None
        return replace(response, seconds=self._clock() - started)

    async def aclose(self) -> None:
        wire, self._wire = self._wire, None
        if wire is not None:
            await wire.aclose()

    async def _exchange_hop(self, request: HttpRequest) -> HttpResponse | HttpRequest:
        """One exchange: the final response, or the next request if it is a redirect."""
        from citewell.net.http.connection_pools import (
            ConnectionPools,
            read_first_bytes,
            read_whole_body,
        )

        target = self._guard.check_url(request.url, page=request.page)
        self._wire = self._wire or ConnectionPools(self._guard, self._outbound)
        content, kind = _encode_request_body(request)
        headers = self._merge_headers(request, kind)
        exchange = self._wire.open_exchange(
            target, method=request.method, headers=headers, content=content
        )
        async with exchange as (head, chunks):
            location = head.headers.get("location")
            onward = build_redirect_request(request, target, status=head.status, location=location)
            if onward is not None:
                return onward
            cap = request.choose_byte_cap(head.headers.get("content-type", ""))
            encoding = head.headers.get("content-encoding", "")
            if request.first_bytes is not None and not encoding:
                packed = await read_first_bytes(chunks, request.first_bytes)
            else:
                packed = await read_whole_body(chunks, head, cap)
        body = await _decode_off_loop(packed, encoding, cap)
        return HttpResponse(status=head.status, url=target.url, headers=head.headers, body=body)

    def _merge_headers(self, request: HttpRequest, kind: str | None) -> Mapping[str, str]:
        """All headers in lower case; later ones win: defaults, content type, the caller's, secret ones."""
        given = ({"content-type": kind} if kind else {}, request.headers, request.secret_headers)
        merged = dict(self._headers)
        for headers in given:
            merged.update({name.lower(): value for name, value in headers.items()})
        merged.pop("host", None)
        return merged


async def _decode_off_loop(packed: bytes, encoding: str, limit: int) -> bytes:
    if len(packed) <= _MAX_INLINE_DECODE_BYTES or not encoding:
        return decode_content(packed, encoding, limit)
    return await asyncio.to_thread(decode_content, packed, encoding, limit)


def _add_query_params(request: HttpRequest) -> HttpRequest:
    if not request.params:
        return request
    base, mark, fragment = request.url.partition("#")
    joint = "&" if "?" in base else "?"
    return replace(
        request, url=f"{base}{joint}{_encode_query(request.params)}{mark}{fragment}", params={}
    )


def _encode_query(pairs: QueryPairs) -> str:
    items = list(pairs.items()) if isinstance(pairs, Mapping) else list(pairs)
    return urlencode(items, quote_via=quote)


def _encode_request_body(request: HttpRequest) -> tuple[bytes | None, str | None]:
    if request.json is not None:
        body = json.dumps(request.json, ensure_ascii=False, separators=(",", ":")).encode()
        return body, "application/json"
    if request.form is not None:
        return urlencode(request.form).encode(), "application/x-www-form-urlencoded"
    return request.content, None
