"""Carries a request out and its answer back: guarded at every hop, bounded in bytes and in time."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from citewell.errors import NetworkFailed, Unavailable
from citewell.net.agent import default_headers
from citewell.net.guard import Guard
from citewell.net.inflate import inflate
from citewell.net.message import Pairs, Request, Response
from citewell.net.outbound import Outbound
from citewell.net.redirect import MOST_HOPS, follow

if TYPE_CHECKING:
    from citewell.net.wire import Wire

_SMALL = 64 * 1024  # unpacked at once; more goes to a thread, for the loop must not stand still


class Client:
    """Sends requests as they are: no cookies, no cache, no retries, no errors for a status."""

    def __init__(
        self,
        guard: Guard,
        *,
        outbound: Outbound | None = None,
        user_agent: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._guard = guard
        self._outbound = outbound or Outbound()
        self._headers = default_headers(user_agent)
        self._clock = clock
        self._wire: Wire | None = None

    async def send(self, request: Request) -> Response:
        """The answer, redirects followed as the request says.

        Raises Refused for what the guard forbids, NetworkFailed when no whole answer came in
        time, TooLarge over the cap, Unavailable for redirects that lead nowhere.
        """
        started = self._clock()
        try:
            async with asyncio.timeout(request.timeout):
                response = await self._follow(_with_params(request))
        except TimeoutError:
            raise NetworkFailed(f"No whole answer came within {request.timeout:.3g} s.") from None
        return replace(response, seconds=self._clock() - started)

    async def aclose(self) -> None:
        wire, self._wire = self._wire, None
        if wire is not None:
            await wire.aclose()

    async def _follow(self, request: Request) -> Response:
        hops: list[str] = []
        while True:
            answer = await self._hop(request)
            if isinstance(answer, Response):
                return replace(answer, hops=tuple(hops))
            hops.append(request.url)
            if answer.url in hops and answer.method == request.method:
                raise Unavailable("The upstream sends us round in circles.")
            if len(hops) > MOST_HOPS:
                raise Unavailable(f"The upstream sent us on more than {MOST_HOPS} times.")
            request = answer

    async def _hop(self, request: Request) -> Response | Request:
        """One exchange: the final answer, or the request that the redirect asks for."""
        from citewell.net.wire import Wire, read_beginning, read_body

        target = self._guard.target(request.url, page=request.page)
        self._wire = self._wire or Wire(self._guard, self._outbound)
        content, kind = _content(request)
        headers = self._all_headers(request, kind)
        exchange = self._wire.exchange(
            target, method=request.method, headers=headers, content=content
        )
        async with exchange as (head, chunks):
            location = head.headers.get("location")
            onward = follow(request, target, status=head.status, location=location)
            if onward is not None:
                return onward
            cap = request.cap(head.headers.get("content-type", ""))
            encoding = head.headers.get("content-encoding", "")
            if request.beginning is not None and not encoding:
                packed = await read_beginning(chunks, request.beginning)
            else:
                packed = await read_body(chunks, head, cap)
        body = await _unpack(packed, encoding, cap)
        return Response(status=head.status, url=target.url, headers=head.headers, body=body)

    def _all_headers(self, request: Request, kind: str | None) -> Mapping[str, str]:
        """Lower-case names, later ones winning: ours, the content's, the caller's, the secret ones."""
        given = ({"content-type": kind} if kind else {}, request.headers, request.secret_headers)
        merged = dict(self._headers)
        for headers in given:
            merged.update({name.lower(): value for name, value in headers.items()})
        merged.pop("host", None)
        return merged


async def _unpack(packed: bytes, encoding: str, limit: int) -> bytes:
    if len(packed) <= _SMALL or not encoding:
        return inflate(packed, encoding, limit)
    return await asyncio.to_thread(inflate, packed, encoding, limit)


def _with_params(request: Request) -> Request:
    if not request.params:
        return request
    base, mark, fragment = request.url.partition("#")
    joint = "&" if "?" in base else "?"
    return replace(request, url=f"{base}{joint}{_query(request.params)}{mark}{fragment}", params={})


def _query(pairs: Pairs) -> str:
    items = list(pairs.items()) if isinstance(pairs, Mapping) else list(pairs)
    return urlencode(items, quote_via=quote)


def _content(request: Request) -> tuple[bytes | None, str | None]:
    if request.json is not None:
        body = json.dumps(request.json, ensure_ascii=False, separators=(",", ":")).encode()
        return body, "application/json"
    if request.form is not None:
        return urlencode(request.form).encode(), "application/x-www-form-urlencoded"
    return None, None
