"""Reads a page's metadata: title, authors, site, language, and dates with the place they were found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from citewell.citations import dois
from citewell.citations.author_names import AuthorName
from citewell.core.values.scrape_results import ForumSignals, StructuredData
from citewell.reading.metadata import page_authors as writers
from citewell.reading.metadata.meta_elements import (
    JsonLd,
    JsonLdThing,
    MetaElements,
    build_structured_data,
    collect_meta_elements,
    collect_microdata,
    list_thing_types,
    read_forum_signals,
    read_text_value,
    wrap_in_list,
)
from citewell.text.calendar_dates import (
    build_partial_date,
    find_written_date,
    parse_declared_date,
    parse_machine_date,
)
from citewell.text.data_tables import load_table
from citewell.text.safety.text_cleaning import clean_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MAX_MENTIONED_DOIS = 200  # different DOIs that are counted on one page
_WORK_TYPES = frozenset({
    "ScholarlyArticle", "MedicalScholarlyArticle", "Dataset", "Chapter", "Book", "Thesis", "Report",
    "SoftwareSourceCode", "SoftwareApplication",
})  # fmt: skip
_DOI_PROPERTIES = ("identifier", "doi", "@id", "sameAs", "url")


@cache
def _load_names(kind: str) -> tuple[str, ...]:
    """One of the lists in page_metadata.json, such as the names of meta elements with a date."""
    return tuple(load_table(__package__, "page_metadata")[kind])


def is_doi_described(meta: MetaElements, linked: JsonLd) -> bool:
    """Whether the metadata also give the title or the authors of the work whose DOI they state."""
    return bool(meta.collect_values(_load_names("work_meta_names"))) or any(
        thing.get("name") or thing.get("headline")
        for thing in linked.things
        if _WORK_TYPES.intersection(list_thing_types(thing))
    )


def list_own_dois(url: str, final_url: str, declared: str | None) -> tuple[str, ...]:
    """The DOIs that metadata or address claim for the page, the strongest claim first."""
    resolved = dois.find_doi(url) if dois.is_doi_resolver(url) else None
    claimed = (declared, resolved, _find_address_doi(final_url))
    return tuple(dict.fromkeys(doi for doi in claimed if doi))


def list_mentioned_dois(text: str, own: Iterable[str]) -> tuple[str, ...]:
    """The other DOIs in the page's text; those of figures and supplements belong to the own one."""
    claimed = tuple(own)
    inner = tuple(doi + mark for doi in claimed for mark in "./#")
    found = dois.list_dois(text, max_count=MAX_MENTIONED_DOIS)
    return tuple(doi for doi in found if doi not in claimed and not doi.startswith(inner))


def _find_address_doi(url: str) -> str | None:
    """The DOI in the path or as `id`; one in another parameter is what somebody searched for."""
    try:
        query = urlsplit(url).query
    except ValueError:  # square brackets without an IPv6 address
        return None
    bare = url.partition("?")[0].partition("#")[0]
    return dois.find_doi_in_address(bare) or dois.find_doi(" ".join(parse_qs(query).get("id", ())))


def _find_only_doi(values: Iterable[str]) -> str | None:
    found = {doi for value in values if (doi := dois.find_doi(value))}
    return found.pop() if len(found) == 1 else None


def _find_json_ld_doi(linked: JsonLd) -> str | None:
    """The DOI of the only work that the JSON-LD describes; beside a news item it is another's."""
    works = [thing for thing in linked.things if _WORK_TYPES.intersection(list_thing_types(thing))]
    if any(_is_about_others(thing) for thing in linked.things):
        return None
    return _find_only_doi(
        value for thing in works for value in list(_generate_thing_dois(thing))[:1]
    )


def _is_about_others(thing: JsonLdThing) -> bool:
    kinds = list_thing_types(thing)
    return _WORK_TYPES.isdisjoint(kinds) and any(
        kind == "Article" or kind.endswith(("NewsArticle", "Posting", "Review", "QAPage"))
        for kind in kinds
    )


def _generate_thing_dois(thing: JsonLdThing) -> Iterator[str]:
    for name in _DOI_PROPERTIES:
        for value in wrap_in_list(thing.get(name)):
            text = value.get("value") or value.get("@id") if isinstance(value, dict) else value
            if isinstance(text, str) and (doi := dois.find_doi(text)):
                yield doi


_YEAR_AND_MONTH_PATTERN = re.compile(r"((?:1[5-9]|20)\d\d)(?:[-/](\d{1,2}))?")


