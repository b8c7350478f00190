"""The `search` and `fetch` tools of a document connector, over the user's library and the web."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Self

from citewell.core.errors import CitewellError, InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import ProgressCallback
from citewell.core.values.page import Page
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import SearchHit
from citewell.core.values.wire_values import UNTRUSTED_LABEL, WireValue
from citewell.domains.record_finders import RecordFinder, build_record_finders
from citewell.library import library_documents
from citewell.library.library_access import OwnerLibraryIndex
from citewell.library.library_documents import choose_citation_address
from citewell.library.library_store import LibraryMatch
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.search import ranked_results
from citewell.search.search_cache import CachedWebSearch
from citewell.search.search_service import SearchRequest
from citewell.store.cache.answer_sharing import without_library
from citewell.text import addresses

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
        read: CachedPageReader,
        library: OwnerLibraryIndex | None = None,
        finders: Sequence[RecordFinder] = (),
    ) -> None:
        """`finders` put a question to the registries of its domain."""
        self._finders = tuple(finders)
        self._searches = searches
        self._read = read
        self._library = library

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            searches=kit.require_service(CachedWebSearch),
            read=kit.require_service(CachedPageReader),
            library=kit.require_service(OwnerLibraryIndex),
            finders=build_record_finders(kit.require_service),
        )

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
        ranked = ranked_results.fuse_rankings([mine, *records, web])[:MAX_LISTED_DOCUMENTS]
        return DocumentListing(
            results=tuple(
                ListedDocument(
                    id=ids.get(addresses.build_page_key(hit.url), hit.url),
                    title=hit.title or hit.url,
                    url=hit.url,
                )
                for hit in (row.hit for row in ranked)
            )
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
        for match in found:
            if isinstance(match, BaseException) and not isinstance(match, CitewellError):
                raise match
        return [item for item in found if not isinstance(item, BaseException)]

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
        if not library_documents.is_document_id(address) and not address.lower().startswith(
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
