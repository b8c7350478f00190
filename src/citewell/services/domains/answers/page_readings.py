"""Finds and reads the pages of one call: several at a time, and only for so long."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from citewell.errors import CitewellError
from citewell.model.counted_words import pluralize
from citewell.model.page import Page
from citewell.model.search_queries import SearchHit
from citewell.services.reading.cached_pages import CachedPageReader
from citewell.services.research.collecting.page_finders import WebFinder
from citewell.services.research.collecting.research_rounds import (
    PageFinder,
    ResearchPorts,
    choose_leads,
    fetch_page_reading,
)
from citewell.services.research.step_values import PageLead, PageLeads, PageReading
from citewell.services.web.rank_fusion import fuse_rankings
from citewell.services.web.search_cache import CachedWebSearch
from citewell.text.web import addresses
from citewell.tooling import ProgressCallback

T = TypeVar("T")

READING_SECONDS = 20.0  # for all pages of a call together
MAX_PAGE_TEXT_BYTES = 200_000  # of one page; what follows is not compared
_MAX_CONCURRENT_READS = 6
_RESULTS_PER_SEARCH = 10


class _TenantPageReader:
    """The shared page reader on behalf of one tenant."""

    def __init__(self, pages: CachedPageReader, tenant: str) -> None:
        self._pages = pages
        self._tenant = tenant

    async def read_page(self, url: str) -> Page:
        return await self._pages.read_page(url, max_length=MAX_PAGE_TEXT_BYTES, tenant=self._tenant)


class PageReadingService:
    """Searches the web and reads pages for a call that must not take long."""

    def __init__(
        self,
        searches: CachedWebSearch,
        pages: CachedPageReader,
        *,
        seconds: float = READING_SECONDS,
    ) -> None:
        self._searches = searches
        self._pages = pages
        self._seconds = seconds

    async def find_leads(
        self, queries: Sequence[str], *, count: int, tenant: str
    ) -> tuple[PageLead, ...]:
        """The best pages for these queries, of several sites; raises if every search failed."""
        finder: PageFinder = WebFinder(self._searches, tenant=tenant)
        found = await asyncio.gather(
            *(finder.find_pages(query, count=_RESULTS_PER_SEARCH) for query in queries),
            return_exceptions=True,
        )
        lists = [one for one in found if not isinstance(one, BaseException)]
        if not lists:
            raise next(one for one in found if isinstance(one, BaseException))
        for one in found:
            if isinstance(one, BaseException) and not isinstance(one, CitewellError):
                raise one
        leads = PageLeads(found=tuple(_build_lead(one.hit) for one in fuse_rankings(lists)))
        return choose_leads(leads, max_pages=count)

    async def load_pages(
        self, leads: Sequence[PageLead], *, tenant: str, progress: ProgressCallback | None
    ) -> tuple[Page | CitewellError, ...]:
        """Each page with all it says of itself, or why it could not be read, in the order given."""
        reader = _TenantPageReader(self._pages, tenant)

        async def load(lead: PageLead) -> Page | CitewellError:
            try:
                return await reader.read_page(lead.url)
            except CitewellError as error:
                return error

        tasks = await self._run_for_pages([load(lead) for lead in leads], progress)
        return tuple(
            CitewellError(self._describe_lateness()) if task.cancelled() else task.result()
            for task in tasks
        )

    async def read_pages(
        self, leads: Sequence[PageLead], *, tenant: str, progress: ProgressCallback | None
    ) -> tuple[PageReading, ...]:
        """A reading of each page, in the order given; one without text says why."""
        ports = ResearchPorts(finders=(), reader=_TenantPageReader(self._pages, tenant))
        tasks = await self._run_for_pages(
            [fetch_page_reading(lead, ports) for lead in leads], progress
        )
        return tuple(
            PageReading(
                url=lead.url,
                title=lead.title,
                state="unreachable",
                reason=self._describe_lateness(),
            )
            if task.cancelled()
            else task.result()
            for lead, task in zip(leads, tasks, strict=True)
        )

    async def _run_for_pages(
        self, works: Sequence[Coroutine[Any, Any, T]], progress: ProgressCallback | None
    ) -> list[asyncio.Task[T]]:
        """The tasks, all done; those that took too long are cancelled."""
        gate = asyncio.Semaphore(_MAX_CONCURRENT_READS)

        async def run_within(work: Coroutine[Any, Any, T]) -> T:
            async with gate:
                return await work

        tasks = [asyncio.create_task(run_within(work)) for work in works]
        pending = set(tasks)
        end = asyncio.get_running_loop().time() + self._seconds
        try:
            while pending and (left := end - asyncio.get_running_loop().time()) > 0:
                if progress is not None:
                    await progress(len(tasks) - len(pending), len(tasks), "reading the pages")
                _, pending = await asyncio.wait(
                    pending, timeout=left, return_when=asyncio.FIRST_COMPLETED
                )
        finally:
            for task in pending:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for work in works:
                work.close()  # of a task that was cancelled before it began
        return tasks

    def _describe_lateness(self) -> str:
        return (
            f"The page was not read within {self._seconds:g} {pluralize(self._seconds, 'second')}."
        )


def _build_lead(hit: SearchHit) -> PageLead:
    return PageLead(
        url=addresses.strip_tracking(hit.url),
        title=hit.title,
        snippet=hit.snippet,
        published=hit.published.isoformat() if hit.published else None,
    )
