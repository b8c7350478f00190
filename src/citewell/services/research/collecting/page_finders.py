"""The server's web, paper and library searches and its page reader, for the research engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from citewell.errors import RefusedByPolicy
from citewell.model.argument_types import MAX_QUERY_CHARS
from citewell.model.page import LIBRARY_ID_PREFIX, Page
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_queries import SearchHit, SearchQuery
from citewell.services.library.library_search import OwnerLibraryIndex
from citewell.services.reading.cached_pages import CachedPageReader
from citewell.services.research.planning.research_scope import LIBRARY_SCOPE, WEB_SCOPE
from citewell.services.scholar.literature_search import LiteratureSearch
from citewell.services.scholar.paper_request import MAX_PAPER_RESULTS
from citewell.services.scholar.paper_request import PaperSearchRequest as PaperAsk
from citewell.services.web.search_cache import CachedWebSearch
from citewell.services.web.search_service import SearchRequest
from citewell.store.cache.answer_sharing import run_as_owner, without_library

_PAPER_PROVIDER = "openalex"
_MAX_LIBRARY_HITS = 10  # hits from the user's library for one query, beside other searches


class WebFinder:
    name = "web search"

    def __init__(self, searches: CachedWebSearch, *, tenant: str) -> None:
        self._searches = searches
        self._tenant = tenant

    async def find_pages(self, query: str, *, count: int) -> Sequence[SearchHit]:
        ask = SearchRequest(query=query[:MAX_QUERY_CHARS], count=count)
        with without_library():
            answer = await self._searches.search_cached(
                ask, trace=RoutingTrace(), tenant=self._tenant
            )
        return [
            SearchHit(
                title=one.title,
                url=one.url,
                snippet=one.snippet,
                published=_parse_hit_date(one.published_at),
                engine=one.engine,
            )
            for one in answer.results
        ]


class PaperFinder:
    """Searches one broad index of papers; indexes with slow rate limits are not asked."""

    name = "literature search"

    def __init__(self, literature: LiteratureSearch) -> None:
        self._literature = literature

    async def find_pages(self, query: str, *, count: int) -> Sequence[SearchHit]:
        ask = PaperAsk(
            query=query[:MAX_QUERY_CHARS],
            count=min(count, MAX_PAPER_RESULTS),
            provider=_PAPER_PROVIDER,
        )
        with without_library():
            answer = await self._literature.search_literature(ask, trace=RoutingTrace())
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
