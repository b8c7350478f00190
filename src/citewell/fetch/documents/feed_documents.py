"""Reads RSS, Atom and JSON feeds as a list of entries with title, link, date and summary."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from citewell.fetch.decoding.page_charset import decode_body
from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import Broken, ParsedDocument
from citewell.fetch.documents.html_fragments import convert_html_fragment
from citewell.fetch.markdown.markdown_text import escape_markdown, resolve_link
from citewell.text.dates.calendar_dates import parse_document_date

_HTML_ENTITY_PATTERN = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,30});")
_BARE_AMPERSAND_PATTERN = re.compile(r"&(?!#?\w{1,31};)")
_CONTROL_CHARACTER_PATTERN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_BODY_ELEMENT_NAMES = ("encoded", "content", "description", "summary")
_DATE_ELEMENT_NAMES = ("pubDate", "published", "date", "updated", "issued")


@dataclass(frozen=True, slots=True, kw_only=True)
class _FeedEntry:
    title: str
    link: str
    date: str | None
    author: str
    text: str


def read_feed(body: bytes, *, url: str, content_type: str) -> ParsedDocument:
    text = decode_body(body, content_type=content_type).text
    if text.lstrip()[:1] == "{":
        return _read_json_feed(text, url)
    root = parse_feed_xml(text)
    channel = (
        xml_tree.find_child_element(root, "channel")
        if xml_tree.strip_namespace(root) in {"rss", "RDF"}
        else root
    )
    if channel is None:
        raise Broken("The feed has no channel element.")
    items = [
        item
        for holder in (root, channel)
        for item in holder
        if xml_tree.strip_namespace(item) in {"item", "entry"}
    ]
    entries = [
        _read_feed_entry(item, url)
        for item in (
            items if channel is not root else xml_tree.collect_child_elements(root, "entry")
        )
    ]
    about = {
        xml_tree.strip_namespace(item): xml_tree.join_element_text(item)
        for item in reversed(channel)
    }
    return _build_feed_document(about.get("title", ""), about.get("description") or about.get("subtitle") or "",
                    entries, author=about.get("author"), language=about.get("language") or xml_tree.find_xml_attribute(root, "lang"))  # fmt: skip


def parse_feed_xml(text: str) -> Element:
    try:
        return xml_tree.parse_xml_text(text)
    except Broken:
        return xml_tree.parse_xml_text(_repair_feed_xml(text))


def _repair_feed_xml(text: str) -> str:
    """Feed XML with common mistakes repaired: HTML entities, bare ampersands, control characters."""
    text = _CONTROL_CHARACTER_PATTERN.sub("", text)
    text = _HTML_ENTITY_PATTERN.sub(lambda found: html.escape(html.unescape(found.group())), text)
    return _BARE_AMPERSAND_PATTERN.sub("&amp;", text)


def _read_feed_entry(item: Element, url: str) -> _FeedEntry:
    found: dict[str, Element] = {}
    for part in item:
        found.setdefault(xml_tree.strip_namespace(part), part)
    author = found.get("author")
    name = xml_tree.find_child_element(author, "name") if author is not None else None
    body = next(
        (
            found[key]
            for key in _BODY_ELEMENT_NAMES
            if key in found and (found[key].text or len(found[key]))
        ),
        None,
    )
    return _FeedEntry(
        title=_strip_feed_tags(xml_tree.join_element_text(found.get("title"))),
        link=resolve_link(url, find_entry_link(item)),
        date=next(
            (
                made
                for key in _DATE_ELEMENT_NAMES
                if (made := parse_document_date(xml_tree.join_element_text(found.get(key))))
            ),
            None,
        ),
        author=xml_tree.join_element_text(name if name is not None else author)
        or xml_tree.join_element_text(found.get("creator")),
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
    return next(
        (xml_tree.join_element_text(link) for link in links if xml_tree.join_element_text(link)), ""
    )


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


def _read_json_feed(text: str, url: str) -> ParsedDocument:
    try:
        feed: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Broken("The feed's JSON is not well formed.") from error
    if not isinstance(feed, Mapping):
        raise Broken("The feed is not a JSON object.")
    items = feed.get("items")
    entries = [
        _read_json_feed_entry(item, url)
        for item in (items if isinstance(items, list) else [])
        if isinstance(item, Mapping)
    ]
    return _build_feed_document(
        _find_feed_string(feed, "title"),
        _find_feed_string(feed, "description"),
        entries,
        language=_find_feed_string(feed, "language"),
    )


def _read_json_feed_entry(item: Mapping[str, Any], url: str) -> _FeedEntry:
    body = _find_feed_string(item, "content_html")
    return _FeedEntry(
        title=_find_feed_string(item, "title"),
        link=resolve_link(
            url, _find_feed_string(item, "url") or _find_feed_string(item, "external_url")
        ),
        date=parse_document_date(_find_feed_string(item, "date_published")),
        author="",
        text=convert_html_fragment(body, base=url)
        if body
        else escape_markdown(
            _find_feed_string(item, "content_text") or _find_feed_string(item, "summary")
        ),
    )


def _find_feed_string(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def _build_feed_document(
    title: str,
    about: str,
    entries: list[_FeedEntry],
    *,
    author: str | None = None,
    language: str | None = None,
) -> ParsedDocument:
    parts = [f"# {escape_markdown(_strip_feed_tags(title))}"] if title else []
    if about:
        parts.append(convert_html_fragment(about) if "<" in about else escape_markdown(about))
    for entry in entries:
        name = escape_markdown(entry.title) or "Untitled"
        parts.append(f"## [{name}]({entry.link})" if entry.link else f"## {name}")
        byline = " · ".join(filter(None, (entry.date, escape_markdown(entry.author))))
        parts += filter(None, (byline, entry.text))
    dates = [entry.date for entry in entries if entry.date]
    return ParsedDocument(markdown="\n\n".join(parts), title=_strip_feed_tags(title) or None, author=author or None,
                  published=max(dates) if dates else None, language=(language or "")[:2].lower() or None)  # fmt: skip
