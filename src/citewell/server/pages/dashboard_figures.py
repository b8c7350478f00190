"""The figures of the dashboard: their values, the history of calls, and how numbers and charts are shown."""

from __future__ import annotations

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from citewell.core.values.counted_words import pluralize
from citewell.core.values.wire_values import WireValue
from citewell.server.call_records import MeasuredCall
from citewell.server.pages.page_frame import SafeMarkup, build_element

HISTORY_MINUTES = 60
MAX_KEPT_LATENCIES = 500  # of each tool
MAX_KEPT_TENANTS = 200  # beyond that the one that was silent longest is dropped
MAX_COUNTED_USERS = 1000  # of each tenant
_SECONDS_PER_MINUTE = 60

_SECONDS_BY_UNIT = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
_BYTES_PER_STEP = 1024
_BYTE_UNITS = ("B", "KB", "MB", "GB", "TB")

_BAR_WIDTH, _BAR_STEP, _HEIGHT = 4, 5, 40


def render_sparkline(minutes: Sequence[MinuteFigures]) -> SafeMarkup:
    """A bar for each minute; the part of its errors stands at its foot, in another colour."""
    most = max((minute.calls for minute in minutes), default=0)
    bars = [
        bar
        for index, minute in enumerate(minutes)
        if minute.calls
        for bar in _render_bars(index * _BAR_STEP, minute, most)
    ]
    width = _BAR_STEP * len(minutes)
    base = build_element("line", x1=0, y1=_HEIGHT - 0.5, x2=width, y2=_HEIGHT - 0.5, class_="base")
    return build_element(
        "svg",
        base,
        *bars,
        class_="spark",
        viewBox=f"0 0 {width} {_HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label=describe_minutes(minutes),
    )


def describe_minutes(minutes: Sequence[MinuteFigures]) -> str:
    """What the chart shows, as a sentence."""
    calls = sum(minute.calls for minute in minutes)
    errors = sum(minute.errors for minute in minutes)
    if not calls:
        return f"No calls in the last {len(minutes)} {pluralize(len(minutes), 'minute')}."
    peak = max(minutes, key=lambda minute: minute.calls)
    return (
        f"Calls per minute in the last {len(minutes)} {pluralize(len(minutes), 'minute')}: {format_count(calls)} in all, "
        f"{format_count(errors)} with an error, at most {format_count(peak.calls)} in the minute "
        f"from {peak.at[11:16]} UTC."
    )


def _render_bars(x: int, minute: MinuteFigures, most: int) -> list[SafeMarkup]:
    tall = max(2.0, (_HEIGHT - 2) * minute.calls / most)
    foot = max(1.5, tall * minute.errors / minute.calls) if minute.errors else 0.0
    return [
        build_element(
            "rect",
            x=x,
            y=round(_HEIGHT - height, 1),
            width=_BAR_WIDTH,
            height=round(height, 1),
            class_=kind,
        )
        for height, kind in ((tall, "calls"), (foot, "errors"))
        if height
    ]


# Numbers, durations, sizes, amounts and moments as people read them.


def format_count(value: int) -> str:
    return f"{value:,}"


def format_share(part: int, whole: int) -> str:
    """A percentage; a dash if there is nothing to divide by."""
    if not whole:
        return "–"
    if part in {0, whole}:
        return "100 %" if part else "0 %"
    return f"{min(max(100 * part / whole, 0.1), 99.9):.1f} %"


def format_milliseconds(value: float | None) -> str:
    """Such as "8 ms", "0.42 s" or "75 s"; a dash if it is not known."""
    if value is None:
        return "–"
    if value < 10:
        return f"{value:.1f} ms"
    if value < 1000:
        return f"{value:.0f} ms"
    return f"{value / 1000:.1f} s" if value < 10_000 else f"{value / 1000:,.0f} s"


def format_duration(seconds: float) -> str:
    """The two largest units, such as "3 d 4 h" or "45 s"."""
    rest = int(seconds)
    parts: list[str] = []
    for unit, size in _SECONDS_BY_UNIT:
        amount, rest = divmod(rest, size)
        if amount or (unit == "s" and not parts):
            parts.append(f"{amount} {unit}")
        elif parts:
            break
    return " ".join(parts[:2])


