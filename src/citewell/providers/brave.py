"""Brave Search: an independent index of the web, with news and images; needs a key."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from citewell.model.search import Filter, Found, Hit, Picture, PictureQuery, Query
from citewell.net.answer import Answer, Items, Link, Maybe, Part, read
from citewell.net.message import Response
from citewell.net.paging import Page, gather
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text.dates import read_date
from citewell.text.markup import clean
from citewell.text.operators import compose

SPEC = Spec(
    name="brave",
    title="Brave Search",
    home="https://brave.com/search/api/",
    base_url="https://api.search.brave.com/res/v1",
    offers=frozenset({Offer.WEB, Offer.NEWS, Offer.IMAGES}),
    options=(
        Option(
            env="BRAVE_API_KEY", help="Key of the Brave Search API.", secret=True, required=True
        ),
        Option(
            env="BRAVE_EXTRA_SNIPPETS",
            help="`true` asks for up to five more excerpts per result, where the plan has them.",
            default="false",
        ),
    ),
    filters=frozenset(
        {
            Filter.SITES,
            Filter.TIME_RANGE,
            Filter.SAFE,
            Filter.LANGUAGE,
            Filter.COUNTRY,
            Filter.EXACT_TERMS,
            Filter.EXCLUDE_TERMS,
        }
    ),
    max_results=50,
    max_query=400,
    per_second=1.0,
    rank=10,
    evidence="web: recorded answers; news and images: shape-tested only",
)

_PAGE = 20  # the most that one web request returns
_PAGES = 10  # offset counts pages, from 0 to 9
_WORDS = 50  # longer queries are refused
_FRESHNESS = {"hour": "pd", "day": "pd", "week": "pw", "month": "pm", "year": "py"}
_SAFE = {"off": "off", "medium": "moderate", "high": "strict"}

# Values outside these two lists are answered with 422.
_COUNTRIES = {
    "AR", "AU", "AT", "BE", "BR", "CA", "CL", "DK", "FI", "FR", "DE", "GR",
    "HK", "IN", "ID", "IT", "JP", "KR", "MY", "MX", "NL", "NZ", "NO", "CN",
    "PL", "PT", "PH", "RU", "SA", "ZA", "ES", "SE", "CH", "TW", "TR", "GB",
    "US",
}  # fmt: skip
_LANGUAGES = {
    "ar", "eu", "bn", "bg", "ca", "zh-hans", "zh-hant", "hr", "cs", "da", "nl", "en",
    "en-gb", "et", "fi", "fr", "gl", "de", "el", "gu", "he", "hi", "hu", "is",
    "it", "jp", "kn", "ko", "lv", "lt", "ms", "ml", "mr", "nb", "pl", "pt-br",
    "pt-pt", "pa", "ro", "ru", "sr", "sk", "sl", "es", "sv", "ta", "te", "th",
    "tr", "uk", "vi",
}  # fmt: skip
_RENAMED = {
    "ja": "jp",
    "no": "nb",
    "pt": "pt-pt",
    "zh": "zh-hans",
    "zh-cn": "zh-hans",
    "zh-hk": "zh-hant",
    "zh-tw": "zh-hant",
}


class _Host(Part):
    hostname: Maybe[str] = None


class _Result(Part):
    url: Link
    title: Maybe[str] = None
    description: Maybe[str] = None
    age: Maybe[str] = None
    page_age: Maybe[str] = None
    extra_snippets: Items[str] = ()
    meta_url: Maybe[_Host] = None


class _Web(Part):
    results: Items[_Result] = ()


class _Echo(Part):
    more_results_available: Maybe[bool] = None


class _WebAnswer(Answer):
    type: Maybe[str] = None
    query: Maybe[_Echo] = None
    web: _Web | None = None  # absent when nothing was found


class _NewsAnswer(Answer):
    results: Items[_Result]


class _Image(Part):
    url: Link
    width: Maybe[int] = None
    height: Maybe[int] = None


class _Thumbnail(Part):
    src: Maybe[Link] = None


class _ImageResult(Part):
    properties: _Image  # the picture; `url` beside it is the page it stands on
    url: Maybe[Link] = None
    title: Maybe[str] = None
    thumbnail: Maybe[_Thumbnail] = None


class _ImageAnswer(Answer):
    results: Items[_ImageResult]


class Provider:
    def __init__(self, kit: Kit, *, clock: Callable[[], float] = time.time) -> None:
        self._upstream = kit.upstream
        self._key = {"X-Subscription-Token": kit.option("BRAVE_API_KEY") or ""}
        self._extra = (kit.option("BRAVE_EXTRA_SNIPPETS") or "").lower() in {"true", "1", "yes"}
        self._clock = clock

    async def web(self, query: Query) -> Found:
        count = min(query.count, SPEC.max_results)
        asked = _params(query, extra=self._extra) | {"count": str(min(count, _PAGE))}

        async def page(number: int) -> Page[Hit]:
            response = await self._upstream.get(
                "/web/search",
                params=asked | ({"offset": str(number)} if number else {}),
                # The other paths answer 404 and 422 when this header is there.
                headers={"Accept": "application/json", "Api-Version": "2023-01-01"},
                secret_headers=self._key,
            )
            return _read_web(read(_WebAnswer, response), now=self._now())

        found = await gather(page, count=count, pages=_PAGES)
        return Found(hits=found.items, notes=(*_notes(query), *found.notes))

    async def news(self, query: Query) -> Found:
        count = min(query.count, SPEC.max_results)
        params = _params(query, extra=self._extra) | {"count": str(count)}
        answer = read(_NewsAnswer, await self._get("/news/search", params))
        hits = tuple(_hit(result, now=self._now()) for result in answer.results)
        return Found(hits=hits[:count], notes=_notes(query))

    async def images(self, query: PictureQuery) -> tuple[Picture, ...]:
        answer = read(_ImageAnswer, await self._get("/images/search", _image_params(query)))
        return tuple(_picture(result) for result in answer.results)[: query.count]

    async def _get(self, path: str, params: Mapping[str, str]) -> Response:
        accept = {"Accept": "application/json"}
        return await self._upstream.get(
            path, params=params, headers=accept, secret_headers=self._key
        )

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)


def _params(query: Query, *, extra: bool) -> dict[str, str]:
    params = {
        "q": compose(query, limit=SPEC.max_query, words=_WORDS),
        "safesearch": _SAFE[query.safe],
    }
    if query.country in _COUNTRIES:
        params["country"] = query.country or ""
    if language := _language(query.language):
        params["search_lang"] = language
    if query.time_range:
        params["freshness"] = _FRESHNESS[query.time_range]
    if query.goggle:
        params["goggles"] = query.goggle
    if extra:
        params["extra_snippets"] = "true"
    return params


def _image_params(query: PictureQuery) -> dict[str, str]:
    params = {
        "q": compose(Query(text=query.text), limit=SPEC.max_query, words=_WORDS),
        "count": str(min(query.count, SPEC.max_results)),
        "safesearch": "off" if query.safe == "off" else "strict",  # there is no middle here
    }
    if query.country in _COUNTRIES:
        params["country"] = query.country or ""
    if language := _language(query.language):
        params["search_lang"] = language
    return params


def _language(language: str | None) -> str | None:
    """Brave's own code; None when it has none for this language."""
    if language is None:
        return None
    whole, base = language.lower(), language.lower().partition("-")[0]
    candidates = (_RENAMED.get(whole), whole, _RENAMED.get(base), base)
    return next((code for code in candidates if code in _LANGUAGES), None)


