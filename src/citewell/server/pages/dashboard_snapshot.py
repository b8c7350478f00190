"""What the dashboard shows at one moment: totals and states, never a query, a page or an answer."""

from __future__ import annotations

from citewell.model.wire_values import WireValue


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
