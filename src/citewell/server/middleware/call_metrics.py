"""Call counts and latencies per tool, for metrics and `stats://tools`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome
from citewell.tooling import Owner

_CANCELLED = "cancelled"  # the call ended without an outcome
LATENCY_BUCKETS_SECONDS = (0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


@dataclass(slots=True)
class ToolTally:
    calls: int = 0
    errors: int = 0
    cache_hits: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * len(LATENCY_BUCKETS_SECONDS))
    error_kinds: Counter[str] = field(default_factory=Counter)

    def add_call(self, seconds: float, *, error_kind: str | None, hit: bool) -> None:
        """`error_kind` is None for a call that succeeded."""
        self.calls += 1
        self.cache_hits += hit
        if error_kind is not None:
            self.errors += 1
            self.error_kinds[error_kind] += 1
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)
        for index, bound in enumerate(LATENCY_BUCKETS_SECONDS):
            if seconds <= bound:
                self.buckets[index] += 1
                break

    def to_wire(self) -> dict[str, object]:
        calls = self.calls or 1
        return {
            "calls": self.calls,
            "errors": self.errors,
            "errorRate": round(self.errors / calls, 4),
            "cacheHits": self.cache_hits,
            "averageMs": round(1000 * self.seconds / calls, 1),
            "slowestMs": round(1000 * self.slowest, 1),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCall:
    """One call that has ended."""

    tool: str
    owner: Owner
    seconds: float
    is_error: bool
    is_cached: bool


class MetricsMiddleware:
    """Counts calls in memory; a restart begins at zero, as Prometheus expects."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._observers: list[Callable[[MeasuredCall], None]] = []
        self.tools: dict[str, ToolTally] = {}

    def add_observer(self, observer: Callable[[MeasuredCall], None]) -> None:
        """Call `observer` with every call that ends from now on."""
        self._observers.append(observer)

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        started = self._clock()
        error_kind: str | None = _CANCELLED
        hit = False
        try:
            outcome = await proceed(invocation)
            hit = bool(outcome.meta.get("cached"))
            error_kind = outcome.meta.get("errorKind", "error") if outcome.is_error else None
            return outcome
        finally:
            tally = self.tools.get(invocation.name)
            if tally is None:
                tally = self.tools[invocation.name] = ToolTally()
            seconds = self._clock() - started
            tally.add_call(seconds, error_kind=error_kind, hit=hit)
            self._notify_observers(
                MeasuredCall(
                    tool=invocation.name,
                    owner=invocation.call.owner,
                    seconds=seconds,
                    is_error=error_kind is not None,
                    is_cached=hit,
                )
            )

    def _notify_observers(self, call: MeasuredCall) -> None:
        for observer in self._observers:
            observer(call)
