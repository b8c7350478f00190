"""What a page says of itself: title, authors, site, language, and its dates with where they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from citewell.fetch import authors as writers
from citewell.fetch.linked import Linked, Thing, kinds, listed, text
from citewell.fetch.stamps import iso, partly, written
from citewell.fetch.structured import Meta, collect, forum, structured
from citewell.model.scrape import StructuredData
from citewell.model.signals import ForumSignals
from citewell.text.markup import clean
from citewell.text.names import Author

if TYPE_CHECKING:
    from collections.abc import Iterable

    from selectolax.lexbor import LexborHTMLParser

__all__ = ["About", "describe", "iso"]

_ARTICLES = frozenset({
    "Article", "NewsArticle", "BlogPosting", "ScholarlyArticle", "MedicalScholarlyArticle", "Report",
    "TechArticle", "AnalysisNewsArticle", "OpinionNewsArticle", "ReportageNewsArticle", "LiveBlogPosting",
    "DiscussionForumPosting", "SocialMediaPosting", "QAPage", "Question", "Recipe", "VideoObject",
    "PodcastEpisode", "Book", "Dataset", "SoftwareSourceCode", "HowTo", "Review", "CreativeWork",
    "APIReference", "BackgroundNewsArticle", "ReviewNewsArticle", "AdvertiserContentArticle",
})  # fmt: skip
_PAGES = frozenset({"WebPage", "ItemPage", "AboutPage", "CollectionPage", "Product", "Event"})
_TITLES = ("citation_title", "og:title")
_LATER_TITLES = ("twitter:title", "dc.title", "dcterms.title", "parsely-title", "sailthru.title")
_PUBLISHED = (
    "article:published_time", "article:published", "og:published_time", "bt:pubdate",
    "citation_publication_date", "citation_online_date", "citation_date", "prism.publicationdate",
    "dc.date.issued", "dcterms.issued", "dc.date.created", "dcterms.created", "dc.date", "dcterms.date",
    "datepublished", "parsely-pub-date", "sailthru.date", "article.published", "published-date",
    "publication_date", "publish-date", "pubdate", "date", "cxenseparse:recs:publishtime", "date.created",
)  # fmt: skip
_MODIFIED = (
    "article:modified_time", "og:updated_time", "article:modified", "dcterms.modified",
    "dc.date.modified", "datemodified", "last-modified", "lastmod", "revised", "modified-date",
)  # fmt: skip
_BYLINES = (
    "[itemprop=datePublished], time[pubdate], article time, main time, .published, .entry-date,"
    " .post-date, .posted-on, .article-date, .publish-date, .pubdate, .byline-date, .dateline, .date-published"
)
_DATED = (
    "[class*=date i], [class*=publish i], [class*=posted i], [class*=byline i], [class*=eyebrow i]"
)
_AMENDED = re.compile(
    r"updat|modif|edited|aktualisiert|mis à jour|actualizad|обновл|更新", re.IGNORECASE
)
_LOOKED_AT = 60
_PATH = re.compile(
    r"/((?:19|20)\d\d)/(\d{1,2})/(\d{1,2})(?:/|$)|(?<!\d)((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)"
)
_TAG = re.compile(r"[A-Za-z]{2,3}(?=$|[-_])")


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    title: str = ""
    author: str | None = None  # all of them in one line
    authors: tuple[Author, ...] = ()
    site: str | None = None
    language: str | None = None
    published: str | None = None
    published_basis: str | None = None  # json-ld, meta, microdata, time, text or url
    modified: str | None = None
    modified_basis: str | None = None
    structured: StructuredData | None = None
    forum: ForumSignals | None = None


def describe(tree: LexborHTMLParser, *, url: str = "") -> About:
    """Read before hidden text is taken out, for that takes comments and scripts' neighbours too."""
    meta, linked = collect(tree), Linked(tree)
    people = writers.of(tree, meta, linked, _main(linked))
    published, basis = _published(tree, meta, linked, url)
    modified, modified_basis = _modified(tree, meta, linked)
    if modified and published and modified[:10] < published[:10]:
        modified = modified_basis = None
    return About(
        title=_title(tree, meta, linked),
        author=writers.line(people) or None,
        authors=people,
        site=_site(meta, linked),
        language=_language(tree, meta, linked),
        published=published,
        published_basis=basis,
        modified=modified,
        modified_basis=modified_basis,
        structured=structured(meta, linked),
        forum=forum(linked, url),
    )


def _main(linked: Linked) -> list[Thing]:
    """The things that are the page, the likeliest first."""
    return [*linked.of(_ARTICLES), *linked.of(_PAGES)]


