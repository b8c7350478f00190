"""What a page says of itself: title, author, site, language, and the date with where it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from citewell.text.markup import clean

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_BLOCKS = 16
_BLOCK_BYTES = 32 * 1024
_TITLES = ("og:title", "twitter:title", "citation_title", "dc.title")
_AUTHORS = ("author", "citation_author", "dc.creator", "parsely-author", "sailthru.author")
_DATES = (
    "article:published_time",
    "citation_publication_date",
    "citation_date",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "pubdate",
    "parsely-pub-date",
)
_SLASHED = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    title: str = ""
    author: str | None = None
    site: str | None = None
    language: str | None = None
    published: str | None = None
    published_basis: str | None = None


def describe(tree: LexborHTMLParser) -> About:
    meta = _meta(tree)
    linked = list(_linked(tree))
    published, basis = _published(tree, meta, linked)
    return About(
        title=_first(meta, _TITLES) or _text(tree, "title") or _text(tree, "h1"),
        author=_first(meta, _AUTHORS) or _author(linked),
        site=meta.get("og:site_name") or None,
        language=_language(tree),
        published=published,
        published_basis=basis,
    )


def _meta(tree: LexborHTMLParser) -> dict[str, str]:
    """Each meta element's first value by its name in lower case."""
    found: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        name = (
            node.attributes.get("property")
            or node.attributes.get("name")
            or node.attributes.get("itemprop")
        )
        value = clean(node.attributes.get("content"))
        if name and value:
            found.setdefault(name.lower(), value)
    return found


def _first(meta: dict[str, str], names: tuple[str, ...]) -> str:
    return next((meta[name] for name in names if name in meta), "")


def _text(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    return clean(node.text()) if node is not None else ""


def _language(tree: LexborHTMLParser) -> str | None:
    node = tree.css_first("html[lang]")
    tag = (node.attributes.get("lang") or "") if node is not None else ""
    match = re.match(r"[A-Za-z]{2,3}(?=$|[-_])", tag)
    return match[0].lower() if match else None


def _linked(tree: LexborHTMLParser) -> Iterator[dict[str, Any]]:
    """Every object of the page's JSON-LD, nested lists and graphs opened."""
    for node in tree.css('script[type="application/ld+json"]')[:_BLOCKS]:
        text = node.text()
        if len(text) > _BLOCK_BYTES:
            continue
        try:
            yield from _objects(json.loads(text, strict=False), depth=0)
        except (ValueError, RecursionError):
            continue


def _objects(value: object, *, depth: int) -> Iterator[dict[str, Any]]:
    if depth > 4:
        return
    if isinstance(value, list):
        for item in value:
            yield from _objects(item, depth=depth + 1)
    elif isinstance(value, dict):
        yield value
        yield from _objects(value.get("@graph"), depth=depth + 1)


def _author(linked: list[dict[str, Any]]) -> str | None:
    names: list[str] = []
    for author in (each for item in linked for each in _listed(item.get("author"))):
        name = author.get("name") if isinstance(author, dict) else author
        if isinstance(name, str) and clean(name):
            names.append(clean(name))
    return ", ".join(dict.fromkeys(names)) or None


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _published(
    tree: LexborHTMLParser, meta: dict[str, str], linked: list[dict[str, Any]]
) -> tuple[str | None, str | None]:
    for item in linked:
        if found := iso(item.get("datePublished")):
            return found, "json-ld"
    for name in _DATES:
        if found := iso(meta.get(name)):
            return found, "meta"
    stamps = tree.css("article time[datetime], main time[datetime], time[pubdate][datetime]")
    for node in stamps[:3]:
        if found := iso(node.attributes.get("datetime")):
            return found, "time"
    return None, None


def iso(value: object) -> str | None:
    """A date or time in ISO form; None for what is not one."""
    if not isinstance(value, str):
        return None
    text = _SLASHED.sub(lambda match: f"{match[1]}-{match[2]:0>2}-{match[3]:0>2}", value.strip())
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        return None
