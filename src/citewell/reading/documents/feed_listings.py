"""Reads RSS, Atom and JSON feeds: as a document, or as a list of entries for news searches."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from citewell.core.errors import MalformedResponse, TooLarge, UpstreamUnavailable
from citewell.core.values.search_queries import shorten_query_text
from citewell.core.values.search_results import FeedItem, FeedListing
from citewell.reading.documents import document_text, xml_tree
from citewell.reading.documents.text_documents import convert_html_fragment
from citewell.reading.markdown.markdown_text import escape_markdown, resolve_link
from citewell.reading.page_charset import decode_body
from citewell.text.addresses import is_web_address
from citewell.text.calendar_dates import parse_document_date
from citewell.text.safety.text_cleaning import clean_markup

_HTML_ENTITY_PATTERN = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,30});")
_BARE_AMPERSAND_PATTERN = re.compile(r"&(?!#?\w{1,31};)")
_CONTROL_CHARACTER_PATTERN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_BODY_NAMES = ("encoded", "content", "description", "summary")

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
    except document_text.Broken:
        raise MalformedResponse("Expected a feed and got something else.") from None
    except document_text.TookTooMuch:
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
    rows = _list_entry_elements(*holders)
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


def _list_entry_elements(*holders: Element) -> list[Element]:
    return [
        row
        for holder in holders
        for row in holder
        if xml_tree.strip_namespace(row) in {"item", "entry"}
    ]


def _collect_parts(row: Element) -> dict[str, Element]:
    """The first child of each name."""
    return {xml_tree.strip_namespace(part): part for part in reversed(row)}


def _read_xml_item(row: Element, url: str) -> FeedItem | None:
    parts = _collect_parts(row)
    named = (parts[name] for name in _SUMMARY_NAMES if name in parts)
    summary = next((part for part in named if (part.text or "").strip() or len(part)), None)
    dates = (xml_tree.join_element_text(parts.get(name)).strip() for name in _DATE_NAMES)
    source = parts.get("source")
    return _build_feed_item(
        title=xml_tree.join_element_text(parts.get("title")),
        link=resolve_link(url, find_entry_link(row).strip()),
        summary=xml_tree.join_element_text(summary),
        date=next(filter(None, dates), ""),
        source=xml_tree.join_element_text(source),
        source_url=source.attrib.get("url", "") if source is not None else "",
    )


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
        link=_read_json_link(row, url),
        summary=next(filter(None, summaries), ""),
        date=_read_json_text(row, "date_published"),
    )


def _read_json_link(row: Mapping[str, Any], url: str) -> str:
    return resolve_link(url, _read_json_text(row, "url") or _read_json_text(row, "external_url"))


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


# Reads RSS, Atom and JSON feeds as a list of entries with title, link, date and summary.


@dataclass(frozen=True, slots=True, kw_only=True)
class _FeedEntry:
    title: str
    link: str
    date: str | None
    author: str
    text: str


def read_feed(job: document_text.DocumentRequest) -> document_text.DocumentText:
    url, text = job.url, decode_body(job.body, content_type=job.content_type).text
    if text.lstrip()[:1] == "{":
        return _read_json_feed(text, url)
    root = parse_feed_xml(text)
    channel = (
        xml_tree.find_child_element(root, "channel")
        if xml_tree.strip_namespace(root) in {"rss", "RDF"}
        else root
    )
    if channel is None:
        raise document_text.Broken("The feed has no channel element.")
    items = (
        xml_tree.collect_child_elements(root, "entry")
        if channel is root
        else _list_entry_elements(root, channel)
    )
    about = {
        name: xml_tree.join_element_text(part) for name, part in _collect_parts(channel).items()
    }
    return _build_feed_document(
        about.get("title", ""),
        about.get("description") or about.get("subtitle") or "",
        [_read_feed_entry(item, url) for item in items],
        author=about.get("author"),
        language=about.get("language") or xml_tree.find_xml_attribute(root, "lang"),
    )


def parse_feed_xml(text: str) -> Element:
    try:
        return xml_tree.parse_xml_text(text)
    except document_text.Broken:
        # Common mistakes are repaired: HTML entities, bare ampersands, control characters.
        text = _CONTROL_CHARACTER_PATTERN.sub("", text)
        text = _HTML_ENTITY_PATTERN.sub(lambda name: html.escape(html.unescape(name[0])), text)
        return xml_tree.parse_xml_text(_BARE_AMPERSAND_PATTERN.sub("&amp;", text))


def _read_feed_entry(item: Element, url: str) -> _FeedEntry:
    parts = _collect_parts(item)
    author = parts.get("author")
    name = xml_tree.find_child_element(author, "name")
    named = (parts[key] for key in _BODY_NAMES if key in parts)
    body = next((part for part in named if part.text or len(part)), None)
    dates = (parse_document_date(xml_tree.join_element_text(parts.get(key))) for key in _DATE_NAMES)
    return _FeedEntry(
        title=_strip_feed_tags(xml_tree.join_element_text(parts.get("title"))),
        link=resolve_link(url, find_entry_link(item)),
        date=next(filter(None, dates), None),
        author=xml_tree.join_element_text(name if name is not None else author)
        or xml_tree.join_element_text(parts.get("creator")),
        text=_render_entry_body(body, url),
    )


def find_entry_link(item: Element) -> str:
    links = xml_tree.collect_child_elements(item, "link")
    for wanted in ("alternate", ""):
        for link in links:
            if link.attrib.get("href") and link.attrib.get("rel", "alternate") in {
                wanted,
                "alternate",
            }:
                return link.attrib["href"]
    return next(filter(None, map(xml_tree.join_element_text, links)), "")


def _render_entry_body(body: Element | None, url: str) -> str:
    if body is None:
        return ""
    if len(body):  # XHTML inside Atom
        return convert_html_fragment("".join(_serialize_xhtml_content(body)), base=url)
    text = body.text or ""
    return (
        convert_html_fragment(text, base=url)
        if "<" in text or "&" in text
        else escape_markdown(text.strip())
    )


def _serialize_xhtml_content(element: Element, depth: int = 0) -> list[str]:
    """The element's XHTML content as HTML source, without namespaces."""
    pieces = [html.escape(element.text or "")]
    for item in element if depth < 100 else ():
        name = xml_tree.strip_namespace(item)
        attributes = "".join(
            f' {key}="{html.escape(value)}"' for key, value in item.attrib.items() if "}" not in key
        )
        pieces += [
            f"<{name}{attributes}>",
            *_serialize_xhtml_content(item, depth + 1),
            f"</{name}>",
            html.escape(item.tail or ""),
        ]
    return pieces


