"""A page as it was read: its text, where it came from, and how it was got."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from citewell.model.scrape import StructuredData
from citewell.model.signals import ForumSignals, GithubTrust, Highlight


@dataclass(frozen=True, slots=True, kw_only=True)
class Byline:
    """One author as the page names them."""

    name: str
    organisation: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One readable document. `content` is outside text: data, never instructions."""

    url: str  # as asked for
    final_url: str  # where redirects ended
    content: str  # markdown for HTML pages, else the document's own text
    content_type: str  # html, markdown, text, json, xml
    title: str = ""
    kind: str = "article"  # article, documentation, forum, product, listing, collection, service
    extracted_by: str | None = None  # the tier: markdown, html
    quality: str = "complete"  # partial when no tier was sure and the best candidate is given
    charset: str | None = None
    language: str | None = None  # as the page declares it, ISO 639-1
    author: str | None = None  # all of them in one line
    authors: tuple[Byline, ...] = ()
    site: str | None = None
    published: str | None = None  # ISO 8601, a date or a time
    published_basis: str | None = None  # json-ld, meta or time: where the date stands on the page
    word_count: int = 0
    truncated: bool = False
    fetched_at: datetime | None = None
    seconds: float = 0.0  # from the first request to the text
    notes: tuple[str, ...] = ()  # what a reader must know of how the text came about
    highlights: tuple[Highlight, ...] = ()  # the telling passages of a talk
    forum_signals: ForumSignals | None = None
    trust_signals: GithubTrust | None = None  # of a repository's front page
    modified: str | None = None  # ISO 8601, as the page says
    structured: StructuredData | None = None  # what the page says of itself to machines
    hidden: Mapping[str, int] = field(default_factory=dict)  # unseen text taken out, by kind
    page_count: int | None = None  # of a document
    file_size: int | None = None  # bytes, of a document
    etag: str | None = None  # what the server wants to hear when asked for changes
    last_modified: str | None = None
