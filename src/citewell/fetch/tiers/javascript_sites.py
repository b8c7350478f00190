"""Sites that show nothing without JavaScript: the browser tier is tried first, and waits longer."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from citewell.fetch.tiers.document_tier import is_named_document
from citewell.fetch.tiers.tier_ladder import FetchTier

QUIET_SECONDS = 0.5  # seconds without a change in the page before it is read
JAVASCRIPT_QUIET_SECONDS = 2.0

# Subdomains of these hosts count too.
JAVASCRIPT_HOSTS = frozenset({
    "bsky.app", "dev.to", "facebook.com", "frontify.com", "go.dev", "instagram.com", "linkedin.com",
    "medium.com", "news.google.com", "patents.google.com", "scholar.google.com", "threads.com",
    "threads.net", "tiktok.com", "trends.google.com", "youtube.com",
})  # fmt: skip


def is_javascript_site(url: str) -> bool:
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    parts = host.split(".")
    return any(".".join(parts[start:]) in JAVASCRIPT_HOSTS for start in range(len(parts)))


def choose_quiet_seconds(url: str) -> float:
    """How many seconds a page must stay unchanged in the browser before it is read."""
    return JAVASCRIPT_QUIET_SECONDS if is_javascript_site(url) else QUIET_SECONDS


def order_tiers(tiers: Iterable[FetchTier], url: str) -> tuple[FetchTier, ...]:
    """The tiers in the order to try for `url`: the browser first on a JavaScript site.

    The document tier is left out unless the address names a document; documents behind other
    addresses are recognized when the response arrives.
    """
    named = is_named_document(url)
    given = tuple(tier for tier in tiers if named or tier.name != "document")
    if named or not is_javascript_site(url):
        return given
    return tuple(sorted(given, key=lambda tier: tier.name != "browser"))