_PAGE_TYPES = frozenset({"WebPage", "ItemPage", "AboutPage", "CollectionPage", "Product", "Event"})
_TITLE_META_NAMES = ("citation_title", "og:title")
_BYLINE_DATE_SELECTOR = (
    "[itemprop=datePublished], time[pubdate], article time, main time, .published, .entry-date,"
    " .post-date, .posted-on, .article-date, .publish-date, .pubdate, .byline-date, .dateline, .date-published"
)
_DATE_CLASS_SELECTOR = (
    "[class*=date i], [class*=publish i], [class*=posted i], [class*=byline i], [class*=eyebrow i]"
)
_UPDATED_WORDS = re.compile(
    r"updat|modif|edited|aktualisiert|mis à jour|actualizad|обновл|更新", re.IGNORECASE
)
_MAX_DATE_ELEMENTS = 60
_URL_DATE = re.compile(
    r"/((?:19|20)\d\d)/(\d{1,2})/(\d{1,2})(?:/|$)|(?<!\d)((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)"
)
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?=$|[-_])")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedMetadata:
    title: str = ""
    author: str | None = None  # all authors in one line
    authors: tuple[AuthorName, ...] = ()
    site: str | None = None
    language: str | None = None
    published: str | None = None
    published_basis: str | None = None  # json-ld, meta, microdata, time, text or url
    modified: str | None = None
    modified_basis: str | None = None
    structured: StructuredData | None = None
    declared_doi: str | None = None
    is_doi_described: bool = False
    forum: ForumSignals | None = None


def read_page_metadata(tree: LexborHTMLParser, *, url: str = "") -> ExtractedMetadata:
    """The page's metadata. Call it before hidden text is removed, which takes metadata with it."""
    meta, linked = collect_meta_elements(tree), JsonLd(tree)
    site = _find_publisher_name(meta, linked)
    people = writers.find_page_authors(tree, meta, linked, _list_main_things(linked), site=site)
    published, basis = _find_published_date(tree, meta, linked, url)
    modified, modified_basis = _find_modified_date(tree, meta, linked)
    if modified and published and modified[:10] < published[:10]:
        modified = modified_basis = None
    # None if the page's citation metadata name several DOIs as its own, or none.
    stated_dois = (
        _find_only_doi(meta.collect_values((name,))) for name in _load_names("doi_meta_names")
    )
    return ExtractedMetadata(
        title=_find_title(tree, meta, linked),
        author=", ".join(person.display_name for person in people) or None,
        authors=people,
        site=site,
        language=_find_page_language(tree, meta, linked),
        published=published,
        published_basis=basis,
        modified=modified,
        modified_basis=modified_basis,
        structured=build_structured_data(meta, linked, collect_microdata(tree)),
        declared_doi=next(filter(None, stated_dois), None) or _find_json_ld_doi(linked),
        is_doi_described=is_doi_described(meta, linked),
        forum=read_forum_signals(linked, url),
    )


def _list_main_things(linked: JsonLd) -> list[JsonLdThing]:
    """The JSON-LD things that may describe the page itself, the likeliest first."""
    return [
        *linked.find_things(frozenset(_load_names("article_types"))),
        *linked.find_things(_PAGE_TYPES),
    ]


def _find_title(tree: LexborHTMLParser, meta: MetaElements, linked: JsonLd) -> str:
    headlines = (
        clean_markup(read_text_value(thing.get("headline")))
        for thing in linked.find_things(frozenset(_load_names("article_types")))
    )
    return (
        meta.find_first_value(_TITLE_META_NAMES)
        or next(filter(None, headlines), "")
        or meta.find_first_value(_load_names("fallback_title_meta_names"))
        or _read_first_text(tree, "head > title, title")
        or _read_first_text(tree, "h1")
    )[:1000]


def _find_publisher_name(meta: MetaElements, linked: JsonLd) -> str | None:
    named = meta.find_first_value(
        ("og:site_name", "application-name", "citation_journal_title", "dc.publisher")
    )
    if named:
        return named
    for thing in _list_main_things(linked):
        publisher = linked.resolve_reference(thing.get("publisher"))
        if name := clean_markup(read_text_value(publisher)):
            return name
    sites = (
        clean_markup(read_text_value(thing.get("name")))
        for thing in linked.find_things(frozenset({"WebSite"}))
    )
    return next(filter(None, sites), None)


