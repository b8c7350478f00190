"""Collects what the dashboard shows from the parts of a running server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import TypeVar

from citewell import __version__
from citewell.core.errors import CitewellError
from citewell.jobs.store.job_rows import (
    load_job_totals,
    load_reserved_cents,
    load_spending_totals,
)
from citewell.net.upstream.origin_limits import BreakerSnapshot, BreakerState
from citewell.server.app import App
from citewell.server.pages import dashboard_figures
from citewell.server.state.state_store import has_stored_state
from citewell.store.cache.sql_tier import load_cache_totals
from citewell.store.coordination.change_notices import JOB_QUEUE_TOPIC, JOB_TOPIC, ChangeWatch
from citewell.store.settings import StoreSettings
from citewell.text.calendar_dates import format_utc_time

T = TypeVar("T")
FactList = tuple[dashboard_figures.NamedFact, ...]

_QUIET_SECONDS = 5.0  # after which a watch of jobs says that nothing happened
_MIN_NEWS_SECONDS = 1.0  # between two news of jobs
_NO_STATE_TEXT = "Nothing is stored on this server yet: no session, no research."
_NO_CACHE_TEXT = "The cache is switched off (CITEWELL_CACHE=false)."
_BYTES_PER_MB = 2**20
_STATES = {
    BreakerState.CLOSED: "ready",
    BreakerState.OPEN: "resting",
    BreakerState.HALF_OPEN: "probing",
}


class SectionAbsent(Exception):
    """A section has nothing to show; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSources:
    """Facts that belong to other parts of the server; each raises SectionAbsent if it is off."""

    is_ready: Callable[[], Awaitable[bool]]
    describe_server: Callable[[], Awaitable[FactList]]
    describe_limits: Callable[[], Awaitable[FactList]]
    describe_audit: Callable[[], Awaitable[FactList]]


async def _wait_for_either(first: ChangeWatch, second: ChangeWatch) -> bool:
    """Whether one of them gave a reason to look within a few seconds."""
    waits = {asyncio.create_task(watch.wait(_QUIET_SECONDS)) for watch in (first, second)}
    try:
        done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        return any(wait.result() for wait in done)
    finally:
        for wait in waits:
            wait.cancel()


