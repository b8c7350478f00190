"""Builds the network objects of a process once, and one Upstream for each API."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from citewell.config import Settings
from citewell.net.guard.address_guard import Guard, GuardRules, resolve_host
from citewell.net.guard.disclosure_rule import DisclosureRule
from citewell.net.guard.internet_reach import HostResolver, InternetReach, describe_offline
from citewell.net.http.guarded_client import GuardedClient
from citewell.net.http.messages import HttpRequest, RequestWatch
from citewell.net.http.outbound_route import OutboundRoute
from citewell.net.http.request_headers import build_user_agent
from citewell.net.robots_rules import RobotsChecker
from citewell.net.upstream.circuit_breaker import BreakerSnapshot, CircuitBreaker
from citewell.net.upstream.origin_limits import OriginLimits, OriginLimitsTable
from citewell.net.upstream.request_pace import RequestPace, TimeSource
from citewell.net.upstream.upstream_client import Upstream

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Network:
    """All network access: `client` for pages, `open_upstream` for APIs, and `robots` and `guard`.

    `disclosure` is asked before the address of a page is told to an outside service.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        resolver: HostResolver | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._timing = TimeSource(clock=clock, sleep=sleep)
        self._upstreams: dict[str, Upstream] = {}
        self.watching = RequestWatch()
        rules = GuardRules.from_settings(settings)
        outbound = OutboundRoute.from_settings(settings)
        reach = InternetReach(
            resolver or resolve_host, clock=clock, message=describe_offline(settings.raw)
        )
        # Behind a proxy, names without an address say nothing about the network.
        self.reach = None if outbound.proxies else reach
        self.guard = Guard(rules, resolver=resolver, reach=self.reach)
        self.disclosure = DisclosureRule(
            rules, resolver=resolver, reach=self.reach, is_sealed=settings.is_sealed
        )
        self.client = GuardedClient(
            self.guard,
            outbound=outbound,
            user_agent=settings.user_agent,
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
                    timeout=timeout or self._settings.search_timeout,
                    page=page,
                ),
                timing=self._timing,
                watching=self.watching,
                check_online=self.guard.check_online,
            )
        return self._upstreams[name]

    def _build_contact_header(self, *, page: bool) -> Mapping[str, str]:
        """The User-Agent with the operator's contact, for APIs; pages get the usual one."""
        contact = self._settings.contact
        if page or not contact or self._settings.user_agent:
            return _NO_HEADERS
        return {"user-agent": build_user_agent(contact)}

    def collect_health(self) -> Mapping[str, BreakerSnapshot]:
        """The state of every breaker by upstream name, for diagnostics."""
        found: dict[str, BreakerSnapshot] = {}
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
    ) -> OriginLimitsTable:
        settings, timing = self._settings, self._timing

        def make(owner: str) -> OriginLimits:
            return OriginLimits(
                pace=RequestPace(per_second=per_second, burst=burst, timing=timing),
                breaker=CircuitBreaker(
                    owner,
                    threshold=settings.breaker_threshold,
                    reset=settings.breaker_reset,
                    clock=timing.clock,
                ),
            )

        return OriginLimitsTable(name, base_url=base_url, build_limits=make)
