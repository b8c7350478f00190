"""Feeds: RSS, Atom and JSON Feed as a list of entries with title, link, date and summary."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from xml.etree.ElementTree import Element

from citewell.fetch.charset import decode
from citewell.fetch.documents import trees
from citewell.fetch.documents.document import Broken, Parsed
from citewell.fetch.documents.markup import html_markdown
from citewell.fetch.documents.properties import iso_date
from citewell.fetch.markdown.text import absolute, escape

_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,30});")
_BARE = re.compile(r"&(?!#?\w{1,31};)")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_TEXTS = ("encoded", "content", "description", "summary")
_DATES = ("pubDate", "published", "date", "updated", "issued")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    title: str
    link: str
    date: str | None
    author: str
    text: str


def read_feed(body: bytes, *, url: str, content_type: str) -> Parsed:
    text = decode(body, content_type=content_type).text
    if text.lstrip()[:1] == "{":
        return _json_feed(text, url)
    root = _parse(text)
    channel = trees.child(root, "channel") if trees.local(root) in {"rss", "RDF"} else root
    if channel is None:
        raise Broken("The feed has no channel.")
    items = [
        item
        for holder in (root, channel)
        for item in holder
        if trees.local(item) in {"item", "entry"}
    ]
    entries = [
        _entry(item, url)
        for item in (items if channel is not root else trees.children(root, "entry"))
    ]
    about = {trees.local(item): trees.words(item) for item in reversed(channel)}
    return _written(about.get("title", ""), about.get("description") or about.get("subtitle") or "",
                    entries, author=about.get("author"), language=about.get("language") or trees.attribute(root, "lang"))  # fmt: skip


def _parse(text: str) -> Element:
    try:
        return trees.parse_text(text)
    except Broken:
        return trees.parse_text(_mended(text))


def _mended(text: str) -> str:
    """Feeds are written by hand: HTML's entities, bare ampersands and stray control characters."""
    text = _CONTROLS.sub("", text)
    text = _ENTITY.sub(lambda found: html.escape(html.unescape(found.group())), text)
    return _BARE.sub("&amp;", text)


def _entry(item: Element, url: str) -> _Entry:
    found: dict[str, Element] = {}
    for part in item:
        found.setdefault(trees.local(part), part)
    author = found.get("author")
    name = trees.child(author, "name") if author is not None else None
    body = next(
        (found[key] for key in _TEXTS if key in found and (found[key].text or len(found[key]))),
        None,
    )
    return _Entry(
        title=_plain(trees.words(found.get("title"))),
        link=absolute(url, _link(item)),
        date=next((made for key in _DATES if (made := _date(trees.words(found.get(key))))), None),
        author=trees.words(name if name is not None else author)
        or trees.words(found.get("creator")),
        text=_summary(body, url),
    )


def _link(item: Element) -> str:
    links = trees.children(item, "link")
    for wanted in ("alternate", ""):
        for link in links:
            if link.attrib.get("href") and link.attrib.get("rel", "alternate") in {
                wanted,
                "alternate",
            }:
                return link.attrib["href"]
    return next((trees.words(link) for link in links if trees.words(link)), "")


def _summary(body: Element | None, url: str) -> str:
    if body is None:
        return ""
    if len(body):  # XHTML inside Atom
        return html_markdown("".join(_inner(body)), base=url)
    text = body.text or ""
    return html_markdown(text, base=url) if "<" in text or "&" in text else escape(text.strip())


def _inner(element: Element, depth: int = 0) -> list[str]:
    """XHTML back to tags without namespaces."""
    pieces = [html.escape(element.text or "")]
    for item in element if depth < 100 else ():
        name = trees.local(item)
        attributes = "".join(
            f' {key}="{html.escape(value)}"' for key, value in item.attrib.items() if "}" not in key
        )
        pieces += [
            f"<{name}{attributes}>",
            *_inner(item, depth + 1),
            f"</{name}>",
            html.escape(item.tail or ""),
        ]
    return pieces


def _plain(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^<>]{1,200}>", "", text)).split())


def _date(text: str) -> str | None:
    if made := iso_date(text):
        return made
    try:
        return parsedate_to_datetime(text).isoformat() if text else None
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _json_feed(text: str, url: str) -> Parsed:
    try:
        feed: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Broken("The feed's JSON is not well formed.") from error
    if not isinstance(feed, Mapping):
        raise Broken("The feed is not a JSON object.")
    items = feed.get("items")
    entries = [
        _json_entry(item, url)
        for item in (items if isinstance(items, list) else [])
        if isinstance(item, Mapping)
    ]
    return _written(
        _string(feed, "title"),
        _string(feed, "description"),
        entries,
        language=_string(feed, "language"),
    )


def _json_entry(item: Mapping[str, Any], url: str) -> _Entry:
    body = _string(item, "content_html")
    return _Entry(
        title=_string(item, "title"),
        link=absolute(url, _string(item, "url") or _string(item, "external_url")),
        date=iso_date(_string(item, "date_published")),
        author="",
        text=html_markdown(body, base=url)
        if body
        else escape(_string(item, "content_text") or _string(item, "summary")),
    )


def _string(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def _written(
    title: str,
    about: str,
    entries: list[_Entry],
    *,
    author: str | None = None,
    language: str | None = None,
) -> Parsed:
    parts = [f"# {escape(_plain(title))}"] if title else []
    if about:
        parts.append(html_markdown(about) if "<" in about else escape(about))
    for entry in entries:
        name = escape(entry.title) or "Untitled"
        parts.append(f"## [{name}]({entry.link})" if entry.link else f"## {name}")
        byline = " · ".join(filter(None, (entry.date, escape(entry.author))))
        parts += filter(None, (byline, entry.text))
    dates = [entry.date for entry in entries if entry.date]
    return Parsed(markdown="\n\n".join(parts), title=_plain(title) or None, author=author or None,
                  created=max(dates) if dates else None, language=(language or "")[:2].lower() or None)  # fmt: skip
