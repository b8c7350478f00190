"""Finds the authors of a page: in citation meta elements, JSON-LD, other meta elements, then markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import split_joined_names
from citewell.core.lazy_patterns import compile_on_use
from citewell.reading.metadata.meta_elements import (
    JsonLd,
    JsonLdThing,
    MetaElements,
    list_thing_types,
    wrap_in_list,
)
from citewell.reading.page_nodes import iterate_upwards, read_class_and_id
from citewell.text.data_tables import load_table
from citewell.text.safety.text_cleaning import clean_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_MAX_AUTHORS = 50
_MAX_NAME_CHARS = 120
_MAX_NAME_WORDS = 6  # of a marked name; more are a sentence
_MAX_MARKED_NODES = 20
_ORGANISATION_TYPES = frozenset(
    {"Corporation", "NGO", "CollegeOrUniversity", "Brand", "WebSite", "LocalBusiness", "MusicGroup"}
)
# What accounts post: the name of an account is cited as it is, whoever owns it.
_ACCOUNT_TYPES = frozenset({
    "VideoObject", "DiscussionForumPosting", "SocialMediaPosting", "Question", "QAPage", "PodcastEpisode",
    "PodcastSeries",
})  # fmt: skip
_REPLY_TYPES = frozenset({"Answer", "Comment", "UserComments", "Review"})
_REPLY_MARKS = compile_on_use(
    r"(?:^|[\s_-])(?:comments?|repl(?:y|ies)|answers?|respond|related|sidebar)(?:$|[\s_-])",
    re.IGNORECASE,
)
_MAX_ANCESTORS = 20
_AUTHOR_META_NAMES = (
    "author", "article:author", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author",
    "byl", "og:article:author", "article:author_name", "cxenseparse:author",
)  # fmt: skip
_BYLINE_PREFIX = compile_on_use(
    r"^(?:written |posted |published |story )?by:?\s+|^(?:von|par|por|di|door)\s+(?=[A-ZÀ-Þ])",
    re.IGNORECASE,
)
_ADDRESS_PATTERN = compile_on_use(r"https?:|www\.|^/|\S@\S{1,120}\.\S|^@")
# The figures that forums set beside a name.
_STANDING_PATTERN = compile_on_use(
    r"(?:\s{1,9}\d[\d.,]{0,9}[km]?\b){1,6}(?:\s{0,9}(?:(?:gold|silver|bronze)\s{1,9})?(?:badges?|reputation|points?|posts?|karma"
    r"|followers|subscribers)\b.{0,240})?$",
    re.IGNORECASE | re.DOTALL,
)
_NAME_SEPARATOR = compile_on_use(
    r"(?:(?<!\s)\s++)?(?:;|\||•|&|\band\b|\bund\b|\bet\b(?! al))\s*", re.IGNORECASE
)


def find_page_authors(
    tree: LexborHTMLParser,
    meta: MetaElements,
    linked: JsonLd,
    main: Iterable[JsonLdThing],
    *,
    site: str | None,
) -> tuple[AuthorName, ...]:
    """The authors; one with the site's own name is marked as an organisation."""
    sources = map(_keep_plausible_authors, _author_sources(tree, meta, linked, main))
    people = next(filter(None, sources), ())
    own = (site or "").casefold()
    return tuple(
        replace(person, organisation=True) if person.name.casefold() == own else person
        for person in people
    )


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


