"""The entries of an RSS, Atom or JSON feed, as a worker lists them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedItem:
    title: str
    link: str  # an absolute http address
    summary: str = ""  # plain text, one line
    date: str = ""  # as the feed states it, not yet parsed
    source: str = ""  # the publisher's name, in a feed of many publishers
    source_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedListing:
    title: str = ""
    language: str = ""  # as the feed states it
    items: tuple[FeedItem, ...] = ()