def _read_first_text(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    return clean_markup(node.text()) if node is not None else ""


def _find_page_language(tree: LexborHTMLParser, meta: MetaElements, linked: JsonLd) -> str | None:
    node = tree.css_first("html[lang], html[xml\\:lang]")
    attributes = node.attributes if node is not None else {}
    languages = (thing.get("inLanguage") for thing in _list_main_things(linked))
    tags = (
        attributes.get("lang"),
        attributes.get("xml:lang"),
        meta.find_first_value(
            ("content-language", "og:locale", "citation_language", "dc.language", "language")
        ),
        *(each for value in languages for each in wrap_in_list(value)),
    )
    for tag in tags:
        match = _LANGUAGE_TAG.match(tag) if isinstance(tag, str) else None
        if match:
            return match[0].lower()
    return None


def _find_published_date(
    tree: LexborHTMLParser, meta: MetaElements, linked: JsonLd, url: str
) -> tuple[str | None, str | None]:
    untyped = (thing for thing in linked.things if not list_thing_types(thing))
    for thing in (*_list_main_things(linked), *untyped):
        for name in ("datePublished", "dateCreated", "uploadDate"):
            if found := parse_declared_date(read_text_value(thing.get(name))):
                return found, "json-ld"
    for name in _load_names("published_meta_names"):
        if found := (
            parse_citation_date
            if name.startswith(("citation", "dc", "prism"))
            else parse_declared_date
        )(meta.find_meta_value(name)):
            return found, "meta"
    return _find_visible_date(tree, url)


def _find_visible_date(tree: LexborHTMLParser, url: str) -> tuple[str | None, str | None]:
    for node in tree.css(_BYLINE_DATE_SELECTOR)[:12]:
        attributes = node.attributes
        stamp = attributes.get("datetime") or attributes.get("content")
        found = parse_machine_date(stamp) or find_written_date(clean_markup(node.text()))
        if found and not _is_update_mark(
            attributes.get("class") or attributes.get("itemprop") or ""
        ):
            if attributes.get("itemprop"):
                return found, "microdata"
            return found, "time" if node.tag == "time" else "text"
    found, basis = _find_url_date(url)
    return (found, basis) if found else _find_only_date(tree)


def _find_only_date(tree: LexborHTMLParser) -> tuple[str | None, str | None]:
    """The date in elements whose class names a date, if there is only one: lists have one per entry."""
    days: set[str] = set()
    for node in tree.css(_DATE_CLASS_SELECTOR)[:_MAX_DATE_ELEMENTS]:
        words = (
            clean_markup(node.text())
            if not _is_update_mark(node.attributes.get("class") or "")
            else ""
        )
        if words and not _UPDATED_WORDS.search(words) and (found := find_written_date(words)):
            days.add(found)
    return (days.pop(), "text") if len(days) == 1 else (None, None)


def _is_update_mark(name: str) -> bool:
    return bool(re.search(r"updat|modif|comment", name, re.IGNORECASE))


def _find_url_date(url: str) -> tuple[str | None, str | None]:
    match = _URL_DATE.search(urlsplit(url).path) if url else None
    if match is None:
        return None, None
    year, month, day = (part for part in match.groups() if part)
    found = parse_machine_date(f"{year}-{month:0>2}-{day:0>2}")
    return (found, "url") if found else (None, None)


def _find_modified_date(
    tree: LexborHTMLParser, meta: MetaElements, linked: JsonLd
) -> tuple[str | None, str | None]:
    for thing in _list_main_things(linked):
        if found := parse_declared_date(read_text_value(thing.get("dateModified"))):
            return found, "json-ld"
    for name in _load_names("modified_meta_names"):
        if found := parse_declared_date(meta.find_meta_value(name)):
            return found, "meta"
    for node in tree.css("[itemprop=dateModified], time.updated, .last-updated, .updated time")[:4]:
        attributes = node.attributes
        stamp = attributes.get("datetime") or attributes.get("content")
        if found := parse_machine_date(stamp) or find_written_date(clean_markup(node.text())):
            return found, "microdata" if attributes.get("itemprop") else "time"
    return None, None


# Dates that journals declare in the meta tags of a page, which may lack the day or the month.


def parse_citation_date(value: object) -> str | None:
    """Like `parse_declared_date`, but also a year, or a year and month: many journals give no more."""
    if found := parse_declared_date(value):
        return found
    match = _YEAR_AND_MONTH_PATTERN.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    built = build_partial_date(int(match[1]), int(match[2] or 0))
    return built if match[2] is None or len(built) > len(match[1]) else None
