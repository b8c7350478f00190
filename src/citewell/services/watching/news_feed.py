"""News of watches as a feed for a news reader, and as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from xml.sax.saxutils import escape

from citewell.store.watching.watch_store import WatchNewsItem
from citewell.text.safety.markup_cleaning import extract_visible_text
from citewell.text.web.addresses import is_web_address

_DOI_ADDRESS = "https://doi.org/"
_FEED_TITLE = "Citewell: what changed"
_FEED_ABOUT = "Retractions, corrections, moved and dead links, and new results of saved searches."


def render_rss_feed(news: Sequence[WatchNewsItem], *, now: float) -> str:
    """RSS 2.0; readers recognise an item they have shown by its guid."""
    items = "".join(map(_render_item, news))
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel>'
        f"<title>{_FEED_TITLE}</title><link>about:blank</link>"
        f"<description>{_FEED_ABOUT}</description>"
        f"<lastBuildDate>{_format_date(now)}</lastBuildDate>\n{items}</channel></rss>\n"
    )


def describe_news(item: WatchNewsItem) -> str:
    """One line for a person: what happened, and where to look."""
    told = item.content
    details = [
        f"notice {told['notice_doi']}" if told.get("notice_doi") else "",
        f"now at {told['moved_to']}" if told.get("moved_to") else "",
        f"archived copy {told['archived_url']}" if told.get("archived_url") else "",
        f"published as {told['published_doi']}" if told.get("published_doi") else "",
        find_news_address(item),
    ]
    more = "; ".join(part for part in details if part)
    return f"{told['text']} {more}".strip()


def find_news_address(item: WatchNewsItem) -> str:
    """Where the changed thing is; empty if it has no address."""
    told = item.content
    if told.get("doi"):
        return f"{_DOI_ADDRESS}{told['doi']}"
    return told.get("url") or ""


def _render_item(item: WatchNewsItem) -> str:
    address = find_news_address(item)
    link = f"<link>{_escape(address)}</link>" if is_web_address(address) else ""
    return (
        f"<item><title>{_escape(item.content['text'])}</title>{link}"
        f'<guid isPermaLink="false">{_escape(item.id)}</guid>'
        f"<pubDate>{_format_date(item.found)}</pubDate>"
        f"<description>{_escape(describe_news(item))}</description></item>\n"
    )


def _escape(text: str) -> str:
    return escape(extract_visible_text(text))


def _format_date(seconds: float) -> str:
    return format_datetime(datetime.fromtimestamp(seconds, UTC))
