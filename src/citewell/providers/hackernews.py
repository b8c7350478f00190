"""Hacker News stories through Algolia's public index; no key."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from citewell.core.values.counted_words import pluralize
from citewell.core.values.search_queries import (
    SearchFilter,
    SearchHit,
    SearchHits,
    SearchQuery,
    shorten_query_text,
)
from citewell.net.upstream import json_responses as wire
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.text.calendar_dates import parse_provider_date
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="hackernews",
    title="Hacker News",
    homepage="https://hn.algolia.com/api",
    base_url="https://hn.algolia.com/api/v1",
    offers=frozenset({Offer.WEB, Offer.NEWS}),
    filters=frozenset({SearchFilter.TIME_RANGE, SearchFilter.SORT}),  # news come newest first
    max_results=100,
    max_sites=0,
    per_second=2.0,
    burst=4,
    rank=80,
    covers_whole_web=False,
)

_TIME_RANGE_SECONDS = {
    "hour": 3600,
    "day": 86400,
    "week": 7 * 86400,
    "month": 30 * 86400,
    "year": 365 * 86400,
}
_MAX_EXCERPT_CHARS = 300  # of a text post


class _HackerNewsStory(wire.ResponsePart):
    objectID: Annotated[str, Field(pattern=r"^\d+$")]  # noqa: N815 - the upstream's word
    title: str
    url: wire.OptionalField[wire.HttpLink] = None
    author: wire.OptionalField[str] = None
    points: wire.OptionalField[int] = None
    num_comments: wire.OptionalField[int] = None
    created_at: wire.OptionalField[str] = None
    story_text: wire.OptionalField[str] = None


class _HackerNewsResponse(wire.JsonResponse):
    hits: wire.TolerantItems[_HackerNewsStory]
    nbHits: wire.OptionalField[int] = None  # noqa: N815 - the upstream's word


class Provider(KitProvider):
    async def search_web(self, query: SearchQuery) -> SearchHits:
        return await self._search_stories(query, path="/search")

    async def search_news(self, query: SearchQuery) -> SearchHits:
        return await self._search_stories(query, path="/search_by_date")

    async def _search_stories(self, query: SearchQuery, *, path: str) -> SearchHits:
        now = self._read_now()
        response = await self._upstream.send_get(
            path, params=_build_hackernews_params(query, now=now)
        )
        answer = wire.read_json_response(_HackerNewsResponse, response)
        hits = tuple(_parse_story(story, now=now) for story in answer.hits)
        return SearchHits(hits=hits[: query.count], total=answer.nbHits)


def _build_hackernews_params(query: SearchQuery, *, now: datetime) -> dict[str, str]:
    params = {
        "query": shorten_query_text(query.text, SPEC.max_query_chars),
        "hitsPerPage": str(min(query.count, SPEC.max_results)),
        "tags": "story",
        "page": "0",
    }
    if query.time_range:
        since = int(now.timestamp()) - _TIME_RANGE_SECONDS[query.time_range]
        params["numericFilters"] = f"created_at_i>{since}"
    return params


def _parse_story(story: _HackerNewsStory, *, now: datetime) -> SearchHit:
    published = parse_provider_date(story.created_at, now=now)
    discussion = f"https://news.ycombinator.com/item?id={story.objectID}"
    counts = {"points": story.points, "commentCount": story.num_comments}
    return SearchHit(
        title=clean_markup(story.title) or discussion,
        url=story.url or discussion,
        snippet=_build_story_snippet(story),
        published=published,
        published_basis="provider" if published else None,
        engine=SPEC.name,
        engagement={name: count for name, count in counts.items() if count is not None},
    )


def _build_story_snippet(story: _HackerNewsStory) -> str:
    """The start of a text post; for a link its author, points and number of comments."""
    if text := clean_markup(story.story_text):
        return shorten_query_text(text, _MAX_EXCERPT_CHARS)
    points, comments = story.points or 0, story.num_comments or 0
    author = clean_markup(story.author) or "unknown"
    return f"{points} {pluralize(points, 'point')} by {author}, {comments} {pluralize(comments, 'comment')} on Hacker News"
