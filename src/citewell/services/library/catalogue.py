"""What is in the library: listed, found, read whole, removed."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from citewell.errors import NotFound
from citewell.services.library import documents, names
from citewell.services.library.asking import PREFIX
from citewell.store.library import Filters, LibraryStore, Match
from citewell.store.library_rows import Card, Document
from citewell.text import urls

_PAGE = 200
_SHORTEST = 6  # characters of an id that begin it unmistakably enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Which documents are meant: those that fit everything given."""

    names: tuple[str, ...] = ()  # ids or their beginnings, paths, directories, addresses
    tag: str | None = None
    site: str | None = None
    kind: str | None = None
    missing: bool = False  # files that are no longer there

    def fits(self, card: Card) -> bool:
        return (
            (not self.names or any(_is(card, name) for name in self.names))
            and (self.tag is None or self.tag.lower() in card.tags)
            and (self.kind is None or self.kind.lower() == card.kind)
            and (self.site is None or urls.within(card.site, self.site.lower()))
            and (not self.missing or _gone(card))
        )

    @property
    def everything(self) -> bool:
        return self == Chosen()


class Library:
    """The documents of one owner."""

    def __init__(self, store: LibraryStore, owner: str) -> None:
        self._store = store
        self._owner = owner

    async def cards(self, chosen: Chosen | None = None) -> AsyncIterator[Card]:
        """The oldest first."""
        fits: Callable[[Card], bool] = chosen.fits if chosen else lambda _: True
        last: Card | None = None
        while found := await self._store.cards(self._owner, limit=_PAGE, after=last):
            for card in found:
                if fits(card):
                    yield card
            last = found[-1]

    async def documents(self, chosen: Chosen | None = None) -> AsyncIterator[Document]:
        """The same with their text; what is removed meanwhile is left out."""
        async for card in self.cards(chosen):
            try:
                yield await self._store.get(self._owner, card.id)
            except NotFound:
                continue

    async def search(
        self, query: str, *, filters: Filters | None = None, limit: int = 10
    ) -> tuple[Match, ...]:
        return await self._store.search(self._owner, query, filters=filters, limit=limit)

    async def get(self, document_id: str) -> Document:
        """Raises NotFound for what is not there or not theirs."""
        if not names.is_id(document_id):
            raise NotFound("No document of the library has this id.")
        return await self._store.get(self._owner, document_id)

    async def count(self) -> int:
        return await self._store.count(self._owner)

    async def remove(self, ids: Iterable[str]) -> int:
        return await self._store.remove(self._owner, ids)

    async def clear(self) -> int:
        return await self._store.clear(self._owner)


def _is(card: Card, name: str) -> bool:
    """Whether a document goes by this id, path or address, or lies in this directory."""
    if name.startswith(PREFIX):
        return len(name) >= len(PREFIX) + _SHORTEST and card.id.startswith(name)
    if card.url:
        return urls.key(card.url) == urls.key(name) or card.id == names.of_address(name)
    path = documents.place(card)
    asked = os.path.realpath(Path(name).expanduser())
    return path == asked or path.startswith(asked.rstrip(os.sep) + os.sep)


def _gone(card: Card) -> bool:
    path = card.extra.get("path")
    return path is not None and not os.path.lexists(path)
