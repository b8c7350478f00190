"""The library as other services use it: searched, read, and filled with the pages that are read."""

from __future__ import annotations

import logging
import os
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from citewell.core.errors import CitewellError, NotFound
from citewell.core.service_kit import ServiceKit
from citewell.core.values.page import Page
from citewell.core.values.search_queries import (
    LIBRARY_ID_PREFIX,
    LIBRARY_PROVIDER,
    SearchHit,
    SearchHits,
    SearchQuery,
)
from citewell.evidence.encoding.passage_similarity import PassageSimilarity
from citewell.library import library_documents
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.library.library_store import LibraryFilters, LibraryMatch, SqlLibraryStore
from citewell.store.cache.answer_sharing import find_current_owner, find_library_owner
from citewell.text import addresses
from citewell.text.language import word_forms

logger = logging.getLogger(__name__)

READ_PAGE_TAG = "read"  # pages stored this way can be listed and removed by this tag
_MAX_REMEMBERED_PAGES = 2000  # pages remembered as already stored

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
        store: SqlLibraryStore,
        *,
        owner: Callable[[], str | None] = find_library_owner,
        clock: Callable[[], float] = time.time,
        scorer: PassageSimilarity | None = None,
    ) -> None:
        self._store = store
        self._scorer = scorer
        self._owner = owner
        self._clock = clock

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.open_state().library, scorer=kit.require_service(PassageSimilarity))

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
            word_count=sum(1 for _ in word_forms.split_words(document.text)),
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


# Stores every page that the server reads in the library of the owner who asked for it.


class ReadPageKeeper:
    """Called with every page read; errors are logged and never raised."""

    def __init__(
        self,
        store: SqlLibraryStore,
        *,
        owner: Callable[[], str | None] = find_current_owner,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._owner = owner
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], int] = OrderedDict()

    async def __call__(self, page: Page) -> None:
        owner = self._owner()
        if owner is None or not page.content or page.quality != "complete":
            return
        case, mark = (owner, library_documents.build_address_id(page.url)), hash(page.content)
        if self._kept.get(case) == mark:
            return
        try:
            await self._store_read_page(owner, page)
        except CitewellError as error:
            logger.warning("a page could not be stored in the library: %s", error.message)
            return
        self._kept[case] = mark
        if len(self._kept) > _MAX_REMEMBERED_PAGES:
            self._kept.popitem(last=False)

    async def _store_read_page(self, owner: str, page: Page) -> None:
        """Store the page if its text is new; tags that the owner gave it earlier stay."""
        document = library_documents.build_page_document(page, (READ_PAGE_TAG,), seen=self._clock())
        try:
            before = await self._store.load_document(owner, document.card.id)
        except NotFound:
            await self._store.store_documents(owner, [document])
            return
        if before.text != document.text:
            await self._store.store_documents(
                owner,
                [library_documents.build_page_document(page, before.card.tags, seen=self._clock())],
            )


# One owner's library: list, search, read and remove documents.

MAX_RANKED_MATCHES = 20  # the first by words; each costs two short texts
# Of the score; on 181 questions over 400 pages a third or two thirds was no better.
_WORD_SHARE = 0.5

_CARDS_PER_PAGE = 200
_MIN_ID_CHARS = 6  # characters of an id that are enough to identify it


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSelection:
    """Selects the documents that meet all conditions given."""

    names: tuple[str, ...] = ()  # ids or their first characters, paths, directories, addresses
    tag: str | None = None
    site: str | None = None
    kind: str | None = None
    missing_files_only: bool = False  # only documents whose file no longer exists

    def covers_card(self, card: DocumentCard) -> bool:
        return (
            (not self.names or any(_has_document_name(card, name) for name in self.names))
            and (self.tag is None or self.tag.lower() in card.tags)
            and (self.kind is None or self.kind.lower() == card.kind)
            and (self.site is None or addresses.is_within_domain(card.site, self.site.lower()))
            and (not self.missing_files_only or _is_file_missing(card))
        )

    @property
    def is_unrestricted(self) -> bool:
        return self == DocumentSelection()