def _keep_plausible_authors(people: Iterable[AuthorName]) -> tuple[AuthorName, ...]:
    kept: dict[str, AuthorName] = {}
    for author in people:
        name = _BYLINE_PREFIX.sub("", clean_markup(author.name)).strip(" ,;·|-–—")
        if (
            any(char.isalpha() for char in name)
            and len(name) <= _MAX_NAME_CHARS
            and name.lower() not in _load_placeholder_names()
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
        if found and not _ACCOUNT_TYPES.isdisjoint(list_thing_types(thing)):
            yield from (replace(person, organisation=True) for person in found)
            return
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
    organisation = _is_organisation_type(list_thing_types(value))
    for name in wrap_in_list(value.get("name")):
        if isinstance(name, str):
            yield from (
                [AuthorName(name=name, organisation=True)]
                if organisation
                else _split_author_names(name)
            )


def _is_organisation_type(types: Iterable[str]) -> bool:
    return any(kind in _ORGANISATION_TYPES or kind.endswith("Organization") for kind in types)


def _split_author_names(value: str) -> list[AuthorName]:
    """Split a value into names; at commas only if every part has a first and a last name."""
    text = _BYLINE_PREFIX.sub("", clean_markup(value))
    parts = [part for part in split_joined_names(text, _NAME_SEPARATOR) if part]
    names: list[str] = []
    for part in parts:
        pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
        whole = len(pieces) > 1 and all(" " in piece for piece in pieces)
        names.extend(pieces if whole else [part])
    return [AuthorName(name=name) for name in names]


def _read_marked_authors(tree: LexborHTMLParser) -> Iterator[AuthorName]:
    found = list(_read_microdata_authors(tree)) or _read_byline_authors(tree)
    for author in found:
        name = _STANDING_PATTERN.sub("", author.name[: 2 * _MAX_NAME_CHARS]).strip()
        if len(name.split()) > _MAX_NAME_WORDS:
            continue
        if author.organisation:
            yield AuthorName(name=name, organisation=True)
        else:
            yield from _split_author_names(name)


def _read_microdata_authors(tree: LexborHTMLParser) -> Iterator[AuthorName]:
    """The authors of the page's main item; of a thread, who began it."""
    for node in tree.css("[itemprop~=author]")[:_MAX_MARKED_NODES]:
        items = (above for above in _list_ancestors(node) if "itemscope" in above.attributes)
        item = next(items, None)
        types = _list_item_types(item)
        if not _REPLY_TYPES.isdisjoint(types) or _is_inside_reply(node):
            continue
        named = node.css_first("[itemprop=name]") or node.css_first("a") or node
        name = clean_markup(named.attributes.get("content") or named.text() or node.text())
        is_account = not _ACCOUNT_TYPES.isdisjoint(types)
        if name:
            literal = is_account or _is_organisation_type(_list_item_types(node))
            yield AuthorName(name=name, organisation=literal)
        if is_account:
            return


def _read_byline_authors(tree: LexborHTMLParser) -> list[AuthorName]:
    """The names in the first byline; names elsewhere are those of other posts."""
    for selector in (
        "a[rel~=author i]",
        "article .byline a, .author-name, .byline .author, .post-author, .entry-author",
    ):
        nodes = [
            node
            for node in tree.css(selector)[:_MAX_MARKED_NODES]
            if clean_markup(node.text()) and not _is_inside_reply(node)
        ]
        if nodes:
            byline = _list_near_parents(nodes[0])
            return [
                AuthorName(name=clean_markup(node.text()))
                for node in nodes
                if not byline.isdisjoint(_list_near_parents(node))
            ]
    return []


def _list_near_parents(node: LexborNode) -> set[int]:
    """The identities of the parent and its parent, which the names of one byline share."""
    return {above.mem_id for above in islice(iterate_upwards(node.parent), 2)}


def _is_inside_reply(node: LexborNode) -> bool:
    for above in _list_ancestors(node):
        named = f"{read_class_and_id(above)} {above.attributes.get('itemprop') or ''}"
        if above.tag in {"html", "body", "main", "article"}:
            continue
        if _REPLY_MARKS.search(named) or "Answer" in named:
            return True
    return False


def _list_ancestors(node: LexborNode) -> Iterator[LexborNode]:
    above = islice(iterate_upwards(node.parent), _MAX_ANCESTORS)
    return takewhile(lambda outer: outer.tag != "-undef", above)


def _list_item_types(node: LexborNode | None) -> list[str]:
    named = (node.attributes.get("itemtype") or "") if node is not None else ""
    return [address.rstrip("/").rpartition("/")[2] for address in named.split()]


@cache
def _load_placeholder_names() -> frozenset[str]:
    return frozenset(load_table(__package__, "page_authors")["placeholder_names"])
