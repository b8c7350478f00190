"""Google Programmable Search (the Custom Search JSON API): needs a key and an engine id."""

from __future__ import annotations

from datetime import datetime

from citewell.core.errors import Misconfigured
from citewell.core.values import search_queries
from citewell.core.values.search_queries import build_operator_query
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects.result_paging import (
    GatheredResults,
    ResultPage,
    gather_pages,
    note_result_limit,
)
from citewell.routing.ports import KitProvider, Offer, ProviderOption, ProviderSpec, require_key
from citewell.text.calendar_dates import parse_provider_date
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="google",
    title="Google Programmable Search",
    homepage="https://developers.google.com/custom-search/v1/overview",
    base_url="https://www.googleapis.com/customsearch/v1",
    offers=frozenset({Offer.WEB, Offer.NEWS, Offer.IMAGES}),
    options=(
        require_key(
            "GOOGLE_CUSTOM_SEARCH_API_KEY", "Key of the Custom Search JSON API.", "X-Goog-Api-Key"
        ),
        ProviderOption(
            env="GOOGLE_CUSTOM_SEARCH_ID",
            help="The engine (cx) to ask; a lens with its own engine overrides it.",
            required=True,
        ),
    ),
    filters=frozenset(
        {
            search_queries.SearchFilter.SITES,
            search_queries.SearchFilter.TIME_RANGE,
            search_queries.SearchFilter.SAFE,
            search_queries.SearchFilter.LANGUAGE,
            search_queries.SearchFilter.COUNTRY,
            search_queries.SearchFilter.EXACT_TERMS,
            search_queries.SearchFilter.EXCLUDE_TERMS,
            search_queries.SearchFilter.SORT,
        }
    ),
    image_filters=dict.fromkeys(search_queries.ImageFilter, frozenset()),
    max_results=100,
    max_images=100,
    max_query_chars=2048,
    per_second=1.5,  # the quota is 100 requests a minute
    burst=5,
    rank=40,
    terms="Closed to new customers; Google ends the service on 1 January 2027.",
)

_RESULTS_PER_PAGE = 10
_DATE_RESTRICT_CODES = {"hour": "d1", "day": "d1", "week": "w1", "month": "m1", "year": "y1"}
_CHINESE_LANGUAGE_CODES = {"zh": "zh-CN", "zh-cn": "zh-CN", "zh-tw": "zh-TW", "zh-hk": "zh-TW"}
_DATE_META_KEYS = (
    "article:published_time",
    "datepublished",
    "og:published_time",
    "publishdate",
    "date",
    "dc.date.issued",
)


class _GooglePagemap(wire.ResponsePart):
    metatags: wire.TolerantItems[dict[str, object]] = ()
    newsarticle: wire.TolerantItems[dict[str, object]] = ()


class _GoogleItem(wire.ResponsePart):
    link: wire.HttpLink
    title: wire.OptionalField[str] = None
    snippet: wire.OptionalField[str] = None
    pagemap: wire.OptionalField[_GooglePagemap] = None


class _GoogleSearchInfo(wire.ResponsePart):
    totalResults: wire.OptionalField[int] = None  # noqa: N815 - the upstream's word; a string of digits


class _GoogleQueries(wire.ResponsePart):
    nextPage: wire.OptionalField[list[dict[str, object]]] = None  # noqa: N815 - the upstream's word


class _GoogleWebResponse(wire.JsonResponse):
    kind: wire.OptionalField[str] = None
    items: wire.TolerantItems[_GoogleItem] = ()  # absent when nothing was found
    queries: wire.OptionalField[_GoogleQueries] = None
    searchInformation: wire.OptionalField[_GoogleSearchInfo] = None  # noqa: N815 - the upstream's word


class _GoogleImageItem(wire.ResponsePart):
    link: wire.HttpLink
    title: wire.OptionalField[str] = None
    context: wire.OptionalField[wire.HttpLink] = wire.nested_field("image.contextLink")
    thumbnail: wire.OptionalField[wire.HttpLink] = wire.nested_field("image.thumbnailLink")
    width: wire.OptionalField[int] = wire.nested_field("image.width")
    height: wire.OptionalField[int] = wire.nested_field("image.height")
    bytes: wire.OptionalField[int] = wire.nested_field("image.byteSize")


class _GoogleImageResponse(wire.JsonResponse):
    kind: wire.OptionalField[str] = None
    items: wire.TolerantItems[_GoogleImageItem] = ()
    queries: wire.OptionalField[_GoogleQueries] = None


