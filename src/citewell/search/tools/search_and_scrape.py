"""Search the web and read the pages found, in one call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Self

from citewell.core.config import Settings
from citewell.core.errors import CitewellError, FailureReason
from citewell.core.service_kit import ServiceKit
from citewell.core.settings import CoreSettings
from citewell.core.tooling import ProgressCallback, SessionArguments, SourceCallback, Tool, ToolCall
from citewell.core.values.argument_types import check_declared_bounds
from citewell.core.values.page import Page
from citewell.core.values.research_session import SessionSource
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.scrape_results import SourceBundle
from citewell.core.values.search_results import SearchResult
from citewell.reading.page_errors import build_network_error
from citewell.reading.page_works import find_credible_doi
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.reading.pages.source_bundle import (
    GatheredPages,
    GatheredSources,
    GatherRequest,
    MeasuredPage,
    build_source_bundle,
    choose_source_passages,
    measure_gathered_page,
    rank_sources,
)
from citewell.reading.settings import ReadingSettings
from citewell.reading.source_classification import describe_page_source
from citewell.search.search_cache import CachedWebSearch
from citewell.search.search_service import SearchRequest
from citewell.search.settings import SearchSettings
from citewell.workers.worker_tasks import TaskRunner

PageOutcome = Page | CitewellError

_ASSEMBLY_SECONDS = 5.0  # seconds reserved for building the answer


class SearchAndRead:
    def __init__(
        self,
        *,
        settings: Settings,
        searches: CachedWebSearch,
        pages: CachedPageReader,
        workers: TaskRunner,
        clock: Callable[[], float] = time.perf_counter,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings = settings
        self._searches = searches
        self._pages = pages
        self._workers = workers
        self._clock = clock
        self._now = now

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            settings=kit.settings,
            searches=kit.require_service(CachedWebSearch),
            pages=kit.require_service(CachedPageReader),
            workers=kit.workers,
        )

    async def gather_sources(
        self,
        request: GatherRequest,
        *,
        trace: RoutingTrace,
        tenant: str | None = None,
        progress: ProgressCallback | None = None,
        report: SourceCallback | None = None,
    ) -> GatheredSources:
        """All sources that could be read, ranked; raises only if the search itself failed."""
        started = self._clock()
        check_declared_bounds(request)
        search_request = SearchRequest(
            query=request.query, count=request.source_count, provider=request.provider
        )
        answer = await self._searches.search_cached(search_request, trace=trace, tenant=tenant)
        outcomes = await self._read_all_pages([hit.url for hit in answer.results], tenant, progress)
        measured = await asyncio.gather(
            *(
                self._measure_outcome(request, hit, outcome)
                for hit, outcome in zip(answer.results, outcomes, strict=True)
            )
        )
        if report is not None:
            report(await asyncio.to_thread(_describe_sources, answer.results, outcomes))
        found = GatheredPages(answer=answer, outcomes=tuple(measured), now=self._now())
        settings = self._settings
        search_settings = settings[SearchSettings]
        ranked = await asyncio.to_thread(rank_sources, request, found)
        gathered = await asyncio.to_thread(
            build_source_bundle,
            request,
            ranked,
            await choose_source_passages(request, ranked, self._workers),
            recommend=search_settings.source_recommendations,
            draw=search_settings.generative_ui,
        )
        spent = round(1000 * (self._clock() - started))
        summary = gathered.bundle.summary.model_copy(update={"processing_time_ms": spent})
        return replace(gathered, bundle=gathered.bundle.model_copy(update={"summary": summary}))

    async def _measure_outcome(
        self, request: GatherRequest, hit: SearchResult, outcome: PageOutcome
    ) -> MeasuredPage | CitewellError:
        if isinstance(outcome, CitewellError):
            return outcome
        return await measure_gathered_page(request, hit, outcome, self._workers)

    async def _read_all_pages(
        self, urls: Sequence[str], tenant: str | None, progress: ProgressCallback | None
    ) -> tuple[PageOutcome, ...]:
        """For each address, in order, its page or the error."""
        gate = asyncio.Semaphore(max(1, self._settings[ReadingSettings].max_page_concurrency))

        async def load_page(url: str) -> PageOutcome:
            try:
                async with gate:
                    return (await self._pages.load_page(url, tenant=tenant)).page
            except CitewellError as error:
                return error

        tasks = [asyncio.create_task(load_page(url)) for url in urls]
        try:
            waited = await self._wait_for_pages(tasks, progress)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return tuple(
            task.result() if not task.cancelled() else _build_late_error(url, waited)
            for url, task in zip(urls, tasks, strict=True)
        )

    async def _wait_for_pages(
        self, tasks: list[asyncio.Task[PageOutcome]], progress: ProgressCallback | None
    ) -> float:
        """Wait for all tasks; after the soft deadline only until at least one page was read.

        Returns the seconds waited.
        """
        started = self._clock()
        soft = self._settings[SearchSettings].gather_deadline
        hard = max(soft, self._settings[CoreSettings].long_tool_timeout - _ASSEMBLY_SECONDS)
        pending: set[asyncio.Task[PageOutcome]] = set(tasks)
        while pending:
            limit = soft if any(map(_has_read_page, tasks)) else hard
            left = limit - (self._clock() - started)
            if left <= 0:
                break
            if progress is not None:
                await progress(len(tasks) - len(pending), len(tasks), "reading the pages")
            _, pending = await asyncio.wait(
                pending, timeout=left, return_when=asyncio.FIRST_COMPLETED
            )
        return self._clock() - started


def _describe_sources(
    hits: Sequence[SearchResult], outcomes: Sequence[PageOutcome]
) -> list[SessionSource]:
    """Every result as a source: as the search listed it and, if its page was read, as that states."""
    listed = [hit.to_source() for hit in hits]
    read = [
        describe_page_source(hit.url, page, doi=find_credible_doi(page))
        for hit, page in zip(hits, outcomes, strict=True)
        if isinstance(page, Page)
    ]
    return listed + read


def _has_read_page(task: asyncio.Task[PageOutcome]) -> bool:
    return task.done() and not task.cancelled() and isinstance(task.result(), Page)


def _build_late_error(url: str, waited: float) -> CitewellError:
    message = f"it was not read within {waited:.1f} s, and others were"
    return build_network_error(url, message, reason=FailureReason.TIMEOUT)


class Args(SessionArguments, GatherRequest):
    """Search the web and read the top pages: ranked sources with the passages that answer the query, each with its offsets in the page, and every page that failed with the reason. The pages' whole text is linked. For links alone use web_search; for one known address, scrape_page."""


async def run(args: Args, call: ToolCall) -> SourceBundle:
    gathered = await call.require_service(SearchAndRead).gather_sources(
        args.build_request(GatherRequest),
        trace=call.trace,
        tenant=call.owner.tenant,
        progress=call.report_progress,
        report=call.report_sources,
    )
    call.linked_text = gathered.page_texts
    return gathered.bundle


TOOL = Tool(
    args=Args,
    result=SourceBundle,
    run=run,
    toolset="core",
    title="Search and read",
    in_default_profile=True,
    has_long_timeout=True,  # its searches and pages are cached; the combined result is not
    links_large_results=True,
    bounds_own_size=lambda _args: True,  # by max_tokens
)
