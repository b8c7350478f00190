"""Brave Search: an independent index of the web, with news, images and places; needs a key."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from pydantic import AliasPath, Field

from citewell.core.values.research import ProviderReport
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
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects.answer_streams import build_streamed_report, read_answer_stream
from citewell.providers.dialects.result_paging import ResultPage, gather_pages, note_result_limit
from citewell.routing.model_billing import TICKS_PER_DOLLAR
from citewell.routing.ports import (
    KitProvider,
    Offer,
    ProviderOption,
    ProviderSpec,
    accept_key,
    require_key,
)
from citewell.text.calendar_dates import parse_provider_date
from citewell.text.data_tables import load_table
from citewell.text.safety.text_cleaning import clean_markup

# Brave answers 422 to any value outside this list.
_COUNTRY_CODES = {
    "AR", "AU", "AT", "BE", "BR", "CA", "CL", "DK", "FI", "FR", "DE", "GR",
    "HK", "IN", "ID", "IT", "JP", "KR", "MY", "MX", "NL", "NZ", "NO", "CN",
    "PL", "PT", "PH", "RU", "SA", "ZA", "ES", "SE", "CH", "TW", "TR", "GB",
    "US",
}  # fmt: skip

if TYPE_CHECKING:
    from citewell.core.values.search_results import AnswerQuery
    from citewell.domains.place_records import PlaceHits, PlaceLookup

SPEC = ProviderSpec(
    name="brave",
    title="Brave Search",
    homepage="https://brave.com/search/api/",
    base_url="https://api.search.brave.com/res/v1",
    offers=frozenset({Offer.WEB, Offer.NEWS, Offer.IMAGES, Offer.PLACES, Offer.ANSWERS}),
    applied_arguments={
        Offer.PLACES: frozenset({"near", "latitude", "longitude", "country"}),
    },
    options=(
        require_key("BRAVE_API_KEY", "Key of the Brave Search API.", "X-Subscription-Token"),
        accept_key(
            "BRAVE_ANSWERS_API_KEY", "Key of the Answers plan, if it differs from BRAVE_API_KEY."
        ),
        ProviderOption(
            env="BRAVE_EXTRA_SNIPPETS",
            help="`true` asks for up to five more excerpts per result, where the plan has them.",
            default="false",
        ),
    ),
    filters=frozenset(
        {
            SearchFilter.SITES,
            SearchFilter.TIME_RANGE,
            SearchFilter.SAFE,
            SearchFilter.LANGUAGE,
            SearchFilter.COUNTRY,
            SearchFilter.EXACT_TERMS,
            SearchFilter.EXCLUDE_TERMS,
        }
    ),
    image_filters={
        ImageFilter.SAFE: frozenset(),
        ImageFilter.COUNTRY: frozenset(_COUNTRY_CODES),
        ImageFilter.LANGUAGE: frozenset(),
    },
    max_results=50,
    max_images=200,
    max_query_chars=400,
    per_second=1.0,
    rank=10,
    test_evidence="web: recorded answers; news, images, places and answers: shape-tested only",
)

_SWITCHED_ON = frozenset({"true", "1", "yes"})
_ANSWER_TICKS = TICKS_PER_DOLLAR * 3 // 100  # usual price of one answer, November 2026
_RESULTS_PER_PAGE = 20  # the maximum for one web request
_MAX_PAGES = 10  # offset counts pages, from 0 to 9
_MAX_QUERY_WORDS = 50  # Brave refuses longer queries
_FRESHNESS_CODES = {"hour": "pd", "day": "pd", "week": "pw", "month": "pm", "year": "py"}
_SAFE_SEARCH_LEVELS = {"off": "off", "medium": "moderate", "high": "strict"}

# As for countries, Brave answers 422 to any other value.
_LANGUAGE_CODES = {
    "ar", "eu", "bn", "bg", "ca", "zh-hans", "zh-hant", "hr", "cs", "da", "nl", "en",
    "en-gb", "et", "fi", "fr", "gl", "de", "el", "gu", "he", "hi", "hu", "is",
    "it", "jp", "kn", "ko", "lv", "lt", "ms", "ml", "mr", "nb", "pl", "pt-br",
    "pt-pt", "pa", "ro", "ru", "sr", "sk", "sl", "es", "sv", "ta", "te", "th",
    "tr", "uk", "vi",
}  # fmt: skip


class _BraveResult(wire.ResponsePart):
    url: wire.HttpLink
    title: wire.OptionalField[str] = None
    description: wire.OptionalField[str] = None
    age: wire.OptionalField[str] = None
    page_age: wire.OptionalField[str] = None
    extra_snippets: wire.TolerantItems[str] = ()
    hostname: wire.OptionalField[str] = wire.nested_field("meta_url.hostname")


class _BraveWebResults(wire.ResponsePart):
    results: wire.TolerantItems[_BraveResult] = ()


class _BraveQueryEcho(wire.ResponsePart):
    more_results_available: wire.OptionalField[bool] = None


class _BraveWebResponse(wire.JsonResponse):
    type: wire.OptionalField[str] = None
    query: wire.OptionalField[_BraveQueryEcho] = None
    web: _BraveWebResults | None = None  # absent when nothing was found


class _BraveNewsResponse(wire.JsonResponse):
    results: wire.TolerantItems[_BraveResult]


class _BraveImageResult(wire.ResponsePart):
    link: Annotated[wire.HttpLink, Field(validation_alias=AliasPath("properties", "url"))]
    width: wire.OptionalField[int] = wire.nested_field("properties.width")
    height: wire.OptionalField[int] = wire.nested_field("properties.height")
    url: wire.OptionalField[wire.HttpLink] = None  # the page that shows it
    title: wire.OptionalField[str] = None
    thumbnail: wire.OptionalField[wire.HttpLink] = wire.nested_field("thumbnail.src")


class _BraveImageResponse(wire.JsonResponse):
    results: wire.TolerantItems[_BraveImageResult]


class Provider(KitProvider):
    def _set_up(self) -> None:
        own = self._kit.find_option("BRAVE_ANSWERS_API_KEY")
        self._answers_key = {"X-Subscription-Token": own} if own else {}
        self._extra = (self._kit.find_option("BRAVE_EXTRA_SNIPPETS") or "").lower() in _SWITCHED_ON

    def estimate_answer_cost(self, _query: AnswerQuery) -> int:
        return _ANSWER_TICKS

    async def answer_question(self, query: AnswerQuery) -> ProviderReport:
        request = {
            "model": "brave",
            "messages": [{"role": "user", "content": query.text}],
            "stream": True,  # only a stream has citations
            "enable_citations": True,
        }
        response = await self._upstream.send_post(
            "/chat/completions",
            json=request,
            idempotent=False,
            headers={"Accept": "text/event-stream"},
            secret_headers=self._answers_key,
            timeout=query.timeout_seconds,
        )
        return build_streamed_report(
            SPEC.name,
            read_answer_stream(response),
            count=query.count,
            usual_ticks=_ANSWER_TICKS,
        )

    async def search_web(self, query: SearchQuery) -> SearchHits:
        count = min(query.count, SPEC.max_results)
        asked = _build_brave_params(query, extra=self._extra) | {
            "count": str(min(count, _RESULTS_PER_PAGE))
        }

        async def page(number: int) -> ResultPage[SearchHit]:
            response = await self._upstream.send_get(
                "/web/search",
                params=asked | ({"offset": str(number)} if number else {}),
                # Only this path accepts Api-Version; the others answer 404 or 422 to it.
                headers={"Accept": "application/json", "Api-Version": "2023-01-01"},
            )
            return _parse_brave_page(
                wire.read_json_response(_BraveWebResponse, response), now=self._read_now()
            )

        found = await gather_pages(page, count=count, max_pages=_MAX_PAGES)
        return SearchHits(hits=found.items, notes=(*_build_brave_notes(query), *found.notes))

    async def search_news(self, query: SearchQuery) -> SearchHits:
        count = min(query.count, SPEC.max_results)
        params = _build_brave_params(query, extra=self._extra) | {"count": str(count)}
        answer = wire.read_json_response(
            _BraveNewsResponse, await self._fetch_brave_json("/news/search", params)
        )
        hits = tuple(_parse_brave_result(result, now=self._read_now()) for result in answer.results)
        return SearchHits(hits=hits[:count], notes=_build_brave_notes(query))

    async def search_images(self, query: ImageQuery) -> tuple[FoundImage, ...]:
        answer = wire.read_json_response(
            _BraveImageResponse,
            await self._fetch_brave_json("/images/search", _build_brave_image_params(query)),
        )
        return tuple(_parse_brave_image(result) for result in answer.results)[: query.count]

    async def search_places(self, query: PlaceLookup) -> PlaceHits:
        from citewell.providers.dialects.brave_places import search_brave_places

        return await search_brave_places(self._upstream, query)

    async def _fetch_brave_json(self, path: str, params: Mapping[str, str]) -> HttpResponse:
        accept = {"Accept": "application/json"}
        return await self._upstream.send_get(path, params=params, headers=accept)


def _build_brave_params(query: SearchQuery, *, extra: bool) -> dict[str, str]:
    params = {
        "q": build_operator_query(
            query, max_chars=SPEC.max_query_chars, max_words=_MAX_QUERY_WORDS
        ),
        "safesearch": _SAFE_SEARCH_LEVELS[query.safe],
    }
    if query.country in _COUNTRY_CODES:
        params["country"] = query.country or ""
    if language := _find_brave_language(query.language):
        params["search_lang"] = language
    if query.time_range:
        params["freshness"] = _FRESHNESS_CODES[query.time_range]
    if query.goggle:
        params["goggles"] = query.goggle
    if extra:
        params["extra_snippets"] = "true"
    return params


def _build_brave_image_params(query: ImageQuery) -> dict[str, str]:
    params = {
        "q": build_operator_query(
            SearchQuery(text=query.text), max_chars=SPEC.max_query_chars, max_words=_MAX_QUERY_WORDS
        ),
        "count": str(min(query.count, SPEC.max_images)),
        "safesearch": "off" if query.safe == "off" else "strict",  # image search has no "moderate"
    }
    if query.country in _COUNTRY_CODES:
        params["country"] = query.country or ""
    if language := _find_brave_language(query.language):
        params["search_lang"] = language
    return params


def _find_brave_language(language: str | None) -> str | None:
    """Brave's code for a language; None if Brave does not support it."""
    if language is None:
        return None
    whole, base = language.lower(), language.lower().partition("-")[0]
    renamed: dict[str, str] = load_table(__package__, "brave")["renamed_languages"]
    candidates = (renamed.get(whole), whole, renamed.get(base), base)
    return next((code for code in candidates if code in _LANGUAGE_CODES), None)


