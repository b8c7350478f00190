"""The library as seen by the search service, the connector and the page reader."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from citewell.errors import NotFound
from citewell.model.page import Page
from citewell.model.search_queries import SearchHit, SearchHits, SearchQuery
from citewell.ports import LIBRARY_PROVIDER
from citewell.services.library import library_documents
from citewell.services.library.meaning_ranking import SimilarityScorer
from citewell.services.library.owner_library import OwnerLibrary
from citewell.store.cache.answer_sharing import find_library_owner
from citewell.store.library.library_store import (
    LibraryFilters,
    LibraryMatch,
    LibraryStore,
)
from citewell.text.language import tokens

TIME_RANGE_SECONDS = {
    "hour": 3600.0,
    "day": 86_400.0,
    "week": 7 * 86_400.0,
    "month": 31 * 86_400.0,
    "year": 366 * 86_400.0,
}


class OwnerLibraryIndex:
    """Searches and reads the documents of the owner of the running call; without an owner, none."""

    def __init__(
        self,
        store: LibraryStore,
        *,
        owner: Callable[[], str | None] = find_library_owner,
        clock: Callable[[], float] = time.time,
        scorer: SimilarityScorer | None = None,
    ) -> None:
        self._store = store
        self._scorer = scorer
        self._owner = owner
        self._clock = clock

    def open_library(self, *, by_meaning: bool = True) -> OwnerLibrary | None:
        owner = self._owner()
        scorer = self._scorer if by_meaning else None
        return OwnerLibrary(self._store, owner, scorer=scorer) if owner is not None else None

    async def search_documents(self, query: SearchQuery, *, by_id: bool = False) -> SearchHits:
        """Search hits as a provider returns them; the query has at most one site.

        With `by_id` the address of each hit is the document's id, also for pages of the web; it is
        for research, which reads many hits and ranks their passages by meaning itself.
        """
        library = self.open_library(by_meaning=not by_id)
        if library is None:
            return SearchHits()
        phrase = f' "{query.exact_terms}"' if query.exact_terms else ""
        matches = await library.search_own_documents(
            f"{query.text}{phrase}", filters=self._build_library_filters(query), limit=query.count
        )
        best = max((match.score for match in matches), default=0.0) or 1.0
        return SearchHits(
            hits=tuple(_build_library_hit(match, best, by_id=by_id) for match in matches),
            engines=(LIBRARY_PROVIDER,),
        )

    async def is_empty(self) -> bool:
        """Whether the owner has no documents at all; False if the answer may be shared."""
        library = self.open_library()
        return library is not None and await library.count_documents() == 0

    async def read_library_page(self, document_id: str) -> Page:
        """A library document as a page; raises NotFound if the owner has no such document."""
        library = self.open_library()
        if library is None:
            raise NotFound("No document of the library has this id.")
        document = await library.look_up_document(document_id)
        card, extra = document.card, document.card.extra
        return Page(
            url=document_id,
            final_url=library_documents.choose_citation_address(card),
            content=document.text,
            content_type=card.kind,
            title=card.title,
            extracted_by=LIBRARY_PROVIDER,
            language=card.language,
            author=extra.get("author"),
            site=extra.get("publisher"),
            published=extra.get("date"),
            published_basis="document" if extra.get("date") else None,
            word_count=sum(1 for _ in tokens.split_words(document.text)),
            fetched_at=datetime.fromtimestamp(card.added, UTC),
            page_count=int(extra["pages"]) if "pages" in extra else None,
        )

    async def find_opening_address(self, document_id: str) -> str:
        """The link or path that the owner opens to see a document; for research reports alone."""
        library = self.open_library()
        if library is None:
            return ""
        document = await library.look_up_document(document_id)
        return library_documents.choose_opening_address(document.card)

    def _build_library_filters(self, query: SearchQuery) -> LibraryFilters:
        span = TIME_RANGE_SECONDS.get(query.time_range or "")
        return LibraryFilters(
            site=query.sites[0] if query.sites else None,
            language=query.language,
            published_after=self._clock() - span if span else None,
        )


def _build_library_hit(match: LibraryMatch, best: float, *, by_id: bool) -> SearchHit:
    card = match.card
    published = card.published
    return SearchHit(
        title=card.title,
        url=card.id if by_id else library_documents.choose_citation_address(card),
        snippet=" ".join(match.snippet.split()),
        published=datetime.fromtimestamp(published, UTC) if published is not None else None,
        published_basis="document" if published is not None else None,
        score=max(0.0, min(1.0, match.score / best)),
        engine=LIBRARY_PROVIDER,
    )
