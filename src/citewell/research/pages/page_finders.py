"""The server's searches and page reader, as the research engine and single calls use them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Self, TypeVar

from citewell.core.errors import CitewellError, RefusedByPolicy
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import ProgressCallback
from citewell.core.values.argument_types import MAX_QUERY_CHARS
from citewell.core.values.counted_words import pluralize
from citewell.core.values.page import Page
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import LIBRARY_ID_PREFIX, SearchHit, SearchQuery
from citewell.jobs.step_values import PageLead, PageLeads, PageReading
from citewell.library.library_access import OwnerLibraryIndex
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.research.pages import research_rounds
from citewell.research.planning.thread_context import LIBRARY_SCOPE, WEB_SCOPE
from citewell.scholar.literature_search import LiteratureSearch
from citewell.scholar.paper_search_ladder import MAX_PAPER_RESULTS
from citewell.scholar.paper_search_ladder import PaperSearchRequest as PaperAsk
from citewell.search.ranked_results import fuse_rankings
from citewell.search.search_cache import CachedWebSearch
from citewell.search.search_service import SearchRequest
from citewell.store.cache.answer_sharing import run_as_owner, without_library
from citewell.text import addresses

T = TypeVar("T")

READING_SECONDS = 20.0  # for all pages of a call together
MAX_PAGE_TEXT_BYTES = 200_000  # of one page; what follows is not compared
_MAX_CONCURRENT_READS = 6
_RESULTS_PER_SEARCH = 10

_PAPER_PROVIDER = "openalex"
_MAX_LIBRARY_HITS = 10  # hits from the user's library for one query, beside other searches


class WebFinder:
    name = "web search"

    def __init__(self, searches: CachedWebSearch, *, tenant: str) -> None:
        self._searches = searches
        self._tenant = tenant

    async def find_pages(self, query: str, *, count: int) -> Sequence[SearchHit]:
        request = SearchRequest(query=query[:MAX_QUERY_CHARS], count=count)
        with without_library():
            answer = await self._searches.search_cached(
                request, trace=RoutingTrace(), tenant=self._tenant
            )
        return [
            SearchHit(
                title=result.title,
                url=result.url,
                snippet=result.snippet,
                published=_parse_hit_date(result.published_at),
                engine=result.engine,
            )
            for result in answer.results
        ]


class PaperFinder:
    """Searches one broad index of papers; indexes with slow rate limits are not asked."""

    name = "literature search"

    def __init__(self, literature: LiteratureSearch) -> None:
        self._literature = literature

    async def find_pages(self, query: str, *, count: int) -> Sequence[SearchHit]:
        request = PaperAsk(
            query=query[:MAX_QUERY_CHARS],
            count=min(count, MAX_PAPER_RESULTS),
            provider=_PAPER_PROVIDER,
        )
        with without_library():
            answer = await self._literature.search_literature(request, trace=RoutingTrace())
        return [
            SearchHit(
                title=paper.title,
                url=paper.pdf_url or paper.url,
                snippet=paper.abstract or "",
                engine=paper.source,
            )
            for paper in answer.papers
            if paper.pdf_url or paper.url
        ]


class LibraryFinder:
    name = "your library"

    def __init__(
        self, index: OwnerLibraryIndex, *, owner: str, is_only_search: bool = False
    ) -> None:
        self._index = index
        self._owner = owner
        self._is_only_search = is_only_search

    async def find_pages(self, query: str, *, count: int) -> Sequence[SearchHit]:
        """Documents by their ids, so that the library's own copy of a saved page is read."""
        limit = count if self._is_only_search else min(count, _MAX_LIBRARY_HITS)
        with run_as_owner(self._owner, private=True):
            found = await self._index.search_documents(
                SearchQuery(text=query[:MAX_QUERY_CHARS], count=limit), by_id=True
            )
        return found.hits


class OwnedPageReader:
    """Reads pages of the web and documents of the owner's library, as far as the scope allows."""

    def __init__(
        self,
        pages: CachedPageReader,
        *,
        owner: str,
        tenant: str,
        scope: str = "both",
        library: OwnerLibraryIndex | None = None,
    ) -> None:
        self._pages = pages
        self._library = library
        self._owner = owner
        self._tenant = tenant
        self._scope = scope

    async def read_page(self, url: str) -> Page:
        """The page; raises RefusedByPolicy if its address is outside the scope of the job."""
        if url.startswith(LIBRARY_ID_PREFIX):
            if self._scope == WEB_SCOPE:
                raise RefusedByPolicy("This job does not use the library.")
            return await self._read_document(url)
        if self._scope == LIBRARY_SCOPE:
            raise RefusedByPolicy("This job uses only the library, so no page is fetched.")
        return (await self._pages.load_page(url, tenant=self._tenant)).page

    async def _read_document(self, document_id: str) -> Page:
        with run_as_owner(self._owner, private=True):
            page = (await self._pages.load_page(document_id)).page
            if self._library is None:
                return page
            return replace(page, opens_at=await self._library.find_opening_address(document_id))


def _parse_hit_date(stamp: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(stamp) if stamp else None
    except ValueError:
        return None


# Finds and reads the pages of one call: several at a time, and only for so long.


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

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.require_service(CachedWebSearch), kit.require_service(CachedPageReader))

    async def find_leads(
        self, queries: Sequence[str], *, count: int, tenant: str
    ) -> tuple[PageLead, ...]:
        """The best pages for these queries, of several sites; raises if every search failed."""
        finder: research_rounds.PageFinder = WebFinder(self._searches, tenant=tenant)
        found = await asyncio.gather(
            *(finder.find_pages(query, count=_RESULTS_PER_SEARCH) for query in queries),
            return_exceptions=True,
        )
        lists = [item for item in found if not isinstance(item, BaseException)]
        if not lists:
            raise next(item for item in found if isinstance(item, BaseException))
        for match in found:
            if isinstance(match, BaseException) and not isinstance(match, CitewellError):
                raise match
        leads = PageLeads(found=tuple(_build_lead(ranking.hit) for ranking in fuse_rankings(lists)))
        return research_rounds.choose_leads(leads, max_pages=count)

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
        ports = research_rounds.ResearchPorts(
            finders=(), reader=_TenantPageReader(self._pages, tenant)
        )
        tasks = await self._run_for_pages(
            [research_rounds.fetch_page_reading(lead, ports) for lead in leads], progress
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
