"""A whole provider: what `src/citewell/providers/sample.py` would hold for an imaginary Sample Search."""

from __future__ import annotations

from citewell.model.search import Filter, Found, Hit, Query
from citewell.net.answer import Answer, Items, Link, Maybe, Part, read
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text.markup import clean

SPEC = Spec(
    name="sample",
    title="Sample Search",
    home="https://search.example.com/api",
    base_url="https://api.search.example.com/v1",
    offers=frozenset({Offer.WEB}),
    options=(
        Option(env="SAMPLE_API_KEY", help="Key of Sample Search.", secret=True, required=True),
        Option(env="SAMPLE_REGION", help="The index to ask: eu or us.", default="eu"),
    ),
    filters=frozenset({Filter.LANGUAGE}),
    max_results=20,
    per_second=1.0,
    rank=60,
    terms="Name Sample Search beside its results.",
    evidence="its documentation's own example",
)


class _Item(Part):
    url: Link
    title: Maybe[str] = None
    abstract: Maybe[str] = None


class _Answer(Answer):
    items: Items[_Item]
    total: Maybe[int] = None


class Provider:
    def __init__(self, kit: Kit) -> None:
        self._upstream = kit.upstream
        self._key = kit.option("SAMPLE_API_KEY") or ""
        self._region = kit.option("SAMPLE_REGION") or ""

    async def web(self, query: Query) -> Found:
        response = await self._upstream.get(
            "/search",
            params=_params(query, region=self._region),
            secret_headers={"X-Api-Key": self._key},
        )
        answer = read(_Answer, response)
        return Found(hits=tuple(map(_hit, answer.items))[: query.count], total=answer.total)


def _params(query: Query, *, region: str) -> dict[str, str]:
    params = {"q": query.text, "count": str(min(query.count, SPEC.max_results)), "region": region}
    return params | ({"lang": query.language} if query.language else {})


def _hit(item: _Item) -> Hit:
    return Hit(
        title=clean(item.title) or item.url,
        url=item.url,
        snippet=clean(item.abstract),
        engine=SPEC.name,
    )
