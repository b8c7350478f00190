"""The `search` and `fetch` tools of a document connector, over the user's library and the web."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from citewell.errors import CitewellError, InvalidInput
from citewell.model.page import Page
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_queries import SearchHit
from citewell.model.wire_values import UNTRUSTED_LABEL, WireValue
from citewell.services.domains.records.record_finders import RecordFinder
from citewell.services.library import document_ids
from citewell.services.library.library_documents import choose_citation_address
from citewell.services.library.library_search import OwnerLibraryIndex
from citewell.services.reading.cached_pages import PageReaderPort
from citewell.services.web import rank_fusion
from citewell.services.web.search_cache import CachedWebSearch
from citewell.services.web.search_service import SearchRequest
from citewell.store.cache.answer_sharing import without_library
from citewell.store.library.library_store import LibraryMatch
from citewell.text.web import addresses
from citewell.tooling import ProgressCallback

logger = logging.getLogger(__name__)

MAX_DOCUMENT_CHARS = 1_000_000  # a longer document is cut and flagged as truncated
MAX_LISTED_DOCUMENTS = 10


class ListedDocument(WireValue):
    id: str
    title: str
    url: str


class DocumentListing(WireValue):
    results: tuple[ListedDocument, ...]


class ConnectorDocument(WireValue):
    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, Any] | None = None


class DocumentConnector:
    """Searches the library and the web, and fetches single documents.

    The id of a web document is its address. A library document has its library id, and is cited
    by its address if it has one.
    """

    def __init__(
        self,
        *,
        searches: CachedWebSearch,
        read: PageReaderPort,
        library: OwnerLibraryIndex | None = None,
        finders: Sequence[RecordFinder] = (),
    ) -> None:
        """`finders` put a question to the registries of its domain."""
        self._finders = tuple(finders)
        self._searches = searches
        self._read = read
        self._library = library

    async def search_everywhere(
        self, query: str, *, trace: RoutingTrace, tenant: str | None = None
    ) -> DocumentListing:
        """Library and web results merged by reciprocal rank; on a tie the library comes first.

        Raises the web search's error only if the library found nothing.
        """
        own = await self._search_own_library(query)
        try:
            web = await self._search_web_documents(query, trace, tenant)
        except CitewellError:
            if not own:
                raise
            web = ()  # the library's results are enough for an answer
        ids = {
            addresses.build_page_key(choose_citation_address(match.card)): match.card.id
            for match in own
        }
        mine = [
            SearchHit(title=match.card.title, url=choose_citation_address(match.card))
            for match in own
        ]
        records = await self._search_registries(query)
        ranked = rank_fusion.fuse_rankings([mine, *records, web])[:MAX_LISTED_DOCUMENTS]
        return DocumentListing(
            results=tuple(_build_listed_document(one.hit, ids) for one in ranked)
        )

    async def _search_own_library(self, query: str) -> tuple[LibraryMatch, ...]:
        """Library matches; none if the library cannot be searched, so that the web still answers."""
        library = self._library.open_library() if self._library is not None else None
        if library is None:
            return ()
        try:
            return await library.search_own_documents(query, limit=MAX_LISTED_DOCUMENTS)
        except CitewellError as error:
            logger.warning("the library could not be searched: %s", error.message)
            return ()

    async def _search_registries(self, query: str) -> list[Sequence[SearchHit]]:
        """The records of each registry; one that fails is left out, so that the web still answers."""
        found = await asyncio.gather(
            *(finder.find_pages(query, count=MAX_LISTED_DOCUMENTS) for finder in self._finders),
            return_exceptions=True,
        )
        for one in found:
            if isinstance(one, BaseException) and not isinstance(one, CitewellError):
                raise one
        return [one for one in found if not isinstance(one, BaseException)]

    async def _search_web_documents(
        self, query: str, trace: RoutingTrace, tenant: str | None
    ) -> Sequence[SearchHit]:
        with without_library():
            answer = await self._searches.search_cached(
                SearchRequest(query=query, count=MAX_LISTED_DOCUMENTS), trace=trace, tenant=tenant
            )
        return [SearchHit(title=hit.title, url=hit.url) for hit in answer.results]

    async def fetch_document(
        self,
        document_id: str,
        *,
        progress: ProgressCallback | None = None,
    ) -> ConnectorDocument:
        address = document_id.strip()
        if not document_ids.is_document_id(address) and not address.lower().startswith(
            ("http://", "https://")
        ):
            raise InvalidInput("fetch takes an id that search returned, or an http(s) address.")
        if progress is not None:
            await progress(0, 1, "reading the page")
        page = await self._read.read_page(address, max_length=MAX_DOCUMENT_CHARS)
        return ConnectorDocument(
            id=document_id,
            title=page.title or page.final_url,
            text=page.content,
            url=page.final_url,
            metadata=_collect_document_metadata(page),
        )


def _build_listed_document(hit: SearchHit, ids: dict[str, str]) -> ListedDocument:
    name = ids.get(addresses.build_page_key(hit.url), hit.url)
    return ListedDocument(id=name, title=hit.title or hit.url, url=hit.url)


def _collect_document_metadata(page: Page) -> dict[str, Any]:
    facts = {
        "trust": UNTRUSTED_LABEL,
        "contentType": page.content_type,
        "language": page.language,
        "author": page.author,
        "site": page.site,
        "publishedAt": page.published,
        "truncated": page.truncated or None,
    }
    return {name: value for name, value in facts.items() if value is not None}
