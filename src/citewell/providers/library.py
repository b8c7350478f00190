"""The user's own indexed documents, searched like any other provider; nothing leaves the machine."""

from __future__ import annotations

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


class Provider:
    def __init__(self, kit: Kit) -> None:
        self._index = kit.library

    async def web(self, query: Query) -> Found:
        return await self._index.search(query) if self._index else Found()
