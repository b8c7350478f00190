"""Call counts and latencies per tool, for `/metrics` and `stats://tools`."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from citewell.server.pipeline import NextStep, ToolInvocation, ToolOutcome
from citewell.tooling import Owner

LATENCY_BUCKETS_SECONDS = (0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


@dataclass(slots=True)
class ToolTally:
    calls: int = 0
    errors: int = 0
    cache_hits: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * len(LATENCY_BUCKETS_SECONDS))

    def add_call(self, seconds: float, *, failed: bool, hit: bool) -> None:
        self.calls += 1
        self.errors += failed
        self.cache_hits += hit
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
        failed, hit = True, False
        try:
            outcome = await proceed(invocation)
            failed, hit = outcome.is_error, bool(outcome.meta.get("cached"))
            return outcome
        finally:
            tally = self.tools.setdefault(invocation.name, ToolTally())
            seconds = self._clock() - started
            tally.add_call(seconds, failed=failed, hit=hit)
            self._notify_observers(
                MeasuredCall(
                    tool=invocation.name,
                    owner=invocation.call.owner,
                    seconds=seconds,
                    is_error=failed,
                    is_cached=hit,
                )
            )

    def _notify_observers(self, call: MeasuredCall) -> None:
        for observer in self._observers:
            observer(call)

    def render_prometheus(self) -> str:
        """All metrics in the Prometheus text format."""
        lines = ["# TYPE mcp_tool_calls_total counter"]
        for name, tally in sorted(self.tools.items()):
            lines.append(f'mcp_tool_calls_total{{tool="{name}",outcome="error"}} {tally.errors}')
            lines.append(
                f'mcp_tool_calls_total{{tool="{name}",outcome="ok"}} {tally.calls - tally.errors}'
            )
        lines.append("# TYPE mcp_tool_cache_hits_total counter")
        lines += [
            f'mcp_tool_cache_hits_total{{tool="{name}"}} {tally.cache_hits}'
            for name, tally in sorted(self.tools.items())
        ]
        lines.append("# TYPE mcp_tool_latency_seconds histogram")
        for name, tally in sorted(self.tools.items()):
            lines += _render_histogram(name, tally)
        return "\n".join(lines) + "\n"


def _render_histogram(name: str, tally: ToolTally) -> list[str]:
    lines, total = [], 0
    for bound, count in zip(LATENCY_BUCKETS_SECONDS, tally.buckets, strict=True):
        total += count
        lines.append(f'mcp_tool_latency_seconds_bucket{{tool="{name}",le="{bound:g}"}} {total}')
    lines.append(f'mcp_tool_latency_seconds_bucket{{tool="{name}",le="+Inf"}} {tally.calls}')
    lines.append(f'mcp_tool_latency_seconds_sum{{tool="{name}"}} {tally.seconds:.6f}')
    lines.append(f'mcp_tool_latency_seconds_count{{tool="{name}"}} {tally.calls}')
    return lines
