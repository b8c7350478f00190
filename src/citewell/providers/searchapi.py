"""SearchApi.io: Google's results, news, images and patents through an API; needs a key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

from citewell.core.values.search_queries import (
    FoundImage,
    ImageFilter,
    ImageQuery,
    SearchFilter,
    SearchHit,
    SearchHits,
    SearchQuery,
    build_operator_query,
)
from citewell.domains.patents.patent_records import PatentHits, PatentQuery
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects import google_patent_results
from citewell.providers.dialects.result_paging import ResultPage, gather_pages, note_result_limit
from citewell.routing.ports import KitProvider, Offer, ProviderSpec, require_key
from citewell.text.calendar_dates import parse_provider_date
from citewell.text.safety.text_cleaning import clean_markup

_IMAGE_SIZE_CODES = {"large": "l", "medium": "m", "icon": "i"}
_IMAGE_COLOR_CODES = {"color": "color", "gray": "gray", "mono": "gray", "trans": "trans"}

SPEC = ProviderSpec(
    name="searchapi",
    title="SearchApi.io",
    homepage="https://www.searchapi.io",
    base_url="https://www.searchapi.io/api/v1/search",
    offers=frozenset({Offer.WEB, Offer.NEWS, Offer.IMAGES, Offer.PATENTS}),
    options=(require_key("SEARCHAPI_API_KEY", "Key of searchapi.io.", "Authorization: Bearer {}"),),
    filters=frozenset(
        {
            SearchFilter.SITES,
            SearchFilter.TIME_RANGE,
            SearchFilter.SAFE,
            SearchFilter.LANGUAGE,
            SearchFilter.COUNTRY,
            SearchFilter.EXACT_TERMS,
            SearchFilter.EXCLUDE_TERMS,
            SearchFilter.SORT,
        }
    ),
    applied_arguments={Offer.PATENTS: google_patent_results.GOOGLE_PATENT_FILTERS},
    image_filters={
        ImageFilter.SIZE: frozenset(_IMAGE_SIZE_CODES),
        ImageFilter.TYPE: frozenset({"clipart", "face", "lineart", "photo", "animated"}),
        ImageFilter.COLOR_TYPE: frozenset(),
        ImageFilter.DOMINANT_COLOR: frozenset(),
        ImageFilter.FILE_TYPE: frozenset(),
        ImageFilter.SAFE: frozenset(),
        ImageFilter.COUNTRY: frozenset(),
        ImageFilter.LANGUAGE: frozenset(),
        ImageFilter.SITES: frozenset(),
    },
    max_results=50,
    max_images=100,
    max_query_chars=2048,
    per_second=2.0,
    burst=2,
    rank=14,
    terms="May return fewer results than asked for.",
)

_RESULTS_PER_PAGE = 10
_TIME_PERIOD_CODES = {
    "hour": "last_hour",
    "day": "last_day",
    "week": "last_week",
    "month": "last_month",
    "year": "last_year",
}


class _SearchApiResult(wire.ResponsePart):
    link: wire.HttpLink
    title: wire.OptionalField[str] = None
    snippet: wire.OptionalField[str] = None
    source: wire.OptionalField[str] = None
    date: wire.OptionalField[str] = None
    iso_date: wire.OptionalField[str] = None


class _SearchApiWebResponse(wire.JsonResponse):
    search_metadata: wire.OptionalField[dict[str, object]] = None
    organic_results: wire.TolerantItems[_SearchApiResult] = ()  # absent when nothing was found


class _SearchApiNewsResponse(wire.JsonResponse):
    search_metadata: wire.OptionalField[dict[str, object]] = None
    news_results: wire.TolerantItems[_SearchApiResult] = ()
    organic_results: wire.TolerantItems[
        _SearchApiResult
    ] = ()  # used by the google_news engine instead


class _SearchApiOriginal(wire.ResponsePart):
    link: wire.HttpLink
    width: wire.OptionalField[int] = None
    height: wire.OptionalField[int] = None


class _SearchApiSource(wire.ResponsePart):
    link: wire.OptionalField[wire.HttpLink] = None


class _SearchApiImage(wire.ResponsePart):
    original: _SearchApiOriginal | wire.HttpLink
    title: wire.OptionalField[str] = None
    thumbnail: wire.OptionalField[wire.HttpLink] = None
    source: wire.OptionalField[_SearchApiSource] = None
    link: wire.OptionalField[wire.HttpLink] = None
    original_width: wire.OptionalField[int] = None
    original_height: wire.OptionalField[int] = None


class _SearchApiImageResponse(wire.JsonResponse):
    search_metadata: wire.OptionalField[dict[str, object]] = None
    images_results: wire.TolerantItems[_SearchApiImage] = ()
    images: wire.TolerantItems[_SearchApiImage] = ()  # used by the google_images engine instead


class Provider(KitProvider):
    async def search_web(self, query: SearchQuery) -> SearchHits:
        asked = {"engine": "google"} | _build_searchapi_params(query)

        async def page(number: int) -> ResultPage[SearchHit]:
            answer = await self._fetch_searchapi_response(
                _SearchApiWebResponse, _add_page_number(asked, number)
            )
            return self._build_searchapi_page(answer.organic_results)

        return await self._gather_searchapi_hits(query, page)

    async def search_news(self, query: SearchQuery) -> SearchHits:
        asked = {"engine": "google_news"} | _build_searchapi_params(query)
        if query.sort_by == "date":
            asked["sort_by"] = "most_recent"

        async def page(number: int) -> ResultPage[SearchHit]:
            answer = await self._fetch_searchapi_response(
                _SearchApiNewsResponse, _add_page_number(asked, number)
            )
            return self._build_searchapi_page(answer.news_results or answer.organic_results)

        return await self._gather_searchapi_hits(query, page)

    async def search_images(self, query: ImageQuery) -> tuple[FoundImage, ...]:
        answer = await self._fetch_searchapi_response(
            _SearchApiImageResponse, _build_searchapi_image_params(query)
        )
        images = answer.images_results or answer.images
        return tuple(map(_parse_searchapi_image, images))[: query.count]

    async def search_patents(self, query: PatentQuery) -> PatentHits:
        answer = await self._fetch_searchapi_response(
            google_patent_results.GooglePatentResponse,
            google_patent_results.build_google_patent_params(query),
        )
        return google_patent_results.read_google_patents(
            answer.organic_results, query, source=SPEC.name
        )

    async def _gather_searchapi_hits(
        self, query: SearchQuery, page: Callable[[int], Awaitable[ResultPage[SearchHit]]]
    ) -> SearchHits:
        count = min(query.count, SPEC.max_results)
        found = await gather_pages(page, count=count, max_pages=-(-count // _RESULTS_PER_PAGE))
        return SearchHits(
            hits=found.items,
            notes=(
                *note_result_limit(query, SPEC.max_results, "SearchApi is asked for at most"),
                *found.notes,
            ),
        )

    def _build_searchapi_page(self, results: tuple[_SearchApiResult, ...]) -> ResultPage[SearchHit]:
        now = self._read_now()
        return ResultPage(
            items=tuple(_parse_searchapi_result(result, now=now) for result in results),
            has_more=True,
        )

    async def _fetch_searchapi_response(
        self, model: type[wire.A], params: Mapping[str, str]
    ) -> wire.A:
        return wire.read_json_response(model, await self._upstream.send_get(params=params))


def _add_page_number(params: dict[str, str], number: int) -> dict[str, str]:
    return params | ({"page": str(number + 1)} if number else {})


def _build_searchapi_params(query: SearchQuery) -> dict[str, str]:
    optional = {
        "gl": query.country.lower() if query.country else None,
        "hl": query.language.lower() if query.language else None,
        "safe": {"high": "active", "off": "off"}.get(query.safe),
        "time_period": _TIME_PERIOD_CODES.get(query.time_range or ""),
    }
    params = {
        "q": build_operator_query(query, max_chars=SPEC.max_query_chars),
        "num": str(min(query.count, _RESULTS_PER_PAGE)),
    }
    return params | {name: value for name, value in optional.items() if value}


def _build_searchapi_image_params(query: ImageQuery) -> dict[str, str]:
    wishes = {
        "isz": _IMAGE_SIZE_CODES.get(query.size or ""),
        "itp": query.type,
        "ic": _IMAGE_COLOR_CODES.get(query.color_type or ""),
        "isc": query.dominant_color,
        "ift": query.file_type,
    }
    optional = {
        "gl": query.country.lower() if query.country else None,
        "hl": query.language.lower() if query.language else None,
        "safe": {"high": "active", "off": "off"}.get(query.safe),
        "tbs": ",".join(f"{name}:{value}" for name, value in wishes.items() if value),
    }
    words = SearchQuery(text=query.text, sites=query.sites)
    params = {
        "engine": "google_images",
        "q": build_operator_query(words, max_chars=SPEC.max_query_chars),
    }
    return params | {name: value for name, value in optional.items() if value}


def _parse_searchapi_result(result: _SearchApiResult, *, now: datetime) -> SearchHit:
    published = parse_provider_date(result.iso_date, now=now) or parse_provider_date(
        result.date, now=now
    )
    return SearchHit(
        title=clean_markup(result.title) or result.link,
        url=result.link,
        snippet=clean_markup(result.snippet),
        published=published,
        published_basis="provider" if published else None,
        engine=SPEC.name,
        source=clean_markup(result.source) or None,
    )


def _parse_searchapi_image(image: _SearchApiImage) -> FoundImage:
    original = (
        image.original
        if isinstance(image.original, _SearchApiOriginal)
        else _SearchApiOriginal(  # the older layout, where it is just the address
            link=str(image.original), width=image.original_width, height=image.original_height
        )
    )
    return FoundImage(
        title=clean_markup(image.title) or original.link,
        link=original.link,
        context=image.source.link if image.source and image.source.link else image.link,
        thumbnail=image.thumbnail,
        width=original.width,
        height=original.height,
    )
