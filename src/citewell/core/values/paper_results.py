"""Papers and what is known about them, as callers receive them, with the field names of spec 1."""

from __future__ import annotations

import re

from pydantic import Field

from citewell.core.values.research_session import SessionSource
from citewell.core.values.scrape_results import InjectionSignal, RetractionStatus
from citewell.core.values.search_results import EmptySearchHints, FilterReport
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, LongText, Spine, WireValue

MORE_AUTHORS_PATTERN = re.compile(r"and \d{1,6} others")  # how a long list of authors ends


class PaperResult(WireValue):
    """One paper; fields that no provider stated are absent."""

    title: str
    url: str  # the DOI's URL, or the landing page
    source: str  # the provider that returned it
    doi: str | None = None
    authors: tuple[str, ...] | None = None
    journal: str | None = None
    year: int | None = None
    abstract: LongText | None = None  # up to 500 characters
    citation_count: int | None = None
    open_access: bool | None = None
    pdf_url: str | None = None
    tldr: LongText | None = None  # written by a machine
    is_influential: bool | None = None
    citation_intents: tuple[str, ...] | None = None
    is_in_doaj: bool | None = None
    has_text: bool | None = None  # the full text is freely available
    has_pdf: bool | None = None
    low_confidence_domain: bool | None = None  # the host is not known to publish papers
    kind: str | None = None  # a CSL type: article-journal, book, …
    published_at: str | None = None
    ids: dict[str, str] | None = None  # besides the DOI: arxiv, pmid, pmcid, s2, openalex
    preprint_of: str | None = None  # DOI of the version of record
    provenance: dict[str, str] | None = None  # provider → the fields it contributed
    retraction_status: RetractionStatus | None = None

    def to_source(self) -> SessionSource:
        return SessionSource(
            url=self.url,
            title=self.title,
            author=join_author_names(self.authors),
            site=self.journal,
            date=self.published_at or (str(self.year) if self.year else None),
            doi=self.doi,
            basis="record" if self.doi or self.ids else "engine",
        )


class PapersAnswer(WireValue):
    """What academic_search returns."""

    papers: Body[tuple[PaperResult, ...]]
    query: str
    total_results: int
    result_count: int
    source: str  # the provider that answered, router or web_search
    hints: EmptySearchHints | None = None
    filters: Spine[tuple[FilterReport, ...]] | None = None
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)


class GraphAnswer(WireValue):
    """What citation_graph returns; a direction that was not requested is absent."""

    seed: str
    direction: str
    provider: str
    seed_paper: PaperResult | None = None  # the paper that the seed was resolved to
    cited_by: Body[tuple[PaperResult, ...]] | None = None
    cited_by_count: int | None = None
    references: Body[tuple[PaperResult, ...]] | None = None
    references_count: int | None = None
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)


class FullTextAnswer(WireValue):
    """What paper_fulltext returns."""

    identifier: str
    title: str | None = None
    url: str  # where the text was read, or the landing page
    doi: str | None = None
    authors: tuple[str, ...] | None = None
    journal: str | None = None
    year: int | None = None
    is_full_text: bool  # if false, `content` is only the abstract
    version: str | None = None  # publishedVersion, acceptedVersion, submittedVersion or preprint
    license: str | None = None
    source: str  # the provider that listed this copy
    host_type: str | None = None  # publisher or repository
    content_type: str | None = None
    content_length: int  # bytes
    original_length: int | None = None  # bytes before truncation; present if truncated
    truncated: bool = False
    page_count: int | None = None
    word_count: int | None = None
    ids: dict[str, str] | None = None
    retraction_status: RetractionStatus | None = None
    injection_signals: tuple[InjectionSignal, ...] | None = None
    tried: tuple[str, ...] | None = None  # copies that could not be used, and why
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)
    content: LongText

    def to_source(self) -> SessionSource:
        return SessionSource(
            url=self.url,
            title=self.title or "",
            author=join_author_names(self.authors),
            site=self.journal,
            date=str(self.year) if self.year else None,
            doi=self.doi,
            stage="read" if self.is_full_text else "listed",
            basis="record",
        )


def join_author_names(names: tuple[str, ...] | None) -> str | None:
    """The names in one line, without the count of others that ends a long list."""
    kept = [name for name in names or () if not MORE_AUTHORS_PATTERN.fullmatch(name)]
    return "; ".join(kept) or None
