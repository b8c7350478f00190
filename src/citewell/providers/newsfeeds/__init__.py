"""The public feeds of publishers, and feeds of your own choice: read, and searched by our own ranking."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from citewell.dialects.feed_responses import build_feed_hit
from citewell.errors import CitewellError, UpstreamError, UpstreamUnavailable
from citewell.model.counted_words import pluralize
from citewell.model.domains.feed_items import FeedListing
from citewell.model.search_queries import SearchFilter, SearchHits, SearchQuery
from citewell.model.search_queries import SearchHit as SearchHit
from citewell.ports import Offer, ProviderKit, ProviderOption, ProviderSpec
from citewell.providers.newsfeeds.feed_list import (
    FEEDS_SETTING,
    NewsFeed,
    choose_feeds,
    load_feed_list,
    parse_user_feeds,
)
from citewell.providers.newsfeeds.feed_matching import ListedEntry, rank_entries, read_moment
from citewell.providers.newsfeeds.feed_reading import FeedReader
from citewell.text.web.addresses import format_host_name

SPEC = ProviderSpec(
    name="newsfeeds",
    title="Publishers' feeds",
    homepage="https://www.rssboard.org/rss-specification",
    base_url="https://newsfeeds.invalid",  # asked for nothing; another address here is a mirror
    offers=frozenset({Offer.NEWS}),
    options=(
        ProviderOption(
            env=FEEDS_SETTING,
            help="RSS, Atom or JSON feeds that news_search reads as well, comma-separated addresses.",
        ),
    ),
    filters=frozenset(
        {
            SearchFilter.SITES,
            SearchFilter.TIME_RANGE,
            SearchFilter.LANGUAGE,
            SearchFilter.COUNTRY,
            SearchFilter.SORT,
        }
    ),
    max_results=100,
    max_sites=1000,  # they choose feeds and are part of no query
    rank=60,
    terms="Each publisher's own; feeds are read at most every five minutes.",
    test_evidence="feeds of our own in the documented shapes",
)

_TIME_RANGE_SPANS = {
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
    "month": timedelta(days=31),
    "year": timedelta(days=366),
}
_DEFAULT_LANGUAGE = "en"
_MAX_NAMED_FEEDS = 5

_Outcome = FeedListing | CitewellError


class Provider:
    def __init__(self, kit: ProviderKit, *, clock: Callable[[], float] = time.time) -> None:
        self._own = parse_user_feeds(kit.find_option(FEEDS_SETTING))
        self._reader = FeedReader(kit, unset=SPEC.base_url, clock=clock)
        self._clock = clock

    async def search_news(self, query: SearchQuery) -> SearchHits:
        """Entries of the feeds that fit; raises only if not one of them could be read."""
        feeds = choose_feeds(query, self._own)
        if not feeds:
            return SearchHits(notes=(_describe_missing_feeds(query),))
        outcomes = await self._reader.read_feeds(feeds)
        _raise_if_all_failed(outcomes)
        now = datetime.fromtimestamp(self._clock(), UTC)
        entries = [
            entry
            for feed, outcome in zip(feeds, outcomes, strict=True)
            if isinstance(outcome, FeedListing)
            for entry in _list_entries(feed, outcome, query, now=now)
        ]
        # In a thread, because thousands of titles keep the loop busy for a while.
        ranked = await asyncio.to_thread(rank_entries, query.text, entries)
        if query.sort_by == "date":
            ranked = tuple(sorted(ranked, key=read_moment, reverse=True))
        return SearchHits(hits=ranked[: query.count], notes=_describe_reading(feeds, outcomes))


def _list_entries(
    feed: NewsFeed, listing: FeedListing, query: SearchQuery, *, now: datetime
) -> list[ListedEntry]:
    """The entries of a feed within the query's time range and, where the feed says it, language."""
    language = feed.language or listing.language[:2].lower() or _DEFAULT_LANGUAGE
    wanted = (query.language or language)[:2].lower()
    if feed.is_own and listing.language and language != wanted:
        return []
    since = now - _TIME_RANGE_SPANS[query.time_range] if query.time_range else None
    source = feed.publisher or listing.title or format_host_name(feed.url)
    hits = (
        build_feed_hit(item, engine=SPEC.name, source=source, now=now) for item in listing.items
    )
    return [
        ListedEntry(hit=hit, language=language)
        for hit in hits
        if since is None or hit.published is None or hit.published >= since
    ]


def _raise_if_all_failed(outcomes: Sequence[_Outcome]) -> None:
    failed = [outcome for outcome in outcomes if isinstance(outcome, CitewellError)]
    if len(failed) < len(outcomes):
        return
    if isinstance(failed[0], UpstreamError):
        raise failed[0]
    raise UpstreamUnavailable(
        f"None of the {len(failed)} {pluralize(len(failed), 'feed')} could be read: {failed[0].message}",
        provider=SPEC.name,
    )


def _describe_reading(feeds: Sequence[NewsFeed], outcomes: Sequence[_Outcome]) -> tuple[str, ...]:
    failed = [
        f"{format_host_name(feed.url)} ({outcome.kind.replace('_', ' ')})"
        for feed, outcome in zip(feeds, outcomes, strict=True)
        if isinstance(outcome, CitewellError)
    ]
    read_count, as_of = len(feeds) - len(failed), load_feed_list().as_of
    notes = [f"Feeds searched: {read_count}. They hold only the latest articles (list of {as_of})."]
    if failed:
        more = (
            f" and {len(failed) - _MAX_NAMED_FEEDS} more" if len(failed) > _MAX_NAMED_FEEDS else ""
        )
        notes.append(f"Could not be read: {', '.join(failed[:_MAX_NAMED_FEEDS])}{more}.")
    return tuple(notes)


def _describe_missing_feeds(query: SearchQuery) -> str:
    what = "of these sites" if query.sites else "of this country and language"
    return f"The list of publishers' feeds has none {what}; name one in {FEEDS_SETTING}."
