"""Serper: Google's results, news and images through an API; needs a key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

from citewell.core.values import search_queries
from citewell.core.values.search_queries import build_operator_query
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects.result_paging import ResultPage, gather_pages, note_result_limit
from citewell.routing.ports import KitProvider, Offer, ProviderSpec, require_key
from citewell.text.calendar_dates import parse_provider_date
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="serper",
    title="Serper",
    homepage="https://serper.dev",
    base_url="https://google.serper.dev",
    offers=frozenset({Offer.WEB, Offer.NEWS, Offer.IMAGES}),
    options=(require_key("SERPER_API_KEY", "Key of serper.dev.", "X-API-KEY"),),
    filters=frozenset(
        {
            search_queries.SearchFilter.SITES,
            search_queries.SearchFilter.TIME_RANGE,
            search_queries.SearchFilter.LANGUAGE,
            search_queries.SearchFilter.COUNTRY,
            search_queries.SearchFilter.EXACT_TERMS,
            search_queries.SearchFilter.EXCLUDE_TERMS,
        }
    ),
    image_filters={
        search_queries.ImageFilter.COUNTRY: frozenset(),
        search_queries.ImageFilter.LANGUAGE: frozenset(),
        search_queries.ImageFilter.SITES: frozenset(),
    },
    max_results=50,
    max_images=50,
    max_query_chars=2048,
    per_second=5.0,
    burst=5,
    rank=12,
)

_RESULTS_PER_PAGE = 10  # a larger page costs a second credit
_TIME_RANGE_CODES = {
    "hour": "qdr:h",
    "day": "qdr:d",
    "week": "qdr:w",
    "month": "qdr:m",
    "year": "qdr:y",
}

SerperBody = dict[str, str | int]


class _SerperResult(wire.ResponsePart):
    link: wire.HttpLink
    title: wire.OptionalField[str] = None
    snippet: wire.OptionalField[str] = None
    source: wire.OptionalField[str] = None
    date: wire.OptionalField[str] = None


class _SerperWebResponse(wire.JsonResponse):
    searchParameters: wire.OptionalField[dict[str, object]] = None  # noqa: N815 - the upstream's word
    organic: wire.TolerantItems[_SerperResult] = ()


class _SerperNewsResponse(wire.JsonResponse):
    searchParameters: wire.OptionalField[dict[str, object]] = None  # noqa: N815 - the upstream's word
    news: wire.TolerantItems[_SerperResult] = ()


class _SerperImage(wire.ResponsePart):
    imageUrl: wire.HttpLink  # noqa: N815 - the upstream's word
    thumbnailUrl: wire.OptionalField[wire.HttpLink] = None  # noqa: N815 - the upstream's word
    title: wire.OptionalField[str] = None
    link: wire.OptionalField[wire.HttpLink] = None
    imageWidth: wire.OptionalField[int] = None  # noqa: N815 - the upstream's word
    imageHeight: wire.OptionalField[int] = None  # noqa: N815 - the upstream's word


class _SerperImageResponse(wire.JsonResponse):
    searchParameters: wire.OptionalField[dict[str, object]] = None  # noqa: N815 - the upstream's word
    images: wire.TolerantItems[_SerperImage] = ()


class Provider(KitProvider):
    async def search_web(self, query: search_queries.SearchQuery) -> search_queries.SearchHits:
        async def page(body: SerperBody) -> tuple[_SerperResult, ...]:
            return (await self._fetch_serper_response(_SerperWebResponse, "/search", body)).organic

        return await self._gather_serper_hits(query, page)

    async def search_news(self, query: search_queries.SearchQuery) -> search_queries.SearchHits:
        async def page(body: SerperBody) -> tuple[_SerperResult, ...]:
            return (await self._fetch_serper_response(_SerperNewsResponse, "/news", body)).news

        return await self._gather_serper_hits(query, page)

    async def search_images(
        self, query: search_queries.ImageQuery
    ) -> tuple[search_queries.FoundImage, ...]:
        count = min(query.count, SPEC.max_images)
        asked = _build_serper_image_body(query)

        async def page(number: int) -> ResultPage[search_queries.FoundImage]:
            body = asked | ({"page": number + 1} if number else {})
            answer = await self._fetch_serper_response(_SerperImageResponse, "/images", body)
            return ResultPage(items=tuple(map(_parse_serper_image, answer.images)), has_more=True)

        found = await gather_pages(page, count=count, max_pages=-(-count // _RESULTS_PER_PAGE))
        return found.items

    async def _gather_serper_hits(
        self,
        query: search_queries.SearchQuery,
        fetch: Callable[[SerperBody], Awaitable[tuple[_SerperResult, ...]]],
    ) -> search_queries.SearchHits:
        count = min(query.count, SPEC.max_results)
        asked = _build_serper_body(query) | {"num": min(count, _RESULTS_PER_PAGE)}
        now = self._read_now()

        async def page(number: int) -> ResultPage[search_queries.SearchHit]:
            results = await fetch(asked | ({"page": number + 1} if number else {}))
            return ResultPage(
                items=tuple(_parse_serper_result(result, now=now) for result in results),
                has_more=True,
            )

        found = await gather_pages(page, count=count, max_pages=-(-count // _RESULTS_PER_PAGE))
        return search_queries.SearchHits(
            hits=found.items,
            notes=(
                *note_result_limit(query, SPEC.max_results, "Serper is asked for at most"),
                *found.notes,
            ),
        )

    async def _fetch_serper_response(
        self, model: type[wire.A], path: str, body: SerperBody
    ) -> wire.A:
        response = await self._upstream.send_post(path, json=body)
        return wire.read_json_response(model, response)


def _build_serper_body(query: search_queries.SearchQuery) -> SerperBody:
    body: SerperBody = {"q": build_operator_query(query, max_chars=SPEC.max_query_chars)}
    if query.country:
        body["gl"] = query.country.lower()
    if query.language:
        body["hl"] = query.language.lower()
    if query.time_range:
        body["tbs"] = _TIME_RANGE_CODES[query.time_range]
    return body


def _build_serper_image_body(query: search_queries.ImageQuery) -> SerperBody:
    body: SerperBody = {
        "q": build_operator_query(
            search_queries.SearchQuery(text=query.text, sites=query.sites),
            max_chars=SPEC.max_query_chars,
        ),
        "num": min(query.count, _RESULTS_PER_PAGE),
    }
    if query.country:
        body["gl"] = query.country.lower()
    if query.language:
        body["hl"] = query.language.lower()
    return body


def _parse_serper_result(result: _SerperResult, *, now: datetime) -> search_queries.SearchHit:
    published = parse_provider_date(result.date, now=now)
    return search_queries.SearchHit(
        title=clean_markup(result.title) or result.link,
        url=result.link,
        snippet=clean_markup(result.snippet),
        published=published,
        published_basis="provider" if published else None,
        engine=SPEC.name,
        source=clean_markup(result.source) or None,
    )


def _parse_serper_image(image: _SerperImage) -> search_queries.FoundImage:
    return search_queries.FoundImage(
        title=clean_markup(image.title) or image.imageUrl,
        link=image.imageUrl,
        context=image.link,
        thumbnail=image.thumbnailUrl,
        width=image.imageWidth,
        height=image.imageHeight,
    )
