"""What the dashboard shows of past calls: each minute of the last hour, latencies, tenants, failures."""

from __future__ import annotations

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from citewell.server.middleware.call_metrics import MeasuredCall

HISTORY_MINUTES = 60
MAX_KEPT_LATENCIES = 500  # of each tool
MAX_KEPT_TENANTS = 200  # beyond that the one that was silent longest is dropped
MAX_COUNTED_USERS = 1000  # of each tenant
_SECONDS_PER_MINUTE = 60


@dataclass(slots=True)
class MinuteTally:
    """The calls that ended in one minute."""

    calls: int = 0
    errors: int = 0
    cache_hits: int = 0


@dataclass(slots=True)
class TenantTally:
    """The calls of one tenant since the process started."""

    calls: int = 0
    errors: int = 0
    last_call_at: float = 0.0
    users: set[int] = field(default_factory=set)  # hashes, so that no erased name stays here


class CallHistory:
    """Counts and durations in memory, limited in size. It keeps no arguments and no results."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self.started_at = clock()
        self._minutes: OrderedDict[int, MinuteTally] = OrderedDict()
        self._latencies: dict[str, deque[float]] = {}
        self._tenants: OrderedDict[str, TenantTally] = OrderedDict()
        self.dropped_tenants = 0

    def record_call(self, call: MeasuredCall) -> None:
        now = self._clock()
        minute = self._find_minute(int(now // _SECONDS_PER_MINUTE))
        minute.calls += 1
        minute.errors += call.is_error
        minute.cache_hits += call.is_cached
        kept = self._latencies.get(call.tool)
        if kept is None:
            kept = self._latencies[call.tool] = deque(maxlen=MAX_KEPT_LATENCIES)
        kept.append(call.seconds)
        self._record_tenant(call, now)

    def list_minutes(self) -> list[tuple[float, MinuteTally]]:
        """The last hour, oldest first: the time at which each minute began, and its calls."""
        current = int(self._clock() // _SECONDS_PER_MINUTE)
        return [
            (float(minute * _SECONDS_PER_MINUTE), self._minutes.get(minute, MinuteTally()))
            for minute in range(current - HISTORY_MINUTES + 1, current + 1)
        ]

    def measure_latency(self, tool: str, share: float) -> float | None:
        """The seconds within which `share` of the tool's last calls ended; None without calls."""
        return find_percentile(sorted(self._latencies.get(tool, ())), share)

    def list_tenants(self) -> list[tuple[str, TenantTally]]:
        """Every tenant with its calls, the busiest first."""
        return sorted(self._tenants.items(), key=lambda item: (-item[1].calls, item[0]))

    def _find_minute(self, minute: int) -> MinuteTally:
        tally = self._minutes.get(minute)
        if tally is None:
            tally = self._minutes[minute] = MinuteTally()
            while len(self._minutes) > HISTORY_MINUTES:
                self._minutes.popitem(last=False)
        return tally

    def _record_tenant(self, call: MeasuredCall, now: float) -> None:
        name = call.owner.tenant
        tally = self._tenants.get(name)
        if tally is None:
            tally = self._tenants[name] = TenantTally()
        self._tenants.move_to_end(name)
        tally.calls += 1
        tally.errors += call.is_error
        tally.last_call_at = now
        if len(tally.users) < MAX_COUNTED_USERS:
            tally.users.add(hash(call.owner.user))
        if len(self._tenants) > MAX_KEPT_TENANTS:
            self._tenants.popitem(last=False)
            self.dropped_tenants += 1


def find_percentile(ordered: Sequence[float], share: float) -> float | None:
    """The smallest of the sorted values that at least `share` of them do not exceed; None if empty."""
    if not ordered:
        return None
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
