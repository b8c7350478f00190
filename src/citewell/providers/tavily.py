"""Tavily: web and news search for assistants; works without a key, at a lower rate."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import UTC, datetime

from citewell.errors import OutOfCredit
from citewell.model.search import Filter, Found, Hit, Query
from citewell.net.answer import Answer, Items, Link, Maybe, Part, read
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text.dates import read_date
from citewell.text.markup import clean
from citewell.text.operators import shorten

SPEC = Spec(
    name="tavily",
    title="Tavily",
    home="https://docs.tavily.com/documentation/keyless",
    base_url="https://api.tavily.com",
    offers=frozenset({Offer.WEB, Offer.NEWS}),
    options=(
        Option(
            env="TAVILY_API_KEY",
            help="Key of Tavily; without one its free, slower access.",
            secret=True,
        ),
    ),
    filters=frozenset({Filter.SITES, Filter.TIME_RANGE}),
    max_results=20,
    max_sites=100,
    max_query=400,
    per_second=1.0,
    burst=3,
    rank=30,
    terms="Access without a key is for trying it out and is limited in rate.",
)

_SPANS = {"hour": "day", "day": "day", "week": "week", "month": "month", "year": "year"}
_SPENT = (432, 433)  # the plan's limit, the pay-as-you-go limit


class _Result(Part):
    url: Link
    title: Maybe[str] = None
    content: Maybe[str] = None
    score: Maybe[float] = None
    published_date: Maybe[str] = None


class _Answer(Answer):
    results: Items[_Result]


class Provider:
    def __init__(self, kit: Kit, *, clock: Callable[[], float] = time.time) -> None:
        self._upstream = kit.upstream
        key = kit.option("TAVILY_API_KEY")
        self._secret = {"Authorization": f"Bearer {key}"} if key else {}
        self._open = {} if key else {"X-Tavily-Access-Mode": "keyless"}
        self._clock = clock

    async def web(self, query: Query) -> Found:
        return await self._find(query, topic="general")

    async def news(self, query: Query) -> Found:
        return await self._find(query, topic="news")

    async def _find(self, query: Query, *, topic: str) -> Found:
        response = await self._upstream.post(
            "/search",
            json=_body(query, topic=topic),
            headers=self._open,
            secret_headers=self._secret,
            accept=_SPENT,
        )
        if response.status in _SPENT:
            raise OutOfCredit("The Tavily plan has reached its limit.", provider=SPEC.name)
        now = datetime.fromtimestamp(self._clock(), UTC)
        hits = tuple(_hit(result, now=now) for result in read(_Answer, response).results)
        return Found(hits=hits[: query.count], notes=_notes(query))


def _body(query: Query, *, topic: str) -> dict[str, object]:
    body: dict[str, object] = {
        "query": shorten(query.text, SPEC.max_query),
        "max_results": min(query.count, SPEC.max_results),
        "search_depth": "basic",
        "topic": topic,
    }
    if query.time_range:
        body["time_range"] = _SPANS[query.time_range]
    if query.sites:
        body["include_domains"] = list(query.sites)
    return body


def _notes(query: Query) -> tuple[str, ...]:
    notes = []
    if query.count > SPEC.max_results:
        notes.append(f"Tavily returns at most {SPEC.max_results} results.")
    if query.time_range == "hour":
        notes.append("Tavily's shortest time range is a day.")
    return tuple(notes)


def _hit(result: _Result, *, now: datetime) -> Hit:
    published = read_date(result.published_date, now=now)
    return Hit(
        title=clean(result.title) or result.url,
        url=result.url,
        snippet=clean(result.content),
        published=published,
        published_basis="provider" if published else None,
        score=_unit(result.score),
        engine=SPEC.name,
    )


def _unit(score: float | None) -> float | None:
    if score is None or not math.isfinite(score):
        return None
    return min(max(score, 0.0), 1.0)