def _title(tree: LexborHTMLParser, meta: Meta, linked: Linked) -> str:
    headlines = (clean(text(thing.get("headline"))) for thing in linked.of(_ARTICLES))
    return (
        meta.first(_TITLES)
        or next(filter(None, headlines), "")
        or meta.first(_LATER_TITLES)
        or _text(tree, "head > title, title")
        or _text(tree, "h1")
    )[:1000]


def _site(meta: Meta, linked: Linked) -> str | None:
    named = meta.first(
        ("og:site_name", "application-name", "citation_journal_title", "dc.publisher")
    )
    if named:
        return named
    for thing in _main(linked):
        publisher = linked.resolve(thing.get("publisher"))
        if name := clean(text(publisher)):
            return name
    sites = (clean(text(thing.get("name"))) for thing in linked.of(frozenset({"WebSite"})))
    return next(filter(None, sites), None)


def _text(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    return clean(node.text()) if node is not None else ""


def _language(tree: LexborHTMLParser, meta: Meta, linked: Linked) -> str | None:
    node = tree.css_first("html[lang], html[xml\\:lang]")
    attributes = node.attributes if node is not None else {}
    said = (thing.get("inLanguage") for thing in _main(linked))
    tags = (
        attributes.get("lang"),
        attributes.get("xml:lang"),
        meta.first(
            ("content-language", "og:locale", "citation_language", "dc.language", "language")
        ),
        *(each for value in said for each in listed(value)),
    )
    for tag in tags:
        match = _TAG.match(tag) if isinstance(tag, str) else None
        if match:
            return match[0].lower()
    return None


def _published(
    tree: LexborHTMLParser, meta: Meta, linked: Linked, url: str
) -> tuple[str | None, str | None]:
    for thing in (*_main(linked), *_untyped(linked)):
        for name in ("datePublished", "dateCreated", "uploadDate"):
            if found := iso(text(thing.get(name))):
                return found, "json-ld"
    for name in _PUBLISHED:
        if found := (partly if name.startswith(("citation", "dc", "prism")) else iso)(
            meta.get(name)
        ):
            return found, "meta"
    return _on_the_page(tree, url)


def _on_the_page(tree: LexborHTMLParser, url: str) -> tuple[str | None, str | None]:
    for node in tree.css(_BYLINES)[:12]:
        attributes = node.attributes
        stamp = attributes.get("datetime") or attributes.get("content")
        found = iso(stamp) or written(clean(node.text()))
        if found and not _amends(attributes.get("class") or attributes.get("itemprop") or ""):
            if attributes.get("itemprop"):
                return found, "microdata"
            return found, "time" if node.tag == "time" else "text"
    found, basis = _in_address(url)
    return (found, basis) if found else _alone(tree)


def _alone(tree: LexborHTMLParser) -> tuple[str | None, str | None]:
    """The day in an element called a date, where there is no second: lists show one an entry."""
    days: set[str] = set()
    for node in tree.css(_DATED)[:_LOOKED_AT]:
        words = clean(node.text()) if not _amends(node.attributes.get("class") or "") else ""
        if words and not _AMENDED.search(words) and (found := written(words)):
            days.add(found)
    return (days.pop(), "text") if len(days) == 1 else (None, None)


def _amends(name: str) -> bool:
    return bool(re.search(r"updat|modif|comment", name, re.IGNORECASE))


def _in_address(url: str) -> tuple[str | None, str | None]:
    match = _PATH.search(urlsplit(url).path) if url else None
    if match is None:
        return None, None
    year, month, day = (part for part in match.groups() if part)
    found = iso(f"{year}-{month:0>2}-{day:0>2}")
    return (found, "url") if found else (None, None)


def _modified(tree: LexborHTMLParser, meta: Meta, linked: Linked) -> tuple[str | None, str | None]:
    for thing in _main(linked):
        if found := iso(text(thing.get("dateModified"))):
            return found, "json-ld"
    for name in _MODIFIED:
        if found := iso(meta.get(name)):
            return found, "meta"
    for node in tree.css("[itemprop=dateModified], time.updated, .last-updated, .updated time")[:4]:
        attributes = node.attributes
        stamp = attributes.get("datetime") or attributes.get("content")
        if found := iso(stamp) or written(clean(node.text())):
            return found, "microdata" if attributes.get("itemprop") else "time"
    return None, None


def _untyped(linked: Linked) -> Iterable[Thing]:
    return (thing for thing in linked.things if not kinds(thing))