def _build_brave_notes(query: SearchQuery) -> tuple[str, ...]:
    notes = [*note_result_limit(query, SPEC.max_results, "Brave returns at most")]
    if query.time_range == "hour":
        notes.append("Brave's shortest time range is a day.")
    if query.country and query.country not in _COUNTRY_CODES:
        notes.append(f"Brave has no region {query.country}; the country was not applied.")
    if query.language and _find_brave_language(query.language) is None:
        notes.append(f"Brave has no language {query.language}; the language was not applied.")
    return tuple(notes)


def _parse_brave_page(answer: _BraveWebResponse, *, now: datetime) -> ResultPage[SearchHit]:
    results = answer.web.results if answer.web else ()
    more = bool(answer.query and answer.query.more_results_available)
    return ResultPage(
        items=tuple(_parse_brave_result(result, now=now) for result in results), has_more=more
    )


def _parse_brave_result(result: _BraveResult, *, now: datetime) -> SearchHit:
    published = parse_provider_date(result.page_age, now=now) or parse_provider_date(
        result.age, now=now
    )
    return SearchHit(
        title=clean_markup(result.title) or result.url,
        url=result.url,
        snippet=clean_markup(result.description),
        published=published,
        published_basis="provider" if published else None,
        engine=SPEC.name,
        source=clean_markup(result.hostname) or None,
        extra_snippets=tuple(clean_markup(text) for text in result.extra_snippets),
    )


def _parse_brave_image(result: _BraveImageResult) -> FoundImage:
    return FoundImage(
        title=clean_markup(result.title) or result.link,
        link=result.link,
        context=result.url,
        thumbnail=result.thumbnail,
        width=result.width,
        height=result.height,
    )
