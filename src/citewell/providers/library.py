"""The user's own indexed documents, offered as a provider; no request leaves the machine."""

from __future__ import annotations

from citewell.errors import FailureReason, Misconfigured
from citewell.model.search_queries import SearchFilter, SearchHits, SearchQuery
from citewell.ports import Offer, ProviderKit, ProviderSpec

SPEC = ProviderSpec(
    name="library",
    title="Your library",
    homepage="",
    base_url="",  # no network requests
    offers=frozenset({Offer.WEB}),
    filters=frozenset(
        {
            SearchFilter.SITES,
            SearchFilter.TIME_RANGE,
            SearchFilter.LANGUAGE,
            SearchFilter.EXACT_TERMS,
        }
    ),
    max_results=50,
    max_sites=1,
    rank=90,
    covers_whole_web=False,
    test_evidence="our own index, on SQLite and PostgreSQL",
)

_ADD_COMMAND = "citewell library add PATH"


class Provider:
    def __init__(self, kit: ProviderKit) -> None:
        self._index = kit.library

    async def search_web(self, query: SearchQuery) -> SearchHits:
        found = await self._index.search_documents(query) if self._index else SearchHits()
        if not found.hits and await self._is_library_empty():
            raise Misconfigured(
                f"Your library holds no documents yet. Add some with `{_ADD_COMMAND}`.",
                provider=SPEC.name,
                action="inform_user",
                extra={"reason": FailureReason.NOT_CONFIGURED.value},
                reason=FailureReason.NOT_CONFIGURED,
                remedy=_ADD_COMMAND,
            )
        return found

    async def _is_library_empty(self) -> bool:
        return self._index is None or await self._index.is_empty()
