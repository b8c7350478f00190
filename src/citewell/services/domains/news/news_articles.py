"""Turns hits of news providers into articles: each story once, sorted, with dates in one form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from citewell.model.answers.news_results import NewsArticle
from citewell.model.search_queries import SearchHit
from citewell.text.web import addresses

_MAX_CLOCK_SKEW = timedelta(days=1)  # a later date is a mistake: an article cannot be of next week


def choose_articles(
    hits: Iterable[SearchHit], *, by_date: bool, count: int, now: datetime
) -> list[SearchHit]:
    """The first `count` hits, each story once; with `by_date` the newest first, undated ones last.

    A date that lies ahead is a mistake, and is dropped.
    """
    stories = [_drop_future_date(hit, now) for hit in _keep_distinct_stories(hits)]
    if by_date:
        stories.sort(key=_read_age_key)
    return stories[:count]


def build_news_article(hit: SearchHit) -> NewsArticle:
    host = addresses.format_host_name(hit.source_url or hit.url)
    return NewsArticle(
        title=hit.title or host,
        url=addresses.strip_tracking(hit.url),
        source=hit.source or host,
        snippet=hit.snippet,
        published_at=format_utc_moment(hit.published) if hit.published else None,
        published_basis=hit.published_basis,
        source_url=hit.source_url,
    )


def format_utc_moment(moment: datetime) -> str:
    """RFC 3339 in UTC, to the second; a day alone is its midnight."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    utc = aware.astimezone(UTC).replace(microsecond=0, tzinfo=None)
    return f"{utc.isoformat()}Z"


def _drop_future_date(hit: SearchHit, now: datetime) -> SearchHit:
    if hit.published is None:
        return hit
    aware = hit.published if hit.published.tzinfo else hit.published.replace(tzinfo=UTC)
    is_possible = aware <= now + _MAX_CLOCK_SKEW
    return hit if is_possible else replace(hit, published=None, published_basis=None)


def _read_age_key(hit: SearchHit) -> float:
    return -hit.published.timestamp() if hit.published else 0.0


def _keep_distinct_stories(hits: Iterable[SearchHit]) -> Iterable[SearchHit]:
    """The first of each address and, on one site, of each title: papers publish a story under several."""
    seen: set[str] = set()
    for hit in hits:
        host = addresses.format_host_name(hit.source_url or hit.url)
        keys = {
            addresses.build_page_key(hit.url),
            f"{host} {' '.join(hit.title.casefold().split())}",
        }
        if not seen & keys:
            yield hit
        seen |= keys