def format_bytes(value: int) -> str:
    amount, unit = float(value), 0
    while amount >= _BYTES_PER_STEP and unit < len(_BYTE_UNITS) - 1:
        amount, unit = amount / _BYTES_PER_STEP, unit + 1
    return f"{amount:.0f} {_BYTE_UNITS[unit]}" if unit == 0 else f"{amount:.1f} {_BYTE_UNITS[unit]}"


def format_cents(value: int) -> str:
    return f"${value // 100:,}.{value % 100:02d}"


def format_clock_time(moment: str) -> str:
    """The time of an ISO moment, such as "14:05:09 UTC"."""
    return f"{moment[11:19]} UTC"


def format_day_time(moment: str) -> str:
    """Day and time of an ISO moment, such as "2026-03-01 14:05 UTC"."""
    return f"{moment[:10]} {moment[11:16]} UTC"


# What the dashboard shows at one moment: totals and states, never a query, a page or an answer.


class MinuteFigures(WireValue):
    at: str  # when the minute began
    calls: int
    errors: int


class CallFigures(WireValue):
    """Tool calls since the process started, and each minute of the last hour."""

    total: int
    errors: int
    cache_hits: int
    minutes: tuple[MinuteFigures, ...]


class ToolFigures(WireValue):
    name: str
    calls: int
    errors: int
    cache_hits: int
    median_ms: float | None = None  # of the last calls
    slow_ms: float | None = None  # 95 of 100 calls ended within this time
    slowest_ms: float


class FailureFigures(WireValue):
    """Failures of one tool for one reason, among the last ones that are kept."""

    tool: str
    kind: str
    count: int
    last_at: str


class ProviderFigures(WireValue):
    name: str
    title: str
    offers: tuple[str, ...]
    state: str  # ready, unused, probing or resting
    failures: int = 0  # in a row
    last_error: str | None = None
    retry_after_seconds: int | None = None


class ProviderOverview(WireValue):
    configured: tuple[ProviderFigures, ...]
    unconfigured: tuple[str, ...]  # titles of those that need a key


class JobFigures(WireValue):
    by_status: dict[str, int]
    oldest_waiting_seconds: int | None = None


class SpendingFigures(WireValue):
    provider: str
    day_cents: int
    month_cents: int
    total_cents: int
    jobs: int


class SpendingOverview(WireValue):
    providers: tuple[SpendingFigures, ...]
    reserved_cents: int


class CacheFigures(WireValue):
    memory_hits: int
    disk_hits: int
    misses: int
    unreadable: int
    entries: int | None = None
    size_bytes: int | None = None
    limit_bytes: int | None = None
    warnings: tuple[str, ...] = ()


class TenantFigures(WireValue):
    name: str
    calls: int
    errors: int
    users: int
    last_call_at: str


class TenantOverview(WireValue):
    tenants: tuple[TenantFigures, ...]
    dropped: int  # no longer listed, because there were too many


class NamedFact(WireValue):
    """A fact that is shown as it is: its name, its text, and how well it is."""

    name: str
    text: str
    tone: str = ""  # good, warn or bad


class DashboardSnapshot(WireValue):
    """A section without a value is None, and `absent` says why by the name of the section."""

    taken_at: str
    started_at: str
    uptime_seconds: int
    version: str
    is_ready: bool
    calls: CallFigures
    tools: tuple[ToolFigures, ...]
    failures: tuple[FailureFigures, ...]
    providers: ProviderOverview
    tenants: TenantOverview
    server: tuple[NamedFact, ...]
    jobs: JobFigures | None = None
    spending: SpendingOverview | None = None
    cache: CacheFigures | None = None
    limits: tuple[NamedFact, ...] | None = None
    audit: tuple[NamedFact, ...] | None = None
    absent: dict[str, str]


# What the dashboard shows of past calls: each minute of the last hour, latencies, tenants, failures.


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
