"""The user's own indexed documents, offered as a provider; no request leaves the machine."""

from __future__ import annotations

from citewell.core.errors import FailureReason, Misconfigured
from citewell.core.values.search_queries import SearchFilter, SearchHits, SearchQuery
from citewell.routing.ports import KitProvider, Offer, ProviderSpec

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


class Provider(KitProvider):
    async def search_web(self, query: SearchQuery) -> SearchHits:
        index = self._kit.library
        found = await index.search_documents(query) if index else SearchHits()
        if not found.hits and (index is None or await index.is_empty()):
            raise Misconfigured(
                f"Your library holds no documents yet. Add some with `{_ADD_COMMAND}`.",
                provider=SPEC.name,
                action="inform_user",
                extra={"reason": FailureReason.NOT_CONFIGURED.value},
                reason=FailureReason.NOT_CONFIGURED,
                remedy=_ADD_COMMAND,
            )
        return found
