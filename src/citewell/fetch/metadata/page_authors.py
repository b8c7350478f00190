"""Finds the authors of a page: in citation meta elements, JSON-LD, other meta elements, then markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from citewell.fetch.metadata.json_ld import (
    JsonLd,
    JsonLdThing,
    list_thing_types,
    wrap_in_list,
)
from citewell.fetch.metadata.meta_elements import MetaElements
from citewell.text.citations.author_names import AuthorName
from citewell.text.safety.markup_cleaning import clean_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_MAX_AUTHORS = 50
_MAX_NAME_CHARS = 120
_ORGANISATION_TYPES = frozenset({
    "Organization", "NewsMediaOrganization", "Corporation", "GovernmentOrganization", "NGO",
    "EducationalOrganization", "CollegeOrUniversity", "Brand",
})  # fmt: skip
_AUTHOR_META_NAMES = (
    "author", "article:author", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author",
    "byl", "og:article:author", "article:author_name", "cxenseparse:author",
)  # fmt: skip
_BYLINE_PREFIX = re.compile(
    r"^(?:written |posted |published |story )?by:?\s+|^(?:von|par|por|di|door)\s+(?=[A-ZÀ-Þ])",
    re.IGNORECASE,
)
_PLACEHOLDER_NAMES = frozenset(
    {
        "admin",
        "administrator",
        "author",
        "unknown",
        "anonymous",
        "user",
        "none",
        "null",
        "n/a",
        "editor",
    }
)
_ADDRESS_PATTERN = re.compile(r"https?:|www\.|^/|\S@\S{1,120}\.\S|^@")
_NAME_SEPARATOR = re.compile(
    r"(?:(?<!\s)\s++)?(?:;|\||•|&|\band\b|\bund\b|\bet\b(?! al))\s*", re.IGNORECASE
)


def find_page_authors(
    tree: LexborHTMLParser, meta: MetaElements, linked: JsonLd, main: Iterable[JsonLdThing]
) -> tuple[AuthorName, ...]:
    for found in _author_sources(tree, meta, linked, main):
        sane = _keep_plausible_authors(found)
        if sane:
            return sane
    return ()


def _author_sources(
    tree: LexborHTMLParser, meta: MetaElements, linked: JsonLd, main: Iterable[JsonLdThing]
) -> Iterator[Iterable[AuthorName]]:
    yield [
        AuthorName(name=name)
        for name in meta.collect_values(("citation_author", "citation_authors"))
    ]
    yield _read_json_ld_authors(linked, main)
    for name in _AUTHOR_META_NAMES:
        yield [
            author
            for value in meta.collect_values((name,))
            for author in _split_author_names(value)
        ]
    yield _read_marked_authors(tree)


def format_author_line(people: Iterable[AuthorName]) -> str:
    return ", ".join(author.display_name for author in people)


def _keep_plausible_authors(people: Iterable[AuthorName]) -> tuple[AuthorName, ...]:
    kept: dict[str, AuthorName] = {}
    for author in people:
        name = _BYLINE_PREFIX.sub("", clean_markup(author.name)).strip(" ,;·|-")
        if (
            name
            and len(name) <= _MAX_NAME_CHARS
            and name.lower() not in _PLACEHOLDER_NAMES
            and not _ADDRESS_PATTERN.search(name)
        ):
            kept.setdefault(name.lower(), AuthorName(name=name, organisation=author.organisation))
    return tuple(kept.values())[:_MAX_AUTHORS]


def _read_json_ld_authors(linked: JsonLd, main: Iterable[JsonLdThing]) -> Iterator[AuthorName]:
    things = list(main) or linked.things
    for thing in things:
        found = [
            person
            for value in wrap_in_list(thing.get("author") or thing.get("creator"))
            for person in _read_json_ld_person(linked, value)
        ]
        if found:
            yield from found
            return


def _read_json_ld_person(linked: JsonLd, value: object) -> Iterator[AuthorName]:
    value = linked.resolve_reference(value)
    if isinstance(value, str):
        yield from _split_author_names(value)
        return
    if not isinstance(value, dict):
        return
    organisation = bool(_ORGANISATION_TYPES.intersection(list_thing_types(value)))
    for name in wrap_in_list(value.get("name")):
        if isinstance(name, str):
            yield from (
                [AuthorName(name=name, organisation=True)]
                if organisation
                else _split_author_names(name)
            )


def _split_author_names(value: str) -> list[AuthorName]:
    """Split a value into names; at commas only if every part has a first and a last name."""
    text = _BYLINE_PREFIX.sub("", clean_markup(value))
    parts = [part for part in _NAME_SEPARATOR.split(text) if part]
    names: list[str] = []
    for part in parts:
        pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
        whole = len(pieces) > 1 and all(" " in piece for piece in pieces)
        names.extend(pieces if whole else [part])
    return [AuthorName(name=name) for name in names]


def _read_marked_authors(tree: LexborHTMLParser) -> Iterator[AuthorName]:
    for selector in (
        "[itemprop=author] [itemprop=name], [itemprop=author]",
        "a[rel~=author i]",
        "article .byline a, .author-name, .byline .author, .post-author, .entry-author",
    ):
        nodes = tree.css(selector)[:6]
        found = [clean_markup(node.attributes.get("content") or node.text()) for node in nodes]
        named = [name for name in found if name and len(name.split()) <= 6]
        if named:
            for name in named:
                yield from _split_author_names(name)
            return
