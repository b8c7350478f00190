"""Sites that show nothing without JavaScript: the browser goes first there, and waits longer."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from citewell.fetch.ladder import Tier
from citewell.fetch.papers import is_named_document

SETTLED = 0.5  # seconds without a change
SETTLED_APP = 2.0

# A name stands for its subdomains too.
HOSTS = frozenset({
    "bsky.app", "dev.to", "facebook.com", "frontify.com", "go.dev", "instagram.com", "linkedin.com",
    "medium.com", "news.google.com", "patents.google.com", "scholar.google.com", "threads.com",
    "threads.net", "tiktok.com", "trends.google.com", "youtube.com",
})  # fmt: skip


def is_app(url: str) -> bool:
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    parts = host.split(".")
    return any(".".join(parts[start:]) in HOSTS for start in range(len(parts)))


def quiet(url: str) -> float:
    """How long the page of an address must stand still before it is read."""
    return SETTLED_APP if is_app(url) else SETTLED


def in_order(tiers: Iterable[Tier], url: str) -> tuple[Tier, ...]:
    """The tiers as they are climbed for `url`: on an app's host the browser comes first.

    The document tier is for addresses that name a document; others are known when they arrive.
    """
    named = is_named_document(url)
    given = tuple(tier for tier in tiers if named or tier.name != "document")
    if named or not is_app(url):
        return given
    return tuple(sorted(given, key=lambda tier: tier.name != "browser"))
