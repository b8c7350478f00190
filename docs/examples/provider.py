"""A whole provider: what `src/citewell/providers/sample.py` would hold for an imaginary Sample Search."""

from __future__ import annotations

from citewell.core.values.search_queries import SearchFilter, SearchHit, SearchHits, SearchQuery
from citewell.net.upstream.json_responses import (
    HttpLink,
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
    read_json_response,
)
from citewell.routing.ports import KitProvider, Offer, ProviderOption, ProviderSpec, require_key
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="sample",
    title="Sample Search",
    homepage="https://search.example.com/api",
    base_url="https://api.search.example.com/v1",
    offers=frozenset({Offer.WEB}),
    options=(
        require_key("SAMPLE_API_KEY", "Key of Sample Search.", "X-Api-Key"),
        ProviderOption(env="SAMPLE_REGION", help="The index to ask: eu or us.", default="eu"),
    ),
    filters=frozenset({SearchFilter.LANGUAGE}),
    max_results=20,
    per_second=1.0,
    rank=60,
    terms="Name Sample Search beside its results.",
    test_evidence="its documentation's own example",
)


class _SampleItem(ResponsePart):
    url: HttpLink
    title: OptionalField[str] = None
    abstract: OptionalField[str] = None


class _SampleResponse(JsonResponse):
    items: TolerantItems[_SampleItem]
    total: OptionalField[int] = None


class Provider(KitProvider):
    async def search_web(self, query: SearchQuery) -> SearchHits:
        response = await self._upstream.send_get(
            "/search",
            params=_build_search_params(query, region=self._kit.find_option("SAMPLE_REGION") or ""),
        )
        answer = read_json_response(_SampleResponse, response)
        return SearchHits(
            hits=tuple(map(_parse_search_hit, answer.items))[: query.count], total=answer.total
        )


def _build_search_params(query: SearchQuery, *, region: str) -> dict[str, str]:
    params = {"q": query.text, "count": str(min(query.count, SPEC.max_results)), "region": region}
    return params | ({"lang": query.language} if query.language else {})


def _parse_search_hit(item: _SampleItem) -> SearchHit:
    return SearchHit(
        title=clean_markup(item.title) or item.url,
        url=item.url,
        snippet=clean_markup(item.abstract),
        engine=SPEC.name,
    )
