"""The library as the search service, the connector and the reader of pages see it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from citewell.errors import NotFound
from citewell.model.page import Page
from citewell.model.search import Found, Hit, Query
from citewell.services.library import documents
from citewell.services.library.asking import ENGINE, answering
from citewell.services.library.catalogue import Library
from citewell.store.library import Filters, LibraryStore, Match
from citewell.text import tokens

SPANS = {
    "hour": 3600.0,
    "day": 86_400.0,
    "week": 7 * 86_400.0,
    "month": 31 * 86_400.0,
    "year": 366 * 86_400.0,
}


class Index:
    """Answers whoever is asking from their own documents; nobody asking gets nothing."""

    def __init__(
        self,
        store: LibraryStore,
        *,
        owner: Callable[[], str | None] = answering,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._owner = owner
        self._clock = clock

    def library(self) -> Library | None:
        owner = self._owner()
        return Library(self._store, owner) if owner is not None else None

    async def search(self, query: Query) -> Found:
        """As a provider answers; a query with several sites comes here once for each."""
        library = self.library()
        if library is None:
            return Found()
        phrase = f' "{query.exact_terms}"' if query.exact_terms else ""
        matches = await library.search(
            f"{query.text}{phrase}", filters=self._filters(query), limit=query.count
        )
        best = max((match.score for match in matches), default=0.0) or 1.0
        return Found(hits=tuple(_hit(match, best) for match in matches), engines=(ENGINE,))

    async def empty(self) -> bool:
        """Whether whoever asks has no documents at all; nobody may know that of a shared answer."""
        library = self.library()
        return library is not None and await library.count() == 0

    async def page(self, document_id: str) -> Page:
        """A document as the reader of pages gives it; NotFound when it is not the asker's."""
        library = self.library()
        if library is None:
            raise NotFound("No document of the library has this id.")
        document = await library.get(document_id)
        card, extra = document.card, document.card.extra
        return Page(
            url=document_id,
            final_url=documents.citation(card),
            content=document.text,
            content_type=card.kind,
            title=card.title,
            extracted_by=ENGINE,
            language=card.language,
            author=extra.get("author"),
            site=extra.get("publisher"),
            published=extra.get("date"),
            published_basis="document" if extra.get("date") else None,
            word_count=sum(1 for _ in tokens.words(document.text)),
            fetched_at=datetime.fromtimestamp(card.added, UTC),
            page_count=int(extra["pages"]) if "pages" in extra else None,
        )

    def _filters(self, query: Query) -> Filters:
        span = SPANS.get(query.time_range or "")
        return Filters(
            site=query.sites[0] if query.sites else None,
            language=query.language,
            after=self._clock() - span if span else None,
        )


def _hit(match: Match, best: float) -> Hit:
    card = match.card
    published = card.published
    return Hit(
        title=card.title,
        url=documents.citation(card),
        snippet=" ".join(match.snippet.split()),
        published=datetime.fromtimestamp(published, UTC) if published is not None else None,
        published_basis="document" if published is not None else None,
        score=max(0.0, min(1.0, match.score / best)),
        engine=ENGINE,
    )
