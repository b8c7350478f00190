"""One owner's library: list, search, read and remove documents."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from citewell.errors import NotFound
from citewell.model.page import LIBRARY_ID_PREFIX
from citewell.services.library import document_ids, library_documents
from citewell.services.library.meaning_ranking import (
    MAX_RANKED_MATCHES,
    SimilarityScorer,
    rerank_matches,
)
from citewell.store.library.library_rows import DocumentCard, LibraryDocument
from citewell.store.library.library_store import (
    LibraryFilters,
    LibraryMatch,
    LibraryStore,
)
from citewell.text.web import addresses

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
        self, store: LibraryStore, owner: str, *, scorer: SimilarityScorer | None = None
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
        if not document_ids.is_document_id(document_id):
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
        ) or card.id == document_ids.build_address_id(name)
    path = library_documents.find_document_location(card)
    asked = os.path.realpath(Path(name).expanduser())
    return path == asked or path.startswith(asked.rstrip(os.sep) + os.sep)


def _is_file_missing(card: DocumentCard) -> bool:
    path = card.extra.get("path")
    return path is not None and not os.path.lexists(path)
