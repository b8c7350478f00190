"""The public feeds of publishers, and feeds of your own choice: read, and searched by our own ranking."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib import resources
from math import ceil

from citewell.core import errors
from citewell.core.values.counted_words import pluralize
from citewell.core.values.search_queries import SearchFilter, SearchHit, SearchHits, SearchQuery
from citewell.core.values.search_results import FeedListing
from citewell.net.http.messages import RedirectPolicy
from citewell.providers.dialects.feed_responses import build_feed_hit, read_feed_response
from citewell.routing.ports import KitProvider, Offer, ProviderKit, ProviderOption, ProviderSpec
from citewell.text import addresses
from citewell.text.addresses import format_host_name
from citewell.text.language.detection import detect_language
from citewell.text.language.word_forms import list_terms
from citewell.text.passages.term_weights import weigh_term

FEEDS_SETTING = "NEWS_FEEDS"
MAX_SEARCHED_FEEDS = 80
_MAX_USER_FEEDS = 100
_COMMON_LANGUAGE = "en"

_MAX_PARALLEL_FEEDS = 12
_MAX_FEED_BYTES = 3 * 2**20
_FEED_SECONDS = 6.0  # for one feed
_MANY_FEEDS_SECONDS = 4.0  # for many: the slow ones are then not waited for
_ALL_FEEDS_SECONDS = 9.0  # for all, if none has come by then
_FRESH_SECONDS = 300.0
_FAILURE_SECONDS = 60.0
_MAX_KEPT_FEEDS = 200
_ACCEPTED_TYPES = "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5"

_MIN_WORD_LETTERS = 2  # of a query: EU and AI are words that news are about
_SUMMARY_FACTOR = 0.5  # what a word counts that is not in the title
_NEEDED_SHARE = 0.6  # of the query's words; of two words both

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

_Outcome = FeedListing | errors.CitewellError


class Provider(KitProvider):
    def _set_up(self) -> None:
        self._own = parse_user_feeds(self._kit.find_option(FEEDS_SETTING))
        self._reader = FeedReader(self._kit, unset=SPEC.base_url)

    async def search_news(self, query: SearchQuery) -> SearchHits:
        """Entries of the feeds that fit; raises only if not one of them could be read."""
        feeds = choose_feeds(query, self._own)
        if not feeds:
            what = "of these sites" if query.sites else "of this country and language"
            note = f"The list of publishers' feeds has none {what}; name one in {FEEDS_SETTING}."
            return SearchHits(notes=(note,))
        outcomes = await self._reader.read_feeds(feeds)
        _raise_if_all_failed(outcomes)
        now = self._read_now()
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
    failed = [outcome for outcome in outcomes if isinstance(outcome, errors.CitewellError)]
    if len(failed) < len(outcomes):
        return
    if isinstance(failed[0], errors.UpstreamError):
        raise failed[0]
    raise errors.UpstreamUnavailable(
        f"None of the {len(failed)} {pluralize(len(failed), 'feed')} could be read: {failed[0].message}",
        provider=SPEC.name,
    )


def _describe_reading(feeds: Sequence[NewsFeed], outcomes: Sequence[_Outcome]) -> tuple[str, ...]:
    failed = [
        f"{format_host_name(feed.url)} ({outcome.kind.replace('_', ' ')})"
        for feed, outcome in zip(feeds, outcomes, strict=True)
        if isinstance(outcome, errors.CitewellError)
    ]
    read_count, as_of = len(feeds) - len(failed), load_feed_list().as_of
    notes = [f"Feeds searched: {read_count}. They hold only the latest articles (list of {as_of})."]
    if failed:
        more = (
            f" and {len(failed) - _MAX_NAMED_FEEDS} more" if len(failed) > _MAX_NAMED_FEEDS else ""
        )
        notes.append(f"Could not be read: {', '.join(failed[:_MAX_NAMED_FEEDS])}{more}.")
    return tuple(notes)


# How well the entries of feeds fit the words of a query.


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEntry:
    """An entry of a feed, and the language of the feed."""

    hit: SearchHit
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _MatchedEntry:
    entry: ListedEntry
    in_title: frozenset[str]
    in_summary: frozenset[str]  # and not in the title


def rank_entries(text: str, entries: Sequence[ListedEntry]) -> tuple[SearchHit, ...]:
    """The entries that have most words of the query, best first; equal ones newest first."""
    asked = {
        language: frozenset(_list_words(text, language))
        for language in {entry.language for entry in entries}
    }
    matched = [_match_entry(entry, asked[entry.language]) for entry in entries]
    held = Counter(
        (row.entry.language, word) for row in matched for word in row.in_title | row.in_summary
    )

    def weigh_matched_words(row: _MatchedEntry, words: Iterable[str]) -> float:
        language = row.entry.language
        return sum(
            weigh_term(word, held=held[language, word], total=len(entries), language=language)
            for word in words
        )

    scored = [
        (
            weigh_matched_words(row, row.in_title)
            + _SUMMARY_FACTOR * weigh_matched_words(row, row.in_summary),
            row.entry.hit,
        )
        for row in matched
        if _has_enough_words(row, asked[row.entry.language])
    ]
    ordered = sorted(scored, key=lambda pair: (-pair[0], -read_moment(pair[1])))
    return tuple(hit for _, hit in ordered)


def read_moment(hit: SearchHit) -> float:
    """The publication as a Unix time; 0 if it is unknown, so that such hits come last."""
    return hit.published.timestamp() if hit.published else 0.0


def _match_entry(entry: ListedEntry, asked: frozenset[str]) -> _MatchedEntry:
    in_title = asked.intersection(_list_words(entry.hit.title, entry.language))
    in_summary = asked.intersection(_list_words(entry.hit.snippet, entry.language))
    return _MatchedEntry(entry=entry, in_title=in_title, in_summary=in_summary - in_title)


def _has_enough_words(row: _MatchedEntry, asked: frozenset[str]) -> bool:
    found = len(row.in_title) + len(row.in_summary)
    return bool(asked) and found >= ceil(_NEEDED_SHARE * len(asked))


def _list_words(text: str, language: str) -> list[str]:
    return list_terms(text, language=language, min_letters=_MIN_WORD_LETTERS)


# Fetches many feeds at once, within limits of number, size and time, and keeps them for a few minutes.


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeptFeed:
    outcome: FeedListing | errors.CitewellError
    expires: float


class FeedReader:
    def __init__(self, kit: ProviderKit, *, unset: str) -> None:
        """`unset` is the base URL that means no mirror."""
        self._upstream = kit.upstream
        self._kit = kit
        self._mirror = None if kit.upstream.base_url == unset else kit.upstream.base_url.rstrip("/")
        self._slots = asyncio.Semaphore(_MAX_PARALLEL_FEEDS)
        self._kept: dict[str, _KeptFeed] = {}

    async def read_feeds(
        self, feeds: Sequence[NewsFeed]
    ) -> list[FeedListing | errors.CitewellError]:
        """What each feed holds, or why it could not be read, in the same order."""
        tasks = [asyncio.create_task(self._read_feed(feed)) for feed in feeds]
        try:
            done, waiting = await asyncio.wait(tasks, timeout=_MANY_FEEDS_SECONDS)
            if waiting and not any(isinstance(task.result(), FeedListing) for task in done):
                rest = _ALL_FEEDS_SECONDS - _MANY_FEEDS_SECONDS
                await asyncio.wait(waiting, timeout=rest)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return [
            (
                errors.NetworkFailed("The feed took too long.", reason=errors.FailureReason.TIMEOUT)
                if task.cancelled()
                else task.result()
            )
            for task in tasks
        ]

    async def _read_feed(self, feed: NewsFeed) -> FeedListing | errors.CitewellError:
        kept = self._kept.get(feed.url)
        if kept is not None and self._kit.clock() < kept.expires:
            return kept.outcome
        async with self._slots:
            outcome, seconds = await self._fetch_publisher_feed(feed)
        if len(self._kept) >= _MAX_KEPT_FEEDS:
            self._kept.pop(next(iter(self._kept)))
        self._kept[feed.url] = _KeptFeed(outcome=outcome, expires=self._kit.clock() + seconds)
        return outcome

    async def _fetch_publisher_feed(
        self, feed: NewsFeed
    ) -> tuple[FeedListing | errors.CitewellError, float]:
        """The listing or the error, and how long it is kept."""
        try:
            # The feed's own address, or that of the mirror, which has each below its host.
            response = await self._upstream.send_get(
                base_url=(
                    feed.url
                    if self._mirror is None or feed.is_own
                    else f"{self._mirror}/{feed.url.partition('://')[2]}"
                ),
                headers={"Accept": _ACCEPTED_TYPES},
                timeout=_FEED_SECONDS,
                max_bytes=_MAX_FEED_BYTES,
                redirects=RedirectPolicy.FOLLOW,
                retry=False,
            )
            return await read_feed_response(response, self._kit.require_workers()), _FRESH_SECONDS
        except errors.CitewellError as error:
            return error, _FAILURE_SECONDS


# The feeds that are searched: those that ship with Citewell, and those that the user names.


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsFeed:
    url: str
    publisher: str = ""  # empty for the user's own: the feed then says its title
    site: str = ""  # the domains of its articles, separated by spaces
    country: str = ""  # ISO 3166-1 alpha-2; empty for a publisher of no one country
    language: str = ""  # ISO 639-1
    field: str = "general"
    is_own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedList:
    as_of: str
    feeds: tuple[NewsFeed, ...]


@cache
def load_feed_list() -> FeedList:
    """The list that ships with Citewell."""
    data = json.loads((resources.files(__package__) / "newsfeeds.json").read_bytes())
    return FeedList(as_of=data["as_of"], feeds=tuple(NewsFeed(**row) for row in data["feeds"]))


def parse_user_feeds(setting: str | None) -> tuple[NewsFeed, ...]:
    """The feeds of NEWS_FEEDS; raises Misconfigured for what is no web address."""
    named = [part.strip() for part in (setting or "").split(",") if part.strip()]
    wrong = next((address for address in named if not addresses.is_web_address(address)), None)
    if wrong is not None:
        raise errors.Misconfigured(
            f"{FEEDS_SETTING} holds {wrong[:100]!r}, which is not the web address of a feed.",
            action="inform_user",
        )
    return tuple(NewsFeed(url=url, is_own=True) for url in dict.fromkeys(named[:_MAX_USER_FEEDS]))


def choose_feeds(query: SearchQuery, own: Iterable[NewsFeed]) -> tuple[NewsFeed, ...]:
    """The user's own feeds, and those of the list that fit the query's sites, country and language."""
    shipped = load_feed_list().feeds
    if query.sites:
        fitting = [feed for feed in shipped if _is_feed_of(feed, query.sites)]
        fitting = [feed for feed in fitting if _fits_place(feed, query)] or fitting
    elif query.country or query.language:
        fitting = [feed for feed in shipped if _fits_place(feed, query)]
    else:
        spoken = {_COMMON_LANGUAGE, detect_language(query.text) or _COMMON_LANGUAGE}
        fitting = [feed for feed in shipped if feed.language in spoken]
    return (*own, *fitting)[:MAX_SEARCHED_FEEDS]


def _is_feed_of(feed: NewsFeed, sites: Iterable[str]) -> bool:
    return any(
        addresses.is_within_domain(own, site) or addresses.is_within_domain(site, own)
        for own in feed.site.split()
        for site in sites
    )


def _fits_place(feed: NewsFeed, query: SearchQuery) -> bool:
    language = (query.language or "")[:2].lower()
    return (not query.country or feed.country == query.country) and (
        not language or feed.language == language
    )
