"""Reads a page's metadata: title, authors, site, language, and dates with the place they were found."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from citewell.fetch.metadata import page_authors as writers
from citewell.fetch.metadata.json_ld import (
    JsonLd,
    JsonLdThing,
    list_thing_types,
    read_text_value,
    wrap_in_list,
)
from citewell.fetch.metadata.meta_elements import (
    MetaElements,
    build_structured_data,
    collect_meta_elements,
    read_forum_signals,
)
from citewell.fetch.metadata.microdata import collect_microdata
from citewell.fetch.metadata.page_dates import parse_citation_date
from citewell.fetch.metadata.page_doi import find_declared_doi, is_doi_described
from citewell.model.page_signals import ForumSignals
from citewell.model.scrape_results import StructuredData
from citewell.text.citations.author_names import AuthorName
from citewell.text.dates.calendar_dates import (
    find_written_date,
    parse_declared_date,
    parse_machine_date,
)
from citewell.text.safety.markup_cleaning import clean_markup

if TYPE_CHECKING:
    from collections.abc import Iterable

    from selectolax.lexbor import LexborHTMLParser

__all__ = ["ExtractedMetadata", "read_page_metadata"]

_ARTICLE_TYPES = frozenset({
    "Article", "NewsArticle", "BlogPosting", "ScholarlyArticle", "MedicalScholarlyArticle", "Report",
    "TechArticle", "AnalysisNewsArticle", "OpinionNewsArticle", "ReportageNewsArticle", "LiveBlogPosting",
    "DiscussionForumPosting", "SocialMediaPosting", "QAPage", "Question", "Recipe", "VideoObject",
    "PodcastEpisode", "Book", "Dataset", "SoftwareSourceCode", "HowTo", "Review", "CreativeWork",
    "APIReference", "BackgroundNewsArticle", "ReviewNewsArticle", "AdvertiserContentArticle",
})  # fmt: skip
_PAGE_TYPES = frozenset({"WebPage", "ItemPage", "AboutPage", "CollectionPage", "Product", "Event"})
_TITLE_META_NAMES = ("citation_title", "og:title")
_FALLBACK_TITLE_META_NAMES = (
    "twitter:title",
    "dc.title",
    "dcterms.title",
    "parsely-title",
    "sailthru.title",
)
_PUBLISHED_META_NAMES = (
    "article:published_time", "article:published", "og:published_time", "bt:pubdate",
    "citation_publication_date", "citation_online_date", "citation_date", "prism.publicationdate",
    "dc.date.issued", "dcterms.issued", "dc.date.created", "dcterms.created", "dc.date", "dcterms.date",
    "datepublished", "parsely-pub-date", "sailthru.date", "article.published", "published-date",
    "publication_date", "publish-date", "pubdate", "date", "cxenseparse:recs:publishtime", "date.created",
)  # fmt: skip
_MODIFIED_META_NAMES = (
    "article:modified_time", "og:updated_time", "article:modified", "dcterms.modified",
    "dc.date.modified", "datemodified", "last-modified", "lastmod", "revised", "modified-date",
)  # fmt: skip
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
    people = writers.find_page_authors(tree, meta, linked, _list_main_things(linked))
    people = writers.mark_site_author(people, site)
    published, basis = _find_published_date(tree, meta, linked, url)
    modified, modified_basis = _find_modified_date(tree, meta, linked)
    if modified and published and modified[:10] < published[:10]:
        modified = modified_basis = None
    return ExtractedMetadata(
        title=_find_title(tree, meta, linked),
        author=writers.format_author_line(people) or None,
        authors=people,
        site=site,
        language=_find_page_language(tree, meta, linked),
        published=published,
        published_basis=basis,
        modified=modified,
        modified_basis=modified_basis,
        structured=build_structured_data(meta, linked, collect_microdata(tree)),
        declared_doi=find_declared_doi(meta, linked),
        is_doi_described=is_doi_described(meta, linked),
        forum=read_forum_signals(linked, url),
    )


def _list_main_things(linked: JsonLd) -> list[JsonLdThing]:
    """The JSON-LD things that may describe the page itself, the likeliest first."""
    return [*linked.find_things(_ARTICLE_TYPES), *linked.find_things(_PAGE_TYPES)]


def _find_title(tree: LexborHTMLParser, meta: MetaElements, linked: JsonLd) -> str:
    headlines = (
        clean_markup(read_text_value(thing.get("headline")))
        for thing in linked.find_things(_ARTICLE_TYPES)
    )
    return (
        meta.find_first_value(_TITLE_META_NAMES)
        or next(filter(None, headlines), "")
        or meta.find_first_value(_FALLBACK_TITLE_META_NAMES)
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
    said = (thing.get("inLanguage") for thing in _list_main_things(linked))
    tags = (
        attributes.get("lang"),
        attributes.get("xml:lang"),
        meta.find_first_value(
            ("content-language", "og:locale", "citation_language", "dc.language", "language")
        ),
        *(each for value in said for each in wrap_in_list(value)),
    )
    for tag in tags:
        match = _LANGUAGE_TAG.match(tag) if isinstance(tag, str) else None
        if match:
            return match[0].lower()
    return None


def _find_published_date(
    tree: LexborHTMLParser, meta: MetaElements, linked: JsonLd, url: str
) -> tuple[str | None, str | None]:
    for thing in (*_list_main_things(linked), *_list_untyped_things(linked)):
        for name in ("datePublished", "dateCreated", "uploadDate"):
            if found := parse_declared_date(read_text_value(thing.get(name))):
                return found, "json-ld"
    for name in _PUBLISHED_META_NAMES:
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
    for name in _MODIFIED_META_NAMES:
        if found := parse_declared_date(meta.find_meta_value(name)):
            return found, "meta"
    for node in tree.css("[itemprop=dateModified], time.updated, .last-updated, .updated time")[:4]:
        attributes = node.attributes
        stamp = attributes.get("datetime") or attributes.get("content")
        if found := parse_machine_date(stamp) or find_written_date(clean_markup(node.text())):
            return found, "microdata" if attributes.get("itemprop") else "time"
    return None, None


def _list_untyped_things(linked: JsonLd) -> Iterable[JsonLdThing]:
    return (thing for thing in linked.things if not list_thing_types(thing))
