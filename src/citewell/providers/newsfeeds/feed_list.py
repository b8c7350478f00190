"""The feeds that are searched: those that ship with Citewell, and those that the user names."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from citewell.errors import Misconfigured
from citewell.model.search_queries import SearchQuery
from citewell.text.language.detection import detect_language
from citewell.text.web import addresses

FEEDS_SETTING = "NEWS_FEEDS"
MAX_SEARCHED_FEEDS = 80
_MAX_USER_FEEDS = 100
_COMMON_LANGUAGE = "en"


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
    data = json.loads((resources.files(__package__) / "feeds.json").read_bytes())
    return FeedList(as_of=data["as_of"], feeds=tuple(NewsFeed(**row) for row in data["feeds"]))


def parse_user_feeds(setting: str | None) -> tuple[NewsFeed, ...]:
    """The feeds of NEWS_FEEDS; raises Misconfigured for what is no web address."""
    named = [part.strip() for part in (setting or "").split(",") if part.strip()]
    wrong = next((address for address in named if not addresses.is_web_address(address)), None)
    if wrong is not None:
        raise Misconfigured(
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