def _strip_feed_tags(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^<>]{1,200}>", "", text)).split())


def _read_json_feed(text: str, url: str) -> document_text.DocumentText:
    try:
        feed: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise document_text.Broken("The feed's JSON is not well formed.") from error
    if not isinstance(feed, Mapping):
        raise document_text.Broken("The feed is not a JSON object.")
    items = feed.get("items")
    rows = [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    return _build_feed_document(
        _read_json_text(feed, "title"),
        _read_json_text(feed, "description"),
        [_read_json_feed_entry(row, url) for row in rows],
        language=_read_json_text(feed, "language"),
    )


def _read_json_feed_entry(row: Mapping[str, Any], url: str) -> _FeedEntry:
    body = _read_json_text(row, "content_html")
    plain = _read_json_text(row, "content_text") or _read_json_text(row, "summary")
    return _FeedEntry(
        title=_read_json_text(row, "title"),
        link=_read_json_link(row, url),
        date=parse_document_date(_read_json_text(row, "date_published")),
        author="",
        text=convert_html_fragment(body, base=url) if body else escape_markdown(plain),
    )


def _build_feed_document(
    title: str,
    about: str,
    entries: list[_FeedEntry],
    *,
    author: str | None = None,
    language: str | None = None,
) -> document_text.DocumentText:
    parts = [f"# {escape_markdown(_strip_feed_tags(title))}"] if title else []
    if about:
        parts.append(convert_html_fragment(about) if "<" in about else escape_markdown(about))
    for entry in entries:
        name = escape_markdown(entry.title) or "Untitled"
        parts.append(f"## [{name}]({entry.link})" if entry.link else f"## {name}")
        byline = " · ".join(filter(None, (entry.date, escape_markdown(entry.author))))
        parts += filter(None, (byline, entry.text))
    dates = [entry.date for entry in entries if entry.date]
    return document_text.DocumentText(
        markdown="\n\n".join(parts),
        title=_strip_feed_tags(title) or None,
        author=author or None,
        published=max(dates, default=None),
        language=(language or "")[:2].lower() or None,
    )
