"""Pace, breaker and concurrency limit of each origin, so that one failing mirror does not slow the others."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from citewell.net.guard.url_grammar import RequestTarget, parse_url
from citewell.net.upstream.circuit_breaker import (
    BreakerSnapshot,
    BreakerState,
    CircuitBreaker,
)
from citewell.net.upstream.concurrency_limit import ConcurrencyLimit
from citewell.net.upstream.request_pace import RequestPace

_MAX_ORIGINS = 256  # kept in memory; the least recently used is dropped first


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginLimits:
    pace: RequestPace
    breaker: CircuitBreaker
    concurrency: ConcurrencyLimit = field(default_factory=ConcurrencyLimit)

    async def wait_for_turn(self, *, max_wait: float) -> None:
        """Wait up to `max_wait` seconds for a turn; raises at once if the breaker is open."""
        self.breaker.check_closed()
        await self.pace.take_turn(max_wait=max_wait)


class OriginLimitsTable:
    """The limits of one upstream's home origin, and of each other origin its requests go to."""

    def __init__(
        self, name: str, *, base_url: str, build_limits: Callable[[str], OriginLimits]
    ) -> None:
        self._name = name
        self._home = parse_url(base_url).origin
        self._make = build_limits
        self._own = build_limits(name)
        self._others: OrderedDict[tuple[str, str, int], tuple[str, OriginLimits]] = OrderedDict()

    def is_home_origin(self, target: RequestTarget) -> bool:
        return target.origin == self._home

    def choose_limits(self, target: RequestTarget) -> OriginLimits:
        if self.is_home_origin(target):
            return self._own
        if target.origin not in self._others:
            label = f"{self._name}@{target.authority}"
            self._others[target.origin] = (label, self._make(self._name))
        self._others.move_to_end(target.origin)
        while len(self._others) > _MAX_ORIGINS:
            self._others.popitem(last=False)
        return self._others[target.origin][1]

    def collect_health(self) -> Mapping[str, BreakerSnapshot]:
        """Breaker states by label: always the home origin, others only if their breaker is not closed."""
        found = {self._name: self._own.breaker.take_snapshot()}
        for label, lane in self._others.values():
            snapshot = lane.breaker.take_snapshot()
            if snapshot.state is not BreakerState.CLOSED:
                found[label] = snapshot
        return found
