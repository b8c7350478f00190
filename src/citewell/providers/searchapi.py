"""SearchApi.io: Google's results, news and images through an API; needs a key."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime

from citewell.model.search import Filter, Found, Hit, Picture, PictureQuery, Query
from citewell.net.answer import A, Answer, Items, Link, Maybe, Part, read
from citewell.net.paging import Page, gather
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text.dates import read_date
from citewell.text.markup import clean
from citewell.text.operators import compose, shorten

SPEC = Spec(
    name="searchapi",
    title="SearchApi.io",
    home="https://www.searchapi.io",
    base_url="https://www.searchapi.io/api/v1/search",
    offers=frozenset({Offer.WEB, Offer.NEWS, Offer.IMAGES}),
    options=(
        Option(env="SEARCHAPI_API_KEY", help="Key of searchapi.io.", secret=True, required=True),
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
    max_query=2048,
    per_second=2.0,
    burst=2,
    rank=14,
    terms="May return fewer results than asked for.",
)

_PAGE = 10
_SPANS = {
    "hour": "last_hour",
    "day": "last_day",
    "week": "last_week",
    "month": "last_month",
    "year": "last_year",
}
_SIZES = {"large": "l", "medium": "m", "icon": "i"}
_COLOURS = {"color": "color", "gray": "gray", "mono": "gray", "trans": "trans"}


class _Result(Part):
    link: Link
    title: Maybe[str] = None
    snippet: Maybe[str] = None
    source: Maybe[str] = None
    date: Maybe[str] = None
    iso_date: Maybe[str] = None


class _WebAnswer(Answer):
    search_metadata: Maybe[dict[str, object]] = None
    organic_results: Items[_Result] = ()  # absent when nothing was found


class _NewsAnswer(Answer):
    search_metadata: Maybe[dict[str, object]] = None
    news_results: Items[_Result] = ()
    organic_results: Items[_Result] = ()  # where the google_news engine puts them


class _Original(Part):
    link: Link
    width: Maybe[int] = None
    height: Maybe[int] = None


class _Page(Part):
    link: Maybe[Link] = None


class _Image(Part):
    original: _Original | Link
    title: Maybe[str] = None
    thumbnail: Maybe[Link] = None
    source: Maybe[_Page] = None
    link: Maybe[Link] = None
    original_width: Maybe[int] = None
    original_height: Maybe[int] = None


class _ImageAnswer(Answer):
    search_metadata: Maybe[dict[str, object]] = None
    images_results: Items[_Image] = ()
    images: Items[_Image] = ()  # where the google_images engine puts them


class Provider:
    def __init__(self, kit: Kit, *, clock: Callable[[], float] = time.time) -> None:
        self._upstream = kit.upstream
        # The API takes its key as a bearer token as well, which keeps it out of every address.
        self._key = {"Authorization": f"Bearer {kit.option('SEARCHAPI_API_KEY') or ''}"}
        self._clock = clock

    async def web(self, query: Query) -> Found:
        asked = {"engine": "google"} | _params(query)

        async def page(number: int) -> Page[Hit]:
            answer = await self._ask(_WebAnswer, _turned(asked, number))
            return self._page(answer.organic_results)

        return await self._paged(query, page)

    async def news(self, query: Query) -> Found:
        asked = {"engine": "google_news"} | _params(query)

        async def page(number: int) -> Page[Hit]:
            answer = await self._ask(_NewsAnswer, _turned(asked, number))
            return self._page(answer.news_results or answer.organic_results)

        return await self._paged(query, page)

    async def images(self, query: PictureQuery) -> tuple[Picture, ...]:
        answer = await self._ask(_ImageAnswer, _image_params(query))
        images = answer.images_results or answer.images
        return tuple(map(_picture, images))[: query.count]

    async def _paged(self, query: Query, page: Callable[[int], Awaitable[Page[Hit]]]) -> Found:
        count = min(query.count, SPEC.max_results)
        found = await gather(page, count=count, pages=-(-count // _PAGE))
        return Found(hits=found.items, notes=(*_notes(query), *found.notes))

    def _page(self, results: tuple[_Result, ...]) -> Page[Hit]:
        now = datetime.fromtimestamp(self._clock(), UTC)
        return Page(items=tuple(_hit(result, now=now) for result in results), more=True)

    async def _ask(self, model: type[A], params: Mapping[str, str]) -> A:
        return read(model, await self._upstream.get(params=params, secret_headers=self._key))


def _turned(params: dict[str, str], number: int) -> dict[str, str]:
    return params | ({"page": str(number + 1)} if number else {})


def _params(query: Query) -> dict[str, str]:
    optional = {
        "gl": query.country.lower() if query.country else None,
        "hl": query.language.lower() if query.language else None,
        "safe": {"high": "active", "off": "off"}.get(query.safe),
        "time_period": _SPANS.get(query.time_range or ""),
    }
    params = {
        "q": compose(query, limit=SPEC.max_query),
        "num": str(min(query.count, _PAGE)),
    }
    return params | {name: value for name, value in optional.items() if value}


def _image_params(query: PictureQuery) -> dict[str, str]:
    wishes = {
        "isz": _SIZES.get(query.size or ""),
        "itp": query.type,
        "ic": _COLOURS.get(query.color_type or ""),
        "isc": query.dominant_color,
        "ift": query.file_type,
    }
    optional = {
        "gl": query.country.lower() if query.country else None,
        "hl": query.language.lower() if query.language else None,
        "safe": {"high": "active", "off": "off"}.get(query.safe),
        "tbs": ",".join(f"{name}:{value}" for name, value in wishes.items() if value),
    }
    params = {"engine": "google_images", "q": shorten(query.text, SPEC.max_query)}
    return params | {name: value for name, value in optional.items() if value}


def _notes(query: Query) -> tuple[str, ...]:
    if query.count <= SPEC.max_results:
        return ()
    return (f"SearchApi is asked for at most {SPEC.max_results} results.",)


def _hit(result: _Result, *, now: datetime) -> Hit:
    published = read_date(result.iso_date, now=now) or read_date(result.date, now=now)
    return Hit(
        title=clean(result.title) or result.link,
        url=result.link,
        snippet=clean(result.snippet),
        published=published,
        published_basis="provider" if published else None,
        engine=SPEC.name,
        source=clean(result.source) or None,
    )


def _picture(image: _Image) -> Picture:
    original = image.original if isinstance(image.original, _Original) else _flat(image)
    return Picture(
        title=clean(image.title) or original.link,
        link=original.link,
        context=image.source.link if image.source and image.source.link else image.link,
        thumbnail=image.thumbnail,
        width=original.width,
        height=original.height,
    )


def _flat(image: _Image) -> _Original:
    """The same facts in the older layout, where `original` is the bare address."""
    link = str(image.original)
    return _Original(link=link, width=image.original_width, height=image.original_height)
