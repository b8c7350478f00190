"""Builds the network objects of a process once, and one Upstream for each API."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from citewell.core.config import Settings
from citewell.core.errors import FailureReason, NetworkFailed
from citewell.core.settings import CoreSettings
from citewell.net import address_guard
from citewell.net.http import file_downloads
from citewell.net.http.messages import HttpRequest, HttpResponse, RequestWatch, decode_content
from citewell.net.http.outbound_route import OutboundRoute
from citewell.net.robots_rules import RobotsChecker
from citewell.net.settings import NetSettings
from citewell.net.upstream import origin_limits
from citewell.net.upstream.upstream_client import Upstream

if TYPE_CHECKING:
    from citewell.net.http.connection_pools import ConnectionPools
    from citewell.net.http.signed_webhook import SignedWebhook

_MAX_INLINE_DECODE_BYTES = (
    64 * 1024
)  # larger bodies are decoded in a thread, to keep the event loop responsive

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Network:
    """All network access: `client` for pages, `open_upstream` for APIs, and `robots` and `guard`.

    `disclosure` is asked before the address of a page is told to an outside service.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        resolver: address_guard.HostResolver | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._timing = origin_limits.TimeSource(clock=clock, sleep=sleep)
        self._upstreams: dict[str, Upstream] = {}
        self.watching = RequestWatch()
        rules = address_guard.GuardRules.from_settings(settings)
        outbound = OutboundRoute.from_settings(settings)
        reach = address_guard.InternetReach(
            resolver or address_guard.resolve_host,
            clock=clock,
            message=address_guard.describe_offline(settings.raw),
        )
        # Behind a proxy, names without an address say nothing about the network.
        self.reach = None if outbound.proxies else reach
        self.guard = address_guard.Guard(rules, resolver=resolver, reach=self.reach)
        self.disclosure = address_guard.DisclosureRule(
            rules, resolver=resolver, reach=self.reach, is_sealed=settings[CoreSettings].is_sealed
        )
        self.client = GuardedClient(
            self.guard,
            outbound=outbound,
            user_agent=settings[NetSettings].user_agent,
            clock=clock,
            watching=self.watching,
        )
        self.robots = RobotsChecker(self.client, clock=clock)

    def open_upstream(
        self,
        name: str,
        *,
        base_url: str,
        headers: Mapping[str, str] = _NO_HEADERS,
        secret_headers: Mapping[str, str] = _NO_HEADERS,
        per_second: float | None = None,
        burst: int = 1,
        timeout: float | None = None,
        page: bool = False,
    ) -> Upstream:
        """The Upstream called `name`; created by the first call, and returned again by later ones.

        `secret_headers` are sent only to the origin of `base_url`. With `page`, every request of
        this upstream counts as a page, so that ALLOWED_DOMAINS applies.
        """
        if name not in self._upstreams:
            self._upstreams[name] = Upstream(
                name,
                base_url=base_url,
                sender=self.client,
                lanes=self._build_origin_table(name, base_url, per_second=per_second, burst=burst),
                defaults=HttpRequest(
                    url=base_url,
                    headers={**self._build_contact_header(page=page), **headers},
                    secret_headers=secret_headers,
                    timeout=timeout or self._settings[NetSettings].search_timeout,
                    page=page,
                ),
                timing=self._timing,
                watching=self.watching,
                check_online=self.guard.check_online,
            )
        return self._upstreams[name]

    def open_webhook(self, url: str, *, secret: str | None) -> SignedWebhook:
        """Posts to an address that the operator chose, which may be in a private network."""
        from citewell.net.http.signed_webhook import SignedWebhook

        self.guard.trust_service(url)
        return SignedWebhook(self.client, url=url, secret=secret, clock=time.time)

    def _build_contact_header(self, *, page: bool) -> Mapping[str, str]:
        """The User-Agent with the operator's contact, for APIs; pages get the usual one."""
        net_settings = self._settings[NetSettings]
        contact = net_settings.contact
        if page or not contact or net_settings.user_agent:
            return _NO_HEADERS
        return {"user-agent": file_downloads.build_user_agent(contact)}

    def collect_health(self) -> Mapping[str, origin_limits.BreakerSnapshot]:
        """The state of every breaker by upstream name, for diagnostics."""
        found: dict[str, origin_limits.BreakerSnapshot] = {}
        for upstream in self._upstreams.values():
            found.update(upstream.collect_health())
        return found

    def pause_upstream(self, name: str, seconds: float, *, is_limited: bool) -> bool:
        """Stop asking an upstream, as another process has; False if it is not used here."""
        upstream = self._upstreams.get(name)
        if upstream is None:
            return False
        upstream.adopt_pause(seconds, is_limited=is_limited)
        return True

    def count_requests(self) -> Mapping[str, Mapping[str, int]]:
        """Requests since the start by upstream name, each by `ok` or the kind of its error."""
        return {name: dict(upstream.outcomes) for name, upstream in self._upstreams.items()}

    async def aclose(self) -> None:
        await self.client.aclose()

    def _build_origin_table(
        self, name: str, base_url: str, *, per_second: float | None, burst: int
    ) -> origin_limits.OriginLimitsTable:
        settings, timing = self._settings[NetSettings], self._timing

        def make(owner: str) -> origin_limits.OriginLimits:
            return origin_limits.OriginLimits(
                pace=origin_limits.RequestPace(per_second=per_second, burst=burst, timing=timing),
                breaker=origin_limits.CircuitBreaker(
                    owner,
                    threshold=settings.breaker_threshold,
                    reset=settings.breaker_reset,
                    clock=timing.clock,
                ),
            )

        return origin_limits.OriginLimitsTable(name, base_url=base_url, build_limits=make)


