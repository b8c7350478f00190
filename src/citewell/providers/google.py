"""Google Programmable Search (the Custom Search JSON API): needs a key and an engine id."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from citewell.errors import Misconfigured
from citewell.model.search import Filter, Found, Hit, Picture, PictureQuery, Query
from citewell.net.answer import Answer, Items, Link, Maybe, Part, read
from citewell.net.message import Response
from citewell.net.paging import Gathered, Page, gather
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text.dates import read_date
from citewell.text.markup import clean
from citewell.text.operators import compose, shorten

SPEC = Spec(
    name="google",
    title="Google Programmable Search",
    home="https://developers.google.com/custom-search/v1/overview",
    base_url="https://www.googleapis.com/customsearch/v1",
    offers=frozenset({Offer.WEB, Offer.NEWS, Offer.IMAGES}),
    options=(
        Option(
            env="GOOGLE_CUSTOM_SEARCH_API_KEY",
            help="Key of the Custom Search JSON API.",
            secret=True,
            required=True,
        ),
        Option(
            env="GOOGLE_CUSTOM_SEARCH_ID",
            help="The engine (cx) to ask; a lens with its own engine overrides it.",
            required=True,
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
    max_results=100,
    max_query=2048,
    per_second=1.5,  # the quota is 100 a minute
    burst=5,
    rank=40,
    terms="Closed to new customers; Google ends the service on 1 January 2027.",
)

_PAGE = 10
_SPANS = {"hour": "d1", "day": "d1", "week": "w1", "month": "m1", "year": "y1"}
_CHINESE = {"zh": "zh-CN", "zh-cn": "zh-CN", "zh-tw": "zh-TW", "zh-hk": "zh-TW"}
_PUBLISHED = (
    "article:published_time",
    "datepublished",
    "og:published_time",
    "publishdate",
    "date",
    "dc.date.issued",
)


class _Pagemap(Part):
    metatags: Items[dict[str, object]] = ()
    newsarticle: Items[dict[str, object]] = ()


class _Item(Part):
    link: Link
    title: Maybe[str] = None
    snippet: Maybe[str] = None
    pagemap: Maybe[_Pagemap] = None


class _Info(Part):
    totalResults: Maybe[int] = None  # noqa: N815 - the upstream's word; a string of digits


class _Queries(Part):
    nextPage: Maybe[list[dict[str, object]]] = None  # noqa: N815 - the upstream's word


class _WebAnswer(Answer):
    kind: Maybe[str] = None
    items: Items[_Item] = ()  # absent when nothing was found
    queries: Maybe[_Queries] = None
    searchInformation: Maybe[_Info] = None  # noqa: N815 - the upstream's word


class _Image(Part):
    contextLink: Maybe[Link] = None  # noqa: N815 - the upstream's word
    thumbnailLink: Maybe[Link] = None  # noqa: N815 - the upstream's word
    width: Maybe[int] = None
    height: Maybe[int] = None
    byteSize: Maybe[int] = None  # noqa: N815 - the upstream's word


class _Picture(Part):
    link: Link
    title: Maybe[str] = None
    image: Maybe[_Image] = None


class _ImageAnswer(Answer):
    kind: Maybe[str] = None
    items: Items[_Picture] = ()
    queries: Maybe[_Queries] = None


class Provider:
    def __init__(self, kit: Kit, *, clock: Callable[[], float] = time.time) -> None:
        self._upstream = kit.upstream
        # A header, so that the key is in no address: https://cloud.google.com/apis/docs/system-parameters
        self._key = {"X-Goog-Api-Key": kit.option("GOOGLE_CUSTOM_SEARCH_API_KEY") or ""}
        self._engine = kit.option("GOOGLE_CUSTOM_SEARCH_ID")
        self._clock = clock

    async def web(self, query: Query) -> Found:
        count = min(query.count, SPEC.max_results)
        asked = _params(query) | {"cx": self._cx(query.engine_id)}

        async def page(number: int) -> Page[Hit]:
            params = asked | _window(number, count)
            answer = read(_WebAnswer, await self._get(params))
            return _read_web(answer, now=datetime.fromtimestamp(self._clock(), UTC))

        found = await gather(page, count=count, pages=_pages(count))
        return Found(hits=found.items, total=found.total, notes=(*_notes(query), *found.notes))

    async def news(self, query: Query) -> Found:
        return await self.web(query)

    async def images(self, query: PictureQuery) -> tuple[Picture, ...]:
        count = min(query.count, SPEC.max_results)
        asked = _image_params(query) | {"cx": self._cx(None)}

        async def page(number: int) -> Page[Picture]:
            answer = read(_ImageAnswer, await self._get(asked | _window(number, count)))
            return Page(items=tuple(map(_picture, answer.items)), more=_more(answer.queries))

        found: Gathered[Picture] = await gather(page, count=count, pages=_pages(count))
        return found.items

    async def _get(self, params: Mapping[str, str]) -> Response:
        return await self._upstream.get(params=params, secret_headers=self._key)

    def _cx(self, of_lens: str | None) -> str:
        if engine := of_lens or self._engine:
            return engine
        raise Misconfigured(
            "Set GOOGLE_CUSTOM_SEARCH_ID to search with Google.", provider=SPEC.name
        )


def _window(number: int, count: int) -> dict[str, str]:
    """`start` counts from 1, and start + num may not pass 100."""
    size = {"num": str(min(_PAGE, count - number * _PAGE))}
    return size | ({"start": str(number * _PAGE + 1)} if number else {})


def _pages(count: int) -> int:
    return -(-count // _PAGE)


def _params(query: Query) -> dict[str, str]:
    plain = query.with_(exact_terms=None, exclude_terms=None)  # these have parameters of their own
    optional = {
        "lr": _language(query.language),
        "cr": f"country{query.country}" if query.country else None,
        "exactTerms": query.exact_terms,
        "excludeTerms": query.exclude_terms,
        "dateRestrict": _SPANS.get(query.time_range or ""),
    }
    params = {"q": compose(plain, limit=SPEC.max_query), "safe": _safe(query.safe)}
    return params | {name: value for name, value in optional.items() if value}


def _image_params(query: PictureQuery) -> dict[str, str]:
    optional = {
        "imgSize": query.size,
        "imgType": query.type,
        "imgColorType": query.color_type,
        "imgDominantColor": query.dominant_color,
        "fileType": query.file_type,
        "lr": _language(query.language),
        "cr": f"country{query.country}" if query.country else None,
    }
    params = {
        "q": shorten(query.text, SPEC.max_query),
        "searchType": "image",
        "safe": _safe(query.safe),
    }
    return params | {name: value for name, value in optional.items() if value}


def _safe(level: str) -> str:
    return "off" if level == "off" else "active"


def _language(language: str | None) -> str | None:
    if language is None:
        return None
    whole = language.lower()
    return f"lang_{_CHINESE.get(whole) or whole.partition('-')[0]}"


def _notes(query: Query) -> tuple[str, ...]:
    notes = []
    if query.count > SPEC.max_results:
        notes.append(f"Google returns at most {SPEC.max_results} results.")
    if query.time_range == "hour":
        notes.append("Google's shortest time range here is a day.")
    return tuple(notes)


def _more(queries: _Queries | None) -> bool:
    return bool(queries and queries.nextPage)


def _read_web(answer: _WebAnswer, *, now: datetime) -> Page[Hit]:
    info = answer.searchInformation
    return Page(
        items=tuple(_hit(item, now=now) for item in answer.items),
        more=_more(answer.queries),
        total=info.totalResults if info else None,
    )


def _hit(item: _Item, *, now: datetime) -> Hit:
    published = _published(item.pagemap, now=now) if item.pagemap else None
    return Hit(
        title=clean(item.title) or item.link,
        url=item.link,
        snippet=clean(item.snippet),
        published=published,
        published_basis="provider" if published else None,
        engine=SPEC.name,
    )


def _published(pagemap: _Pagemap, *, now: datetime) -> datetime | None:
    """The first key in order that holds a date, in the page's meta tags, then its article data."""
    for tags in (*pagemap.metatags[:1], *pagemap.newsarticle[:1]):
        for key in _PUBLISHED:
            value = tags.get(key)
            if isinstance(value, str) and (found := read_date(value, now=now)):
                return found
    return None


def _picture(item: _Picture) -> Picture:
    image = item.image or _Image()
    return Picture(
        title=clean(item.title) or item.link,
        link=item.link,
        context=image.contextLink,
        thumbnail=image.thumbnailLink,
        width=image.width,
        height=image.height,
        file_size=str(image.byteSize) if image.byteSize is not None else None,
    )
