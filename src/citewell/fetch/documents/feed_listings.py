"""Lists the entries of RSS, Atom and JSON feeds for news searches; a worker does this."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

from citewell.errors import MalformedResponse, TooLarge, UpstreamUnavailable
from citewell.fetch.decoding.page_charset import decode_body
from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import Broken, TookTooMuch
from citewell.fetch.documents.feed_documents import find_entry_link, parse_feed_xml
from citewell.fetch.markdown.markdown_text import resolve_link
from citewell.model.domains.feed_items import FeedItem, FeedListing
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.web.addresses import is_web_address
from citewell.text.web.search_operators import shorten_query_text

_MAX_FEED_ITEMS = 300
_MAX_SUMMARY_SOURCE_CHARS = 6000  # of markup; the start of an article is enough
_MAX_SUMMARY_CHARS = 400
_MAX_TITLE_CHARS = 300
_MAX_DATE_CHARS = 40
_SUMMARY_NAMES = ("description", "summary", "encoded", "content")
_DATE_NAMES = ("pubDate", "published", "date", "updated", "issued")
_FEED_ROOTS = frozenset({"rss", "RDF", "feed"})


def list_feed_items(body: bytes, url: str, content_type: str) -> FeedListing:
    """The newest entries in the order of the feed; those without a title or a web address are left out.

    Raises MalformedResponse if it is not a feed, UpstreamUnavailable if it is an error document.
    """
    text = decode_body(body, content_type=content_type).text
    if text.lstrip()[:1] == "{":
        return _list_json_items(text, url)
    try:
        root = parse_feed_xml(text)
    except Broken:
        raise MalformedResponse("Expected a feed and got something else.") from None
    except TookTooMuch:
        raise TooLarge("The feed is nested too deeply or has too many elements.") from None
    name = xml_tree.strip_namespace(root)
    if name not in _FEED_ROOTS:
        if "error" in name.lower():
            raise UpstreamUnavailable("The publisher answered with an error instead of a feed.")
        raise MalformedResponse("Expected a feed and got other XML.")
    return _list_xml_items(root, url)


def _list_xml_items(root: Element, url: str) -> FeedListing:
    channel = xml_tree.find_child_element(root, "channel")
    about = root if channel is None else channel
    if channel is None and xml_tree.strip_namespace(root) != "feed":
        raise MalformedResponse("The feed has no channel.")
    holders = (root,) if about is root else (root, about)
    rows = [
        row
        for holder in holders
        for row in holder
        if xml_tree.strip_namespace(row) in {"item", "entry"}
    ]
    found = (_read_xml_item(row, url) for row in rows[:_MAX_FEED_ITEMS])
    return FeedListing(
        title=_read_child_text(about, "title"),
        language=_read_child_text(about, "language")
        or xml_tree.find_xml_attribute(root, "lang")
        or "",
        items=tuple(item for item in found if item is not None),
    )


def _read_child_text(holder: Element, name: str) -> str:
    return clean_markup(xml_tree.join_element_text(xml_tree.find_child_element(holder, name)))


def _read_xml_item(row: Element, url: str) -> FeedItem | None:
    parts: dict[str, Element] = {}
    for part in row:
        parts.setdefault(xml_tree.strip_namespace(part), part)
    summary = next((parts[name] for name in _SUMMARY_NAMES if _holds_text(parts.get(name))), None)
    source = parts.get("source")
    return _build_feed_item(
        title=xml_tree.join_element_text(parts.get("title")),
        link=resolve_link(url, find_entry_link(row).strip()),
        summary=xml_tree.join_element_text(summary),
        date=next(
            (
                date
                for name in _DATE_NAMES
                if (date := xml_tree.join_element_text(parts.get(name)).strip())
            ),
            "",
        ),
        source=xml_tree.join_element_text(source),
        source_url=source.attrib.get("url", "") if source is not None else "",
    )


def _holds_text(element: Element | None) -> bool:
    return element is not None and bool((element.text or "").strip() or len(element))


def _list_json_items(text: str, url: str) -> FeedListing:
    try:
        feed: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise MalformedResponse("The feed's JSON is not well formed.") from None
    rows = feed.get("items") if isinstance(feed, Mapping) else None
    if not isinstance(rows, list):
        raise MalformedResponse("Expected a feed and got other JSON.")
    found = (
        _read_json_item(row, url) for row in rows[:_MAX_FEED_ITEMS] if isinstance(row, Mapping)
    )
    return FeedListing(
        title=clean_markup(_read_json_text(feed, "title")),
        language=_read_json_text(feed, "language")[:20],
        items=tuple(item for item in found if item is not None),
    )


def _read_json_item(row: Mapping[str, Any], url: str) -> FeedItem | None:
    summaries = (_read_json_text(row, name) for name in ("summary", "content_text", "content_html"))
    return _build_feed_item(
        title=_read_json_text(row, "title"),
        link=resolve_link(url, _read_json_text(row, "url") or _read_json_text(row, "external_url")),
        summary=next(filter(None, summaries), ""),
        date=_read_json_text(row, "date_published"),
    )


def _read_json_text(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def _build_feed_item(
    *, title: str, link: str, summary: str, date: str, source: str = "", source_url: str = ""
) -> FeedItem | None:
    name = clean_markup(title[:_MAX_SUMMARY_SOURCE_CHARS])
    if not name or not is_web_address(link):
        return None
    return FeedItem(
        title=_shorten_words(name, _MAX_TITLE_CHARS),
        link=link,
        summary=_shorten_words(
            clean_markup(clean_markup(summary[:_MAX_SUMMARY_SOURCE_CHARS])), _MAX_SUMMARY_CHARS
        ),
        date=" ".join(date.split())[:_MAX_DATE_CHARS],
        source=clean_markup(source)[:_MAX_TITLE_CHARS],
        source_url=source_url.strip() if is_web_address(source_url.strip()) else "",
    )


def _shorten_words(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{shorten_query_text(text, limit - 1)}…"
