"""The metrics of one server for Prometheus, computed from its counters when they are asked for."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from citewell import __version__
from citewell.core.errors import CitewellError
from citewell.jobs.store.job_rows import (
    load_job_totals,
    load_reserved_cents,
    load_spending_totals,
)
from citewell.net.upstream.origin_limits import BreakerState
from citewell.server.app import App
from citewell.server.call_records import LATENCY_BUCKETS_SECONDS, MeasuredCall, ToolTally
from citewell.server.http.observing.readiness import OK, ReadinessMonitor
from citewell.server.http.observing.request_records import ServerState
from citewell.server.settings import ServerSettings
from citewell.server.state.state_store import has_stored_state
from citewell.text.data_tables import load_table

logger = logging.getLogger(__name__)
_CACHE_SECONDS = 10.0
_MAX_WAIT_SECONDS = 2.0

OTHER_TENANTS = "_other"

_CENTS_PER_DOLLAR = 100
_QUEUED_STATUS = "pending"
LabelledValues = Iterable[tuple[Sequence[str], float]]


class ServerMetrics:
    """Renders all metrics. The registry is our own, so two servers in one process stay apart."""

    def __init__(self, app: App, state: ServerState, readiness: ReadinessMonitor) -> None:
        self._readiness = readiness
        self._stored = StoredFiguresReader(app)
        tenants = TenantTallies(app.settings[ServerSettings].metrics_max_tenants)
        app.metrics.add_observer(tenants.record_call)
        self._collector = _AppCollector(app, state, tenants)
        self._registry = CollectorRegistry()
        self._registry.register(self._collector)
        ProcessCollector(registry=self._registry)
        GCCollector(registry=self._registry)

    async def render_metrics(self) -> str:
        """The metrics in the text format of Prometheus."""
        self._collector.stored = await self._stored.read_figures()
        self._collector.readiness = (await self._readiness.judge_readiness()).results
        return generate_latest(self._registry).decode()


class _AppCollector(Collector):
    def __init__(self, app: App, state: ServerState, tenants: TenantTallies) -> None:
        self._app = app
        self._state = state
        self._tenants = tenants
        self.stored = StoredFigures()
        self.readiness: Mapping[str, str] = {}

    def collect(self) -> Iterator[Metric]:
        yield InfoMetricFamily("citewell_build", "The running version.", {"version": __version__})
        yield from self._collect_calls()
        yield from self._collect_http()
        yield from self._collect_providers()
        yield from self._collect_workers()
        yield from self._collect_store()
        yield _build_family(
            "citewell_ready",
            (((name,), float(result == OK)) for name, result in self.readiness.items()),
        )

    def _collect_calls(self) -> Iterator[Metric]:
        tools = sorted(self._app.metrics.tools.items())
        yield _build_family(
            "mcp_tool_calls",
            (
                ((name, outcome), count)
                for name, tally in tools
                for outcome, count in (
                    ("ok", tally.calls - tally.errors),
                    ("error", tally.errors),
                )
            ),
        )
        yield _build_family(
            "mcp_tool_errors",
            (((name, kind), n) for name, tally in tools for kind, n in tally.error_kinds.items()),
        )
        yield _build_family(
            "mcp_tool_cache_hits",
            (((name,), tally.cache_hits) for name, tally in tools),
        )
        latency = HistogramMetricFamily(
            "mcp_tool_latency_seconds", "Duration of tool calls.", labels=("tool",)
        )
        for name, tally in tools:
            latency.add_metric((name,), _build_buckets(tally), tally.seconds)
        yield latency
        yield _build_family("citewell_tenant_calls", self._tenants.calls.items())

    def _collect_http(self) -> Iterator[Metric]:
        state = self._state
        yield _build_family(
            "citewell_http_responses",
            (
                ((method, path, str(status)), count)
                for (method, path, status), count in state.responses.items()
            ),
        )
        yield _build_family(
            "citewell_http_refusals",
            (((str(status), reason), n) for (status, reason), n in state.refusals.items()),
        )
        yield _build_family("citewell_http_active_requests", [((), state.active_requests)])
        yield _build_family("mcp_active_connections", [((), state.count_connections())])
        yield _build_family("mcp_active_sessions", [((), state.count_sessions())])

    def _collect_providers(self) -> Iterator[Metric]:
        network = self._app.network
        yield _build_family(
            "citewell_provider_requests",
            (
                ((name, outcome), count)
                for name, outcomes in sorted(network.count_requests().items())
                for outcome, count in outcomes.items()
            ),
        )
        known = network.count_requests().keys()  # leaves out hosts of pages, which are endless
        breakers = {
            name: found.state for name, found in network.collect_health().items() if name in known
        }
        yield _build_family(
            "citewell_provider_breaker_state",
            (
                ((name, state.value), float(found is state))
                for name, found in sorted(breakers.items())
                for state in BreakerState
            ),
        )
        yield _build_family(
            "citewell_provider_resting",
            (
                ((name,), float(found is BreakerState.OPEN))
                for name, found in sorted(breakers.items())
            ),
        )

    def _collect_workers(self) -> Iterator[Metric]:
        pool = self._app.workers.measure_pool()
        yield _build_family(
            "citewell_workers",
            ((("idle",), pool.idle), (("busy",), pool.workers - pool.idle)),
        )
        yield _build_family("citewell_workers_replaced", [((), pool.replaced)])
        yield _build_family("citewell_worker_failed_starts", [((), pool.failed_starts)])

    def _collect_store(self) -> Iterator[Metric]:
        health = self._app.store.health
        yield _build_family("citewell_cache_shared_usable", [((), float(health.is_usable()))])
        yield _build_family(
            "citewell_cache_events",
            (((event,), count) for event, count in health.list_event_counts().items()),
        )
        if not self.stored.is_current:
            return
        yield _build_family(
            "citewell_jobs",
            (((status,), count) for status, count in sorted(self.stored.jobs.items())),
        )
        yield _build_family(
            "citewell_jobs_queued",
            [((), float(self.stored.jobs.get(_QUEUED_STATUS, 0)))],
        )
        yield _build_family(
            "citewell_spend_dollars",
            (
                ((provider,), cents / _CENTS_PER_DOLLAR)
                for provider, cents in sorted(self.stored.spent_cents.items())
            ),
        )
        yield _build_family(
            "citewell_spend_reserved_dollars",
            [((), self.stored.reserved_cents / _CENTS_PER_DOLLAR)],
        )
        yield _build_family("citewell_audit_waiting_rows", [((), self.stored.waiting_audit_rows)])


def _build_family(name: str, values: LabelledValues) -> Metric:
    """The samples of a metric, whose type, help and labels are in the table."""
    described = load_table(__package__, "metrics")[name]
    kind = CounterMetricFamily if described["type"] == "counter" else GaugeMetricFamily
    family = kind(name, described["help"], labels=described["labels"])
    for labels, value in values:
        family.add_metric(labels, value)
    return family


def _build_buckets(tally: ToolTally) -> list[tuple[str, float]]:
    """Counts up to each bound, as Prometheus wants them."""
    buckets: list[tuple[str, float]] = []
    total = 0
    for bound, count in zip(LATENCY_BUCKETS_SECONDS, tally.buckets, strict=True):
        total += count
        buckets.append((f"{bound:g}", total))
    return [*buckets, ("+Inf", tally.calls)]


# Calls per tenant, for a limited number of tenants.


class TenantTallies:
    """Counts the calls of the first `max_tenants` tenants one by one, and all others together."""

    def __init__(self, max_tenants: int) -> None:
        self._max_tenants = max_tenants
        self._known: set[str] = set()
        self.calls: Counter[tuple[str, str]] = Counter()  # by tenant and outcome

    def record_call(self, call: MeasuredCall) -> None:
        tenant = call.owner.tenant
        if tenant not in self._known:
            if len(self._known) < self._max_tenants:
                self._known.add(tenant)
            else:
                tenant = OTHER_TENANTS
        self.calls[tenant, "error" if call.is_error else "ok"] += 1


# Figures about stored jobs, spending and audit rows for the metrics; read at most every ten seconds.


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFigures:
    """What the store tells about all owners together."""

    is_current: bool = False  # False if the store could not be asked
    jobs: Mapping[str, int] = field(default_factory=dict)  # by status
    spent_cents: Mapping[str, int] = field(default_factory=dict)  # by provider, since the beginning
    reserved_cents: int = 0
    waiting_audit_rows: int = 0


class StoredFiguresReader:
    def __init__(self, app: App, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._clock = clock
        self._read_at: float | None = None
        self._known = StoredFigures()
        self._lock = asyncio.Lock()

    async def read_figures(self) -> StoredFigures:
        """The figures, at most ten seconds old; without figures if the store does not answer."""
        async with self._lock:
            if self._read_at is None or self._clock() - self._read_at >= _CACHE_SECONDS:
                self._known = await self._read_in_time()
                self._read_at = self._clock()
            return self._known

    async def _read_in_time(self) -> StoredFigures:
        if not has_stored_state(self._app.settings):
            return StoredFigures(is_current=True)
        try:
            async with asyncio.timeout(_MAX_WAIT_SECONDS):
                return await self._read_store()
        except (CitewellError, TimeoutError) as error:
            logger.debug("Figures of the store cannot be read: %s", type(error).__name__)
            return StoredFigures()

    async def _read_store(self) -> StoredFigures:
        state = self._app.open_state()
        jobs = await load_job_totals(state.database)
        spending = await load_spending_totals(state.database, now=time.time())
        return StoredFigures(
            is_current=True,
            jobs=jobs.by_status,
            spent_cents={total.provider: total.total_cents for total in spending},
            reserved_cents=await load_reserved_cents(state.database),
            waiting_audit_rows=await state.audit.count_waiting_rows(),
        )
