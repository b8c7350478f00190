"""The metrics of one server for Prometheus, computed from its counters when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

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
from citewell.net.upstream.circuit_breaker import BreakerState
from citewell.server.app import App
from citewell.server.http.observing.readiness import OK, ReadinessMonitor
from citewell.server.http.observing.server_state import ServerState
from citewell.server.http.observing.stored_figures import StoredFigures, StoredFiguresReader
from citewell.server.http.observing.tenant_tallies import TenantTallies
from citewell.server.middleware.call_metrics import LATENCY_BUCKETS_SECONDS, ToolTally

_CENTS_PER_DOLLAR = 100
_QUEUED_STATUS = "pending"
LabelledValues = Iterable[tuple[Sequence[str], float]]


class ServerMetrics:
    """Renders all metrics. The registry is our own, so two servers in one process stay apart."""

    def __init__(self, app: App, state: ServerState, readiness: ReadinessMonitor) -> None:
        self._readiness = readiness
        self._stored = StoredFiguresReader(app)
        tenants = TenantTallies(app.settings.metrics_max_tenants)
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
        yield _build_gauge(
            "citewell_ready",
            "1 if a check of /health/ready passes.",
            ("check",),
            (((name,), float(result == OK)) for name, result in self.readiness.items()),
        )

    def _collect_calls(self) -> Iterator[Metric]:
        tools = sorted(self._app.metrics.tools.items())
        yield _build_counter(
            "mcp_tool_calls",
            "Tool calls by outcome.",
            ("tool", "outcome"),
            (
                ((name, outcome), count)
                for name, tally in tools
                for outcome, count in (
                    ("ok", tally.calls - tally.errors),
                    ("error", tally.errors),
                )
            ),
        )
        yield _build_counter(
            "mcp_tool_errors",
            "Tool calls that failed, by the kind of the error.",
            ("tool", "kind"),
            (((name, kind), n) for name, tally in tools for kind, n in tally.error_kinds.items()),
        )
        yield _build_counter(
            "mcp_tool_cache_hits",
            "Tool calls answered from the cache.",
            ("tool",),
            (((name,), tally.cache_hits) for name, tally in tools),
        )
        latency = HistogramMetricFamily(
            "mcp_tool_latency_seconds", "Duration of tool calls.", labels=("tool",)
        )
        for name, tally in tools:
            latency.add_metric((name,), _build_buckets(tally), tally.seconds)
        yield latency
        yield _build_counter(
            "citewell_tenant_calls",
            "Tool calls by tenant; those over METRICS_MAX_TENANTS together.",
            ("tenant", "outcome"),
            self._tenants.calls.items(),
        )

    def _collect_http(self) -> Iterator[Metric]:
        state = self._state
        yield _build_counter(
            "citewell_http_responses",
            "HTTP responses by method, kind of path and status.",
            ("method", "path", "status"),
            (
                ((method, path, str(status)), count)
                for (method, path, status), count in state.responses.items()
            ),
        )
        yield _build_counter(
            "citewell_http_refusals",
            "Requests refused by authentication (401, 403) or limits (429), by reason.",
            ("status", "reason"),
            (((str(status), reason), n) for (status, reason), n in state.refusals.items()),
        )
        yield GaugeMetricFamily(
            "citewell_http_active_requests", "HTTP requests being answered.", state.active_requests
        )
        yield GaugeMetricFamily(
            "mcp_active_connections", "Open connections.", state.count_connections()
        )
        yield GaugeMetricFamily(
            "mcp_active_sessions", "MCP sessions of the handshake era.", state.count_sessions()
        )

    def _collect_providers(self) -> Iterator[Metric]:
        network = self._app.network
        yield _build_counter(
            "citewell_provider_requests",
            "Requests to upstreams by outcome: ok, or the kind of the error.",
            ("provider", "outcome"),
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
        yield _build_gauge(
            "citewell_provider_breaker_state",
            "1 for the state that the breaker of an upstream is in.",
            ("provider", "state"),
            (
                ((name, state.value), float(found is state))
                for name, found in sorted(breakers.items())
                for state in BreakerState
            ),
        )
        yield _build_gauge(
            "citewell_provider_resting",
            "1 if an upstream is left alone for a while.",
            ("provider",),
            (
                ((name,), float(found is BreakerState.OPEN))
                for name, found in sorted(breakers.items())
            ),
        )

    def _collect_workers(self) -> Iterator[Metric]:
        pool = self._app.workers.measure_pool()
        yield _build_gauge(
            "citewell_workers",
            "Processes that read pages and documents.",
            ("state",),
            ((("idle",), pool.idle), (("busy",), pool.workers - pool.idle)),
        )
        yield CounterMetricFamily(
            "citewell_workers_replaced", "Worker processes ended because of a task.", pool.replaced
        )
        yield GaugeMetricFamily(
            "citewell_worker_failed_starts",
            "Worker starts in a row that failed.",
            pool.failed_starts,
        )

    def _collect_store(self) -> Iterator[Metric]:
        health = self._app.store.health
        yield GaugeMetricFamily(
            "citewell_cache_shared_usable",
            "0 while the shared cache has failed and memory is used instead.",
            float(health.is_usable()),
        )
        yield _build_counter(
            "citewell_cache_events",
            "Events of the cache's storage.",
            ("event",),
            (((event,), count) for event, count in health.list_event_counts().items()),
        )
        if not self.stored.is_current:
            return
        yield _build_gauge(
            "citewell_jobs",
            "Research jobs in the store by status.",
            ("status",),
            (((status,), count) for status, count in sorted(self.stored.jobs.items())),
        )
        yield GaugeMetricFamily(
            "citewell_jobs_queued",
            "Research jobs that wait for a worker, by which workers can be scaled.",
            float(self.stored.jobs.get(_QUEUED_STATUS, 0)),
        )
        yield _build_counter(
            "citewell_spend_dollars",
            "Spent on paid research, by provider; kept over restarts.",
            ("provider",),
            (
                ((provider,), cents / _CENTS_PER_DOLLAR)
                for provider, cents in sorted(self.stored.spent_cents.items())
            ),
        )
        yield GaugeMetricFamily(
            "citewell_spend_reserved_dollars",
            "What unfinished jobs may still spend.",
            self.stored.reserved_cents / _CENTS_PER_DOLLAR,
        )
        yield GaugeMetricFamily(
            "citewell_audit_waiting_rows",
            "Audit rows that are committed but not yet sealed.",
            self.stored.waiting_audit_rows,
        )


def _build_counter(
    name: str, told: str, labels: Sequence[str], values: LabelledValues
) -> CounterMetricFamily:
    family = CounterMetricFamily(name, told, labels=labels)
    for given, value in values:
        family.add_metric(given, value)
    return family


def _build_gauge(
    name: str, told: str, labels: Sequence[str], values: LabelledValues
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, told, labels=labels)
    for given, value in values:
        family.add_metric(given, value)
    return family


def _build_buckets(tally: ToolTally) -> list[tuple[str, float]]:
    """Counts up to each bound, as Prometheus wants them."""
    buckets: list[tuple[str, float]] = []
    total = 0
    for bound, count in zip(LATENCY_BUCKETS_SECONDS, tally.buckets, strict=True):
        total += count
        buckets.append((f"{bound:g}", total))
    return [*buckets, ("+Inf", tally.calls)]
