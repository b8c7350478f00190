"""The user's own indexed documents, searched like any other provider; nothing leaves the machine."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from citewell.model.search import Found, Query
from citewell.ports import Kit, Offer, Spec

SPEC = Spec(
    name="library",
    title="Your library",
    home="",
    base_url="",  # nothing is asked over the network
    offers=frozenset({Offer.WEB}),
    max_results=50,
    max_sites=0,
    rank=90,
    general=False,
    evidence="no documents are indexed yet",
)


@runtime_checkable
class LibraryIndex(Protocol):
    """Whatever holds the indexed documents; it answers as a provider does."""

    async def search(self, query: Query) -> Found: ...


class Provider:
    def __init__(self, kit: Kit) -> None:
        index = getattr(kit, "library", None)
        self._index = index if isinstance(index, LibraryIndex) else None

    async def web(self, query: Query) -> Found:
        return await self._index.search(query) if self._index else Found()