class Provider(KitProvider):
    async def search_web(self, query: search_queries.SearchQuery) -> search_queries.SearchHits:
        count = min(query.count, SPEC.max_results)
        asked = _build_google_params(query) | {"cx": self._require_engine_id(query.engine_id)}

        async def page(number: int) -> ResultPage[search_queries.SearchHit]:
            params = asked | _build_page_window(number, count)
            answer = wire.read_json_response(
                _GoogleWebResponse, await self._upstream.send_get(params=params)
            )
            return _parse_google_page(answer, now=self._read_now())

        found = await gather_pages(page, count=count, max_pages=_count_needed_pages(count))
        notes = [*note_result_limit(query, SPEC.max_results, "Google returns at most")]
        if query.time_range == "hour":
            notes.append("Google's shortest time range here is a day.")
        return search_queries.SearchHits(
            hits=found.items, total=found.total, notes=(*notes, *found.notes)
        )

    async def search_news(self, query: search_queries.SearchQuery) -> search_queries.SearchHits:
        return await self.search_web(query)

    async def search_images(
        self, query: search_queries.ImageQuery
    ) -> tuple[search_queries.FoundImage, ...]:
        count = min(query.count, SPEC.max_images)
        engine = self._require_engine_id(query.engine_id)
        asked = _build_google_image_params(query) | {"cx": engine}

        async def page(number: int) -> ResultPage[search_queries.FoundImage]:
            answer = wire.read_json_response(
                _GoogleImageResponse,
                await self._upstream.send_get(params=asked | _build_page_window(number, count)),
            )
            return ResultPage(
                items=tuple(map(_parse_google_image, answer.items)),
                has_more=bool(answer.queries and answer.queries.nextPage),
            )

        found: GatheredResults[search_queries.FoundImage] = await gather_pages(
            page, count=count, max_pages=_count_needed_pages(count)
        )
        return found.items

    def _require_engine_id(self, of_lens: str | None) -> str:
        if engine := of_lens or self._kit.find_option("GOOGLE_CUSTOM_SEARCH_ID"):
            return engine
        raise Misconfigured(
            "Set GOOGLE_CUSTOM_SEARCH_ID to search with Google.", provider=SPEC.name
        )


def _build_page_window(number: int, count: int) -> dict[str, str]:
    """The `num` and `start` parameters of a page; `start` counts from 1, and start + num is at most 100."""
    size = {"num": str(min(_RESULTS_PER_PAGE, count - number * _RESULTS_PER_PAGE))}
    return size | ({"start": str(number * _RESULTS_PER_PAGE + 1)} if number else {})


def _count_needed_pages(count: int) -> int:
    return -(-count // _RESULTS_PER_PAGE)


def _build_google_params(query: search_queries.SearchQuery) -> dict[str, str]:
    plain = query.with_changes(
        exact_terms=None, exclude_terms=None
    )  # these have their own parameters
    optional = {
        "lr": _build_google_language(query.language),
        "cr": f"country{query.country}" if query.country else None,
        "exactTerms": query.exact_terms,
        "excludeTerms": query.exclude_terms,
        "dateRestrict": _DATE_RESTRICT_CODES.get(query.time_range or ""),
        "sort": "date" if query.sort_by == "date" else None,
    }
    params = {
        "q": build_operator_query(plain, max_chars=SPEC.max_query_chars),
        "safe": _convert_google_safe(query.safe),
    }
    return params | {name: value for name, value in optional.items() if value}


def _build_google_image_params(query: search_queries.ImageQuery) -> dict[str, str]:
    optional = {
        "imgSize": query.size,
        "imgType": query.type,
        "imgColorType": query.color_type,
        "imgDominantColor": query.dominant_color,
        "fileType": query.file_type,
        "lr": _build_google_language(query.language),
        "cr": f"country{query.country}" if query.country else None,
    }
    params = {
        "q": build_operator_query(
            search_queries.SearchQuery(text=query.text, sites=query.sites),
            max_chars=SPEC.max_query_chars,
        ),
        "searchType": "image",
        "safe": _convert_google_safe(query.safe),
    }
    return params | {name: value for name, value in optional.items() if value}


def _convert_google_safe(level: str) -> str:
    return "off" if level == "off" else "active"


def _build_google_language(language: str | None) -> str | None:
    if language is None:
        return None
    whole = language.lower()
    return f"lang_{_CHINESE_LANGUAGE_CODES.get(whole) or whole.partition('-')[0]}"


def _parse_google_page(
    answer: _GoogleWebResponse, *, now: datetime
) -> ResultPage[search_queries.SearchHit]:
    info = answer.searchInformation
    return ResultPage(
        items=tuple(_parse_google_item(item, now=now) for item in answer.items),
        has_more=bool(answer.queries and answer.queries.nextPage),
        total=info.totalResults if info else None,
    )


def _parse_google_item(item: _GoogleItem, *, now: datetime) -> search_queries.SearchHit:
    published = _find_pagemap_date(item.pagemap, now=now) if item.pagemap else None
    return search_queries.SearchHit(
        title=clean_markup(item.title) or item.link,
        url=item.link,
        snippet=clean_markup(item.snippet),
        published=published,
        published_basis="provider" if published else None,
        engine=SPEC.name,
    )


def _find_pagemap_date(pagemap: _GooglePagemap, *, now: datetime) -> datetime | None:
    """The first date found under the known keys, in the page's meta tags, then in its article data."""
    for tags in (*pagemap.metatags[:1], *pagemap.newsarticle[:1]):
        for key in _DATE_META_KEYS:
            value = tags.get(key)
            if isinstance(value, str) and (found := parse_provider_date(value, now=now)):
                return found
    return None


def _parse_google_image(item: _GoogleImageItem) -> search_queries.FoundImage:
    return search_queries.FoundImage(
        title=clean_markup(item.title) or item.link,
        link=item.link,
        context=item.context,
        thumbnail=item.thumbnail,
        width=item.width,
        height=item.height,
        file_size=str(item.bytes) if item.bytes is not None else None,
    )
