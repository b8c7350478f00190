"""Serper: Google's results, news and images through an API; needs a key."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from citewell.model.search import Filter, Found, Hit, Picture, PictureQuery, Query
from citewell.net.answer import A, Answer, Items, Link, Maybe, Part, read
from citewell.net.paging import Page, gather
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text.dates import read_date
from citewell.text.markup import clean
from citewell.text.operators import compose, shorten

SPEC = Spec(
    name="serper",
    title="Serper",
    home="https://serper.dev",
    base_url="https://google.serper.dev",
    offers=frozenset({Offer.WEB, Offer.NEWS, Offer.IMAGES}),
    options=(Option(env="SERPER_API_KEY", help="Key of serper.dev.", secret=True, required=True),),
    filters=frozenset(
        {
            Filter.SITES,
            Filter.TIME_RANGE,
            Filter.LANGUAGE,
            Filter.COUNTRY,
            Filter.EXACT_TERMS,
            Filter.EXCLUDE_TERMS,
        }
    ),
    max_results=50,
    max_query=2048,
    per_second=5.0,
    burst=5,
    rank=12,
)

_PAGE = 10  # more in one request costs a second credit
_SPANS = {"hour": "qdr:h", "day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}

Body = dict[str, str | int]


class _Result(Part):
    link: Link
    title: Maybe[str] = None
    snippet: Maybe[str] = None
    source: Maybe[str] = None
    date: Maybe[str] = None


class _WebAnswer(Answer):
    searchParameters: Maybe[dict[str, object]] = None  # noqa: N815 - the upstream's word
    organic: Items[_Result] = ()


class _NewsAnswer(Answer):
    searchParameters: Maybe[dict[str, object]] = None  # noqa: N815 - the upstream's word
    news: Items[_Result] = ()


class _Image(Part):
    imageUrl: Link  # noqa: N815 - the upstream's word
    thumbnailUrl: Maybe[Link] = None  # noqa: N815 - the upstream's word
    title: Maybe[str] = None
    link: Maybe[Link] = None
    imageWidth: Maybe[int] = None  # noqa: N815 - the upstream's word
    imageHeight: Maybe[int] = None  # noqa: N815 - the upstream's word


class _ImageAnswer(Answer):
    searchParameters: Maybe[dict[str, object]] = None  # noqa: N815 - the upstream's word
    images: Items[_Image] = ()


class Provider:
    def __init__(self, kit: Kit, *, clock: Callable[[], float] = time.time) -> None:
        self._upstream = kit.upstream
        self._key = {"X-API-KEY": kit.option("SERPER_API_KEY") or ""}
        self._clock = clock

    async def web(self, query: Query) -> Found:
        async def page(body: Body) -> tuple[_Result, ...]:
            return (await self._ask(_WebAnswer, "/search", body)).organic

        return await self._paged(query, page)

    async def news(self, query: Query) -> Found:
        async def page(body: Body) -> tuple[_Result, ...]:
            return (await self._ask(_NewsAnswer, "/news", body)).news

        return await self._paged(query, page)

    async def images(self, query: PictureQuery) -> tuple[Picture, ...]:
        answer = await self._ask(_ImageAnswer, "/images", _image_body(query))
        return tuple(map(_picture, answer.images))[: query.count]

    async def _paged(
        self, query: Query, fetch: Callable[[Body], Awaitable[tuple[_Result, ...]]]
    ) -> Found:
        count = min(query.count, SPEC.max_results)
        asked = _body(query) | {"num": min(count, _PAGE)}
        now = datetime.fromtimestamp(self._clock(), UTC)

        async def page(number: int) -> Page[Hit]:
            results = await fetch(asked | ({"page": number + 1} if number else {}))
            return Page(items=tuple(_hit(result, now=now) for result in results), more=True)

        found = await gather(page, count=count, pages=-(-count // _PAGE))
        return Found(hits=found.items, notes=(*_notes(query), *found.notes))

    async def _ask(self, model: type[A], path: str, body: Body) -> A:
        response = await self._upstream.post(path, json=body, secret_headers=self._key)
        return read(model, response)


def _body(query: Query) -> Body:
    body: Body = {"q": compose(query, limit=SPEC.max_query)}
    if query.country:
        body["gl"] = query.country.lower()
    if query.language:
        body["hl"] = query.language.lower()
    if query.time_range:
        body["tbs"] = _SPANS[query.time_range]
    return body


def _image_body(query: PictureQuery) -> Body:
    body: Body = {"q": shorten(query.text, SPEC.max_query), "num": min(query.count, _PAGE)}
    if query.country:
        body["gl"] = query.country.lower()
    if query.language:
        body["hl"] = query.language.lower()
    return body


def _notes(query: Query) -> tuple[str, ...]:
    if query.count <= SPEC.max_results:
        return ()
    return (f"Serper is asked for at most {SPEC.max_results} results.",)


def _hit(result: _Result, *, now: datetime) -> Hit:
    published = read_date(result.date, now=now)
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
    return Picture(
        title=clean(image.title) or image.imageUrl,
        link=image.imageUrl,
        context=image.link,
        thumbnail=image.thumbnailUrl,
        width=image.imageWidth,
        height=image.imageHeight,
    )
