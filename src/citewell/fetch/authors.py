"""Who wrote a page, by every means a page has of saying so, the most exact first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from citewell.fetch.linked import Linked, Thing, kinds, listed
from citewell.fetch.structured import Meta
from citewell.text.markup import clean
from citewell.text.names import Author

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_MOST = 50
_LONGEST = 120
_ORGANISATIONS = frozenset({
    "Organization", "NewsMediaOrganization", "Corporation", "GovernmentOrganization", "NGO",
    "EducationalOrganization", "CollegeOrUniversity", "Brand",
})  # fmt: skip
_META = (
    "author", "article:author", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author",
    "byl", "og:article:author", "article:author_name", "cxenseparse:author",
)  # fmt: skip
_BY = re.compile(
    r"^(?:written |posted |published |story )?by:?\s+|^(?:von|par|por|di|door)\s+(?=[A-ZÀ-Þ])",
    re.IGNORECASE,
)
_NOBODY = frozenset(
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
_ADDRESS = re.compile(r"https?:|www\.|^/|\S+@\S+\.\S+|^@")
_SEPARATOR = re.compile(r"\s*(?:;|\||•|&|\band\b|\bund\b|\bet\b(?! al))\s*", re.IGNORECASE)


def of(
    tree: LexborHTMLParser, meta: Meta, linked: Linked, main: Iterable[Thing]
) -> tuple[Author, ...]:
    for found in _sources(tree, meta, linked, main):
        sane = _sane(found)
        if sane:
            return sane
    return ()


def _sources(
    tree: LexborHTMLParser, meta: Meta, linked: Linked, main: Iterable[Thing]
) -> Iterator[Iterable[Author]]:
    yield [Author(name=name) for name in meta.all(("citation_author", "citation_authors"))]
    yield _linked(linked, main)
    for name in _META:
        yield [author for value in meta.all((name,)) for author in _split(value)]
    yield _marked(tree)


def line(people: Iterable[Author]) -> str:
    return ", ".join(author.spoken for author in people)


def _sane(people: Iterable[Author]) -> tuple[Author, ...]:
    kept: dict[str, Author] = {}
    for author in people:
        name = _BY.sub("", clean(author.name)).strip(" ,;·|-")
        if (
            name
            and len(name) <= _LONGEST
            and name.lower() not in _NOBODY
            and not _ADDRESS.search(name)
        ):
            kept.setdefault(name.lower(), Author(name=name, organisation=author.organisation))
    return tuple(kept.values())[:_MOST]


def _linked(linked: Linked, main: Iterable[Thing]) -> Iterator[Author]:
    things = list(main) or linked.things
    for thing in things:
        found = [
            person
            for value in listed(thing.get("author") or thing.get("creator"))
            for person in _person(linked, value)
        ]
        if found:
            yield from found
            return


def _person(linked: Linked, value: object) -> Iterator[Author]:
    value = linked.resolve(value)
    if isinstance(value, str):
        yield from _split(value)
        return
    if not isinstance(value, dict):
        return
    organisation = bool(_ORGANISATIONS.intersection(kinds(value)))
    for name in listed(value.get("name")):
        if isinstance(name, str):
            yield from ([Author(name=name, organisation=True)] if organisation else _split(name))


def _split(value: str) -> list[Author]:
    """Several names in one value; a comma parts them only where each side has a first name too."""
    text = _BY.sub("", clean(value))
    parts = [part for part in _SEPARATOR.split(text) if part]
    names: list[str] = []
    for part in parts:
        pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
        whole = len(pieces) > 1 and all(" " in piece for piece in pieces)
        names.extend(pieces if whole else [part])
    return [Author(name=name) for name in names]


def _marked(tree: LexborHTMLParser) -> Iterator[Author]:
    for selector in (
        "[itemprop=author] [itemprop=name], [itemprop=author]",
        "a[rel~=author i]",
        "article .byline a, .author-name, .byline .author, .post-author, .entry-author",
    ):
        nodes = tree.css(selector)[:6]
        found = [clean(node.attributes.get("content") or node.text()) for node in nodes]
        named = [name for name in found if name and len(name.split()) <= 6]
        if named:
            for name in named:
                yield from _split(name)
            return
