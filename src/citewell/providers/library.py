"""The user's own indexed documents, searched like any other provider; nothing leaves the machine."""

from __future__ import annotations

from citewell.errors import Misconfigured
from citewell.model.search import Filter, Found, Query
from citewell.ports import Kit, Offer, Spec

SPEC = Spec(
    name="library",
    title="Your library",
    home="",
    base_url="",  # nothing is asked over the network
    offers=frozenset({Offer.WEB}),
    filters=frozenset({Filter.SITES, Filter.TIME_RANGE, Filter.LANGUAGE, Filter.EXACT_TERMS}),
    max_results=50,
    max_sites=1,
    rank=90,
    general=False,
    evidence="our own index, on SQLite and PostgreSQL",
)


class Provider:
    def __init__(self, kit: Kit) -> None:
        self._index = kit.library

    async def web(self, query: Query) -> Found:
        found = await self._index.search(query) if self._index else Found()
        if not found.hits and await self._empty():
            raise Misconfigured(
                "Your library holds no documents yet. Add some with `citewell library add PATH`.",
                provider=SPEC.name,
                action="inform_user",
                extra={"reason": "not_configured"},
            )
        return found

    async def _empty(self) -> bool:
        return self._index is None or await self._index.empty()