# The HTTP client: every hop is checked by the guard, and size and time are limited.


class GuardedClient:
    """Sends requests without cookies, cache or retries; an error status is returned, not raised."""

    def __init__(
        self,
        guard: address_guard.Guard,
        *,
        outbound: OutboundRoute | None = None,
        user_agent: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        watching: RequestWatch | None = None,
    ) -> None:
        self._guard = guard
        self._outbound = outbound or OutboundRoute()
        self._headers = file_downloads.build_default_headers(user_agent)
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
            started = self._clock()
            try:
                async with asyncio.timeout(request.timeout):
                    response = await file_downloads.follow_redirects(
                        _add_query_params(request), self._exchange_hop
                    )
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
            onward = file_downloads.build_redirect_request(
                request, target, status=head.status, location=location
            )
            if onward is not None:
                return onward
            cap = request.choose_byte_cap(head.headers.get("content-type", ""))
            encoding = head.headers.get("content-encoding", "")
            if request.first_bytes is not None and not encoding:
                packed = await read_first_bytes(chunks, request.first_bytes)
            else:
                packed = await read_whole_body(chunks, head, cap)
        if len(packed) <= _MAX_INLINE_DECODE_BYTES or not encoding:
            body = decode_content(packed, encoding, cap)
        else:
            body = await asyncio.to_thread(decode_content, packed, encoding, cap)
        return HttpResponse(status=head.status, url=target.url, headers=head.headers, body=body)

    def _merge_headers(self, request: HttpRequest, kind: str | None) -> Mapping[str, str]:
        """All headers in lower case; later ones win: defaults, content type, the caller's, secret ones."""
        given = ({"content-type": kind} if kind else {}, request.headers, request.secret_headers)
        merged = dict(self._headers)
        for headers in given:
            merged.update({name.lower(): value for name, value in headers.items()})
        merged.pop("host", None)
        return merged


def _add_query_params(request: HttpRequest) -> HttpRequest:
    if not request.params:
        return request
    base, mark, fragment = request.url.partition("#")
    joint = "&" if "?" in base else "?"
    params = request.params
    pairs = list(params.items() if isinstance(params, Mapping) else params)
    query = urlencode(pairs, quote_via=quote)
    return replace(request, url=f"{base}{joint}{query}{mark}{fragment}", params={})


def _encode_request_body(request: HttpRequest) -> tuple[bytes | None, str | None]:
    if request.json is not None:
        body = json.dumps(request.json, ensure_ascii=False, separators=(",", ":")).encode()
        return body, "application/json"
    if request.form is not None:
        return urlencode(request.form).encode(), "application/x-www-form-urlencoded"
    return request.content, None