class DashboardCollector:
    def __init__(
        self,
        app: App,
        history: dashboard_figures.CallHistory,
        sources: FactSources,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._app = app
        self._history = history
        self._sources = sources
        self._clock = clock

    async def collect_snapshot(self) -> dashboard_figures.DashboardSnapshot:
        """All sections as they are now. A section that cannot be read says why, and hides no other."""
        absent: dict[str, str] = {}
        now = self._clock()
        return dashboard_figures.DashboardSnapshot(
            taken_at=format_utc_time(now),
            started_at=format_utc_time(self._history.started_at),
            uptime_seconds=max(0, int(now - self._history.started_at)),
            version=__version__,
            is_ready=await self._sources.is_ready(),
            calls=self._collect_tool_calls(),
            tools=self._collect_tools(),
            failures=self._collect_failures(),
            providers=await self._collect_provider_states(),
            tenants=self._collect_tenants(),
            server=await self._sources.describe_server(),
            jobs=await _collect_section("jobs", self._collect_jobs, absent),
            spending=await _collect_section("spending", self._collect_spending, absent),
            cache=await _collect_section("cache", self._collect_cache, absent),
            limits=await _collect_section("limits", self._sources.describe_limits, absent),
            audit=await _collect_section("audit", self._sources.describe_audit, absent),
            absent=absent,
        )

    async def watch_jobs(self) -> AsyncIterator[bool]:
        """True whenever a research job was queued or has changed, at most once a second.

        False if nothing happened for a few seconds.
        """
        while not has_stored_state(self._app.settings):
            yield False
            await asyncio.sleep(_QUIET_SECONDS)
        notices = self._app.open_state().notices
        # Without notices of other processes the page asks by itself at intervals, as always.
        async with (
            notices.watch(JOB_TOPIC, poll_seconds=_QUIET_SECONDS) as changed,
            notices.watch(JOB_QUEUE_TOPIC, poll_seconds=_QUIET_SECONDS) as queued,
        ):
            while True:
                is_news = await _wait_for_either(changed, queued)
                yield is_news
                if is_news:
                    await asyncio.sleep(_MIN_NEWS_SECONDS)

    def _collect_tool_calls(self) -> dashboard_figures.CallFigures:
        tallies = self._app.metrics.tools.values()
        return dashboard_figures.CallFigures(
            total=sum(tally.calls for tally in tallies),
            errors=sum(tally.errors for tally in tallies),
            cache_hits=sum(tally.cache_hits for tally in tallies),
            minutes=tuple(
                dashboard_figures.MinuteFigures(
                    at=format_utc_time(at), calls=tally.calls, errors=tally.errors
                )
                for at, tally in self._history.list_minutes()
            ),
        )

    def _collect_tools(self) -> tuple[dashboard_figures.ToolFigures, ...]:
        busiest = sorted(
            self._app.metrics.tools.items(), key=lambda item: (-item[1].calls, item[0])
        )
        return tuple(
            dashboard_figures.ToolFigures(
                name=name,
                calls=tally.calls,
                errors=tally.errors,
                cache_hits=tally.cache_hits,
                median_ms=_convert_to_ms(self._history.measure_latency(name, 0.5)),
                slow_ms=_convert_to_ms(self._history.measure_latency(name, 0.95)),
                slowest_ms=round(1000 * tally.slowest, 1),
            )
            for name, tally in busiest
        )

    def _collect_failures(self) -> tuple[dashboard_figures.FailureFigures, ...]:
        return tuple(
            dashboard_figures.FailureFigures(
                tool=group.tool,
                kind=group.kind,
                count=group.count,
                last_at=format_utc_time(group.last_at),
            )
            for group in self._app.recent.list_error_groups()
        )

    async def _collect_provider_states(self) -> dashboard_figures.ProviderOverview:
        # The first time this imports the module of every provider.
        statuses = await asyncio.to_thread(self._app.catalogue.list_provider_statuses)
        health = dict(self._app.network.collect_health())
        rows = [
            _build_provider(row.name, row.title, row.offers, health.pop(row.name, None))
            for row in statuses
            if row.configured or row.name in health
        ]
        # Upstreams that are no providers, such as sites that are read through their own API.
        rows += [_build_provider(name, name, (), snapshot) for name, snapshot in health.items()]
        order = {"resting": 0, "probing": 1, "ready": 2, "unused": 3}
        return dashboard_figures.ProviderOverview(
            configured=tuple(sorted(rows, key=lambda row: (order[row.state], row.title.lower()))),
            unconfigured=tuple(sorted(row.title for row in statuses if not row.configured)),
        )

    def _collect_tenants(self) -> dashboard_figures.TenantOverview:
        return dashboard_figures.TenantOverview(
            tenants=tuple(
                dashboard_figures.TenantFigures(
                    name=name,
                    calls=tally.calls,
                    errors=tally.errors,
                    users=len(tally.users),
                    last_call_at=format_utc_time(tally.last_call_at),
                )
                for name, tally in self._history.list_tenants()
            ),
            dropped=self._history.dropped_tenants,
        )

    async def _collect_jobs(self) -> dashboard_figures.JobFigures:
        self._require_state_store()
        totals = await load_job_totals(self._app.open_state().database)
        waiting = totals.oldest_waiting_at
        return dashboard_figures.JobFigures(
            by_status=dict(totals.by_status),
            oldest_waiting_seconds=None
            if waiting is None
            else max(0, int(self._clock() - waiting)),
        )

    async def _collect_spending(self) -> dashboard_figures.SpendingOverview:
        self._require_state_store()
        database = self._app.open_state().database
        totals = await load_spending_totals(database, now=self._clock())
        return dashboard_figures.SpendingOverview(
            providers=tuple(dashboard_figures.SpendingFigures(**asdict(total)) for total in totals),
            reserved_cents=await load_reserved_cents(database),
        )

    async def _collect_cache(self) -> dashboard_figures.CacheFigures:
        settings, store = self._app.settings[StoreSettings], self._app.store
        if not settings.cache_enabled:
            raise SectionAbsent(_NO_CACHE_TEXT)
        counts = store.health.list_event_counts()
        totals = None
        if store.database is not None and store.health.is_usable():
            totals = await load_cache_totals(store.database)
        return dashboard_figures.CacheFigures(
            memory_hits=counts.get("memory", 0),
            disk_hits=counts.get("disk", 0),
            misses=counts.get("misses", 0),
            unreadable=counts.get("unreadable", 0),
            entries=totals.entries if totals else None,
            size_bytes=totals.size_bytes if totals else None,
            limit_bytes=settings.cache_max_disk_mb * _BYTES_PER_MB if totals else None,
            warnings=store.list_store_warnings(),
        )

    def _require_state_store(self) -> None:
        if not has_stored_state(self._app.settings):
            raise SectionAbsent(_NO_STATE_TEXT)


async def _collect_section(
    name: str, collect: Callable[[], Awaitable[T]], absent: dict[str, str]
) -> T | None:
    """The section, or None after its reason was put into `absent`."""
    try:
        return await collect()
    except SectionAbsent as reason:
        absent[name] = str(reason)
    except CitewellError as error:
        absent[name] = f"This cannot be read now. {error.message}"
    return None


def _build_provider(
    name: str, title: str, offers: tuple[str, ...], health: BreakerSnapshot | None
) -> dashboard_figures.ProviderFigures:
    if health is None:
        return dashboard_figures.ProviderFigures(
            name=name, title=title, offers=offers, state="unused"
        )
    wait = health.retry_after
    return dashboard_figures.ProviderFigures(
        name=name,
        title=title,
        offers=offers,
        state="resting" if wait is not None else _STATES[health.state],
        failures=health.failures,
        last_error=health.last_error,
        retry_after_seconds=None if wait is None else max(1, round(wait)),
    )


def _convert_to_ms(seconds: float | None) -> float | None:
    return None if seconds is None else round(1000 * seconds, 1)
