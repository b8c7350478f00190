"""Hacker News stories through Algolia's public index; no key."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from citewell.model.search import Filter, Found, Hit, Query
from citewell.net.answer import Answer, Items, Link, Maybe, Part, read
from citewell.ports import Kit, Offer, Spec
from citewell.text.dates import read_date
from citewell.text.markup import clean
from citewell.text.operators import shorten

SPEC = Spec(
    name="hackernews",
    title="Hacker News",
    home="https://hn.algolia.com/api",
    base_url="https://hn.algolia.com/api/v1",
    offers=frozenset({Offer.WEB, Offer.NEWS}),
    filters=frozenset({Filter.TIME_RANGE}),
    max_results=100,
    max_sites=0,
    per_second=2.0,
    burst=4,
    rank=80,
    general=False,
)

_SPANS = {"hour": 3600, "day": 86400, "week": 7 * 86400, "month": 30 * 86400, "year": 365 * 86400}
_EXCERPT = 300  # characters of a text post


class _Story(Part):
    objectID: Annotated[str, Field(pattern=r"^\d+$")]  # noqa: N815 - the upstream's word
    title: str
    url: Maybe[Link] = None
    author: Maybe[str] = None
    points: Maybe[int] = None
    num_comments: Maybe[int] = None
    created_at: Maybe[str] = None
    story_text: Maybe[str] = None


class _Answer(Answer):
    hits: Items[_Story]
    nbHits: Maybe[int] = None  # noqa: N815 - the upstream's word


class Provider:
    def __init__(self, kit: Kit, *, clock: Callable[[], float] = time.time) -> None:
        self._upstream = kit.upstream
        self._clock = clock

    async def web(self, query: Query) -> Found:
        return await self._find(query, path="/search")

    async def news(self, query: Query) -> Found:
        return await self._find(query, path="/search_by_date")

    async def _find(self, query: Query, *, path: str) -> Found:
        now = datetime.fromtimestamp(self._clock(), UTC)
        response = await self._upstream.get(path, params=_params(query, now=now))
        answer = read(_Answer, response)
        hits = tuple(_hit(story, now=now) for story in answer.hits)
        return Found(hits=hits[: query.count], total=answer.nbHits)


def _params(query: Query, *, now: datetime) -> dict[str, str]:
    params = {
        "query": shorten(query.text, SPEC.max_query),
        "hitsPerPage": str(min(query.count, SPEC.max_results)),
        "tags": "story",
        "page": "0",
    }
    if query.time_range:
        since = int(now.timestamp()) - _SPANS[query.time_range]
        params["numericFilters"] = f"created_at_i>{since}"
    return params


def _hit(story: _Story, *, now: datetime) -> Hit:
    published = read_date(story.created_at, now=now)
    discussion = f"https://news.ycombinator.com/item?id={story.objectID}"
    counts = {"points": story.points, "commentCount": story.num_comments}
    return Hit(
        title=clean(story.title) or discussion,
        url=story.url or discussion,
        snippet=_line(story),
        published=published,
        published_basis="provider" if published else None,
        engine=SPEC.name,
        engagement={name: count for name, count in counts.items() if count is not None},
    )


def _line(story: _Story) -> str:
    """What a text post says; a link has no abstract, so who posted it and how it was received."""
    if text := clean(story.story_text):
        return shorten(text, _EXCERPT)
    points, comments = story.points or 0, story.num_comments or 0
    author = clean(story.author) or "unknown"
    return f"{points} points by {author}, {comments} comments on Hacker News"
