"""Builds the network once for a process and hands every provider its door."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from citewell.config import Settings
from citewell.net.breaker import Breaker, BreakerSnapshot
from citewell.net.client import Client
from citewell.net.guard import Guard, Resolver, Rules
from citewell.net.lane import Lane, Lanes
from citewell.net.message import Request
from citewell.net.outbound import Outbound
from citewell.net.pace import Pace
from citewell.net.robots import Robots
from citewell.net.timing import Timing
from citewell.net.upstream import Upstream

_NONE: Mapping[str, str] = MappingProxyType({})


class Network:
    """The one door outside: `client` for pages, `upstream` for APIs, `robots` and `guard` for both."""

    def __init__(
        self,
        settings: Settings,
        *,
        resolver: Resolver | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._timing = Timing(clock=clock, sleep=sleep)
        self._upstreams: dict[str, Upstream] = {}
        self.guard = Guard(Rules.of(settings), resolver=resolver)
        self.client = Client(
            self.guard,
            outbound=Outbound.of(settings),
            user_agent=settings.user_agent,
            clock=clock,
        )
        self.robots = Robots(self.client, clock=clock)

    def upstream(
        self,
        name: str,
        *,
        base_url: str,
        headers: Mapping[str, str] = _NONE,
        secret_headers: Mapping[str, str] = _NONE,
        per_second: float | None = None,
        burst: int = 1,
        timeout: float | None = None,
        page: bool = False,
    ) -> Upstream:
        """The door of `name`: made on the first call, the same one ever after.

        `secret_headers` go to the origin of `base_url` alone. With `page` every request of this
        upstream is a page's, so that ALLOWED_DOMAINS binds it.
        """
        if name not in self._upstreams:
            self._upstreams[name] = Upstream(
                name,
                base_url=base_url,
                sender=self.client,
                lanes=self._lanes(name, base_url, per_second=per_second, burst=burst),
                defaults=Request(
                    url=base_url,
                    headers=headers,
                    secret_headers=secret_headers,
                    timeout=timeout or self._settings.search_timeout,
                    page=page,
                ),
                timing=self._timing,
            )
        return self._upstreams[name]

    def health(self) -> Mapping[str, BreakerSnapshot]:
        """Every breaker by the name of its upstream, for diagnostics."""
        found: dict[str, BreakerSnapshot] = {}
        for upstream in self._upstreams.values():
            found.update(upstream.health())
        return found

    async def aclose(self) -> None:
        await self.client.aclose()

    def _lanes(self, name: str, base_url: str, *, per_second: float | None, burst: int) -> Lanes:
        settings, timing = self._settings, self._timing

        def make(owner: str) -> Lane:
            return Lane(
                pace=Pace(per_second=per_second, burst=burst, timing=timing),
                breaker=Breaker(
                    owner,
                    threshold=settings.breaker_threshold,
                    reset=settings.breaker_reset,
                    clock=timing.clock,
                ),
            )

        return Lanes(name, base_url=base_url, make=make)
