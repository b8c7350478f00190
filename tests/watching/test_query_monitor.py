"""Saved searches report what is new, once, and lose nothing when a search fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from citewell.core.config import Settings
from citewell.core.errors import NetworkFailed
from citewell.core.tooling import Owner, ProgressCallback
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_results import SearchAnswer, SearchMetadata, SearchResult
from citewell.people.consent_service import ConsentService
from citewell.people.usage_analytics import ConsentGate
from citewell.search.search_request import SearchRequest
from citewell.server.state.state_store import StateStore
from citewell.watching import query_monitor
from citewell.watching.query_monitor import MonitorRequest, QueryMonitor
from tests.fake_services import use_fake
from tests.requirements import requires

ANN = Owner(tenant="acme", user="ann")


class ShelfSearch:
    """Finds what the test puts on the shelf."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.fails = False

    async def search_web_pages(
        self,
        request: SearchRequest,
        *,
        trace: RoutingTrace,
        progress: ProgressCallback | None = None,
    ) -> SearchAnswer:
        if self.fails:
            raise NetworkFailed("The engine did not answer.")
        results = [
            SearchResult(title=url, url=url, snippet="", display_link="example.org")
            for url in self.urls
        ]
        facts = SearchMetadata(
            query=request.query,
            category="general",
            results_count=len(results),
            search_time_ms=1,
            engines_used=(),
        )
        return SearchAnswer(
            urls=tuple(self.urls),
            query=request.query,
            result_count=len(results),
            results=tuple(results),
            metadata=facts,
        )


Scenario = Callable[[QueryMonitor, ShelfSearch, StateStore], Awaitable[Any]]


def play(folder: Path, scenario: Scenario, *, consents: bool = True) -> Any:
    async def run() -> Any:
        state = StateStore(Settings(data_dir=folder))
        try:
            service = ConsentService(state.consents)
            if consents:
                await service.grant_consent(ANN, "monitoring", decided_from="admin")
            search = ShelfSearch()
            monitor = QueryMonitor(
                state.watches,
                ConsentGate(service, "monitoring"),
                use_fake(search),
                ttl_seconds=3600.0,
                interval_seconds=60.0,
            )
            return await scenario(monitor, search, state)
        finally:
            await state.aclose()

    return asyncio.run(run())


def list_new(answer: Any) -> list[list[str]]:
    return [[result.url for result in each.new_results] for each in answer.monitors]


@requires("monitor_query_check.answer")
def test_a_check_reports_only_what_was_not_there_before(tmp_path: Path) -> None:
    async def scenario(monitor: QueryMonitor, search: ShelfSearch, _: StateStore) -> Any:
        search.urls = ["https://example.org/a"]
        saved = await monitor.save_query(ANN, MonitorRequest(query="telomeres"))
        search.urls = ["https://example.org/b", "http://example.org/a/"]
        first = await monitor.check_queries(ANN, saved.id)
        second = await monitor.check_queries(ANN, None)
        return saved, list_new(first), list_new(second)

    saved, first, second = play(tmp_path, scenario)

    assert (saved.status, saved.known_results) == ("ok", 1)
    assert first == [["https://example.org/b"]]
    assert second == [[]]


def test_a_search_that_fails_says_so_and_its_news_come_with_the_next_check(tmp_path: Path) -> None:
    async def scenario(monitor: QueryMonitor, search: ShelfSearch, _: StateStore) -> Any:
        await monitor.save_query(ANN, MonitorRequest(query="telomeres"))
        search.urls, search.fails = ["https://example.org/b"], True
        failed = await monitor.check_queries(ANN, None)
        search.fails = False
        return failed.monitors[0].error, list_new(await monitor.check_queries(ANN, None))

    assert play(tmp_path, scenario) == ("The engine did not answer.", [["https://example.org/b"]])


@requires("monitor_query_save.consent")
def test_without_consent_nothing_is_saved(tmp_path: Path) -> None:
    async def scenario(monitor: QueryMonitor, _: ShelfSearch, state: StateStore) -> Any:
        saved = await monitor.save_query(ANN, MonitorRequest(query="telomeres"))
        checked = await monitor.check_queries(ANN, None)
        return saved.status, checked.status, await state.watches.list_watches(str(ANN))

    assert play(tmp_path, scenario, consents=False) == ("no_consent", "no_consent", ())


def test_the_hundred_and_first_search_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(query_monitor, "MAX_MONITORS", 1)

    async def scenario(monitor: QueryMonitor, _: ShelfSearch, __: StateStore) -> Any:
        asked = MonitorRequest(query="telomeres")
        return [(await monitor.save_query(ANN, asked)).status for _ in range(2)]

    assert play(tmp_path, scenario) == ["ok", "limit"]