def _notes(query: Query) -> tuple[str, ...]:
    notes = []
    if query.count > SPEC.max_results:
        notes.append(f"Brave returns at most {SPEC.max_results} results here.")
    if query.time_range == "hour":
        notes.append("Brave's shortest time range is a day.")
    if query.country and query.country not in _COUNTRIES:
        notes.append(f"Brave has no region {query.country}; the country was not applied.")
    if query.language and _language(query.language) is None:
        notes.append(f"Brave has no language {query.language}; the language was not applied.")
    return tuple(notes)


def _read_web(answer: _WebAnswer, *, now: datetime) -> Page[Hit]:
    results = answer.web.results if answer.web else ()
    more = bool(answer.query and answer.query.more_results_available)
    return Page(items=tuple(_hit(result, now=now) for result in results), more=more)


def _hit(result: _Result, *, now: datetime) -> Hit:
    published = read_date(result.page_age, now=now) or read_date(result.age, now=now)
    return Hit(
        title=clean(result.title) or result.url,
        url=result.url,
        snippet=clean(result.description),
        published=published,
        published_basis="provider" if published else None,
        engine=SPEC.name,
        source=clean(result.meta_url.hostname) or None if result.meta_url else None,
        extra_snippets=tuple(clean(text) for text in result.extra_snippets),
    )


def _picture(result: _ImageResult) -> Picture:
    return Picture(
        title=clean(result.title) or result.properties.url,
        link=result.properties.url,
        context=result.url,
        thumbnail=result.thumbnail.src if result.thumbnail else None,
        width=result.properties.width,
        height=result.properties.height,
    )