class OwnerLibrary:
    """The documents of one owner."""

    def __init__(
        self, store: SqlLibraryStore, owner: str, *, scorer: PassageSimilarity | None = None
    ) -> None:
        """`scorer` ranks what is found by meaning as well; without it words alone do."""
        self._store = store
        self._owner = owner
        self._scorer = scorer

    async def iterate_cards(
        self, chosen: DocumentSelection | None = None
    ) -> AsyncIterator[DocumentCard]:
        """The selected documents without their text, the oldest first."""
        fits: Callable[[DocumentCard], bool] = chosen.covers_card if chosen else lambda _: True
        last: DocumentCard | None = None
        while found := await self._store.list_cards(self._owner, limit=_CARDS_PER_PAGE, after=last):
            for card in found:
                if fits(card):
                    yield card
            last = found[-1]

    async def iterate_documents(
        self, chosen: DocumentSelection | None = None
    ) -> AsyncIterator[LibraryDocument]:
        """The selected documents with their text, the oldest first; those removed meanwhile are skipped."""
        async for card in self.iterate_cards(chosen):
            try:
                yield await self._store.load_document(self._owner, card.id)
            except NotFound:
                continue

    async def search_own_documents(
        self, query: str, *, filters: LibraryFilters | None = None, limit: int = 10
    ) -> tuple[LibraryMatch, ...]:
        """The best matches first, ranked by meaning where there is an encoder."""
        scorer = self._scorer
        count = max(limit, MAX_RANKED_MATCHES) if scorer is not None else limit
        found = await self._store.search_library(self._owner, query, filters=filters, limit=count)
        if scorer is not None and len(found) > 1:
            found = await rerank_matches(query, found, scorer)
        return found[:limit]

    async def look_up_document(self, document_id: str) -> LibraryDocument:
        """Raises NotFound if the owner has no document with this id."""
        if not library_documents.is_document_id(document_id):
            raise NotFound("No document of the library has this id.")
        return await self._store.load_document(self._owner, document_id)

    async def count_documents(self) -> int:
        return await self._store.count_stored_documents(self._owner)

    async def remove_documents(self, ids: Iterable[str]) -> int:
        return await self._store.delete_documents(self._owner, ids)

    async def clear_documents(self) -> int:
        return await self._store.clear_library(self._owner)


def _has_document_name(card: DocumentCard, name: str) -> bool:
    """Whether the document has this id, path or address, or is in this directory."""
    if name.startswith(LIBRARY_ID_PREFIX):
        return len(name) >= len(LIBRARY_ID_PREFIX) + _MIN_ID_CHARS and card.id.startswith(name)
    if card.url:
        return addresses.build_page_key(card.url) == addresses.build_page_key(
            name
        ) or card.id == library_documents.build_address_id(name)
    path = library_documents.find_document_location(card)
    asked = os.path.realpath(Path(name).expanduser())
    return path == asked or path.startswith(asked.rstrip(os.sep) + os.sep)


def _is_file_missing(card: DocumentCard) -> bool:
    path = card.extra.get("path")
    return path is not None and not os.path.lexists(path)


# Orders the matches of a library search by meaning as well as by words, where there is an encoder.


async def rerank_matches(
    query: str, matches: Sequence[LibraryMatch], scorer: PassageSimilarity
) -> tuple[LibraryMatch, ...]:
    """The matches with new scores, best first; unchanged if no encoder can be used.

    A document is as near as its snippet or its opening, whichever is nearer.
    """
    near = matches[:MAX_RANKED_MATCHES]
    snippets = [_join_title(match, match.snippet) for match in near]
    openings = [_join_title(match, match.opening) for match in near]
    scores = await scorer.score_passages(
        query.replace('"', " "), [*snippets, *openings], is_private=True
    )
    best = max((match.score for match in matches), default=0.0)
    if not scores.closeness or best <= 0.0:
        return tuple(matches)
    pairs = zip(scores.closeness[: len(near)], scores.closeness[len(near) :], strict=True)
    nearness = [max(pair) for pair in pairs] + [0.0] * (len(matches) - len(near))
    ranked = (
        replace(match, score=_WORD_SHARE * match.score + (1 - _WORD_SHARE) * best * share)
        for match, share in zip(matches, nearness, strict=True)
    )
    return tuple(sorted(ranked, key=lambda match: -match.score))


def _join_title(match: LibraryMatch, text: str) -> str:
    return f"{match.card.title}. {' '.join(text.split())}"
