"""Scholarly works and what is found about them, as callers see them, in the words of spec 1."""

from __future__ import annotations

from pydantic import Field

from citewell.model.base import UNTRUSTED, Value
from citewell.model.scrape import InjectionSignal, RetractionStatus
from citewell.model.source import FilterReport, Hints


class Work(Value):
    """One paper; what nobody said of it is absent."""

    title: str
    url: str  # the DOI's address, or the landing page
    source: str  # the provider that returned it
    doi: str | None = None
    authors: tuple[str, ...] | None = None
    journal: str | None = None
    year: int | None = None
    abstract: str | None = None  # up to 500 characters
    citation_count: int | None = None
    open_access: bool | None = None
    pdf_url: str | None = None
    tldr: str | None = None  # machine-made
    is_influential: bool | None = None
    citation_intents: tuple[str, ...] | None = None
    is_in_doaj: bool | None = None
    has_text: bool | None = None  # its text can be had freely
    has_pdf: bool | None = None
    low_confidence_domain: bool | None = None  # from a host that is not known for papers
    kind: str | None = None  # CSL's word: article-journal, book, …
    published_at: str | None = None
    ids: dict[str, str] | None = None  # besides the DOI: arxiv, pmid, pmcid, s2, openalex
    preprint_of: str | None = None  # DOI of the version of record
    provenance: dict[str, str] | None = None  # other providers → the fields that are theirs
    retraction_status: RetractionStatus | None = None


class PapersAnswer(Value):
    """What academic_search returns."""

    papers: tuple[Work, ...]
    query: str
    total_results: int
    result_count: int
    source: str  # the provider that answered, router or web_search
    hints: Hints | None = None
    filters: tuple[FilterReport, ...] | None = None
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED)


class GraphAnswer(Value):
    """What citation_graph returns; a direction that was not asked for is absent."""

    seed: str
    direction: str
    provider: str
    seed_paper: Work | None = None  # what the seed was taken for
    cited_by: tuple[Work, ...] | None = None
    cited_by_count: int | None = None
    references: tuple[Work, ...] | None = None
    references_count: int | None = None
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED)


class FullTextAnswer(Value):
    """What paper_fulltext returns."""

    identifier: str
    title: str | None = None
    url: str  # where the text was read, or where the work is
    doi: str | None = None
    authors: tuple[str, ...] | None = None
    journal: str | None = None
    year: int | None = None
    is_full_text: bool  # false: only the abstract could be had, and `content` is that
    version: str | None = None  # publishedVersion, acceptedVersion, submittedVersion or preprint
    license: str | None = None
    source: str  # who knew of this copy
    host_type: str | None = None  # publisher or repository
    content_type: str | None = None
    content_length: int  # bytes
    original_length: int | None = None  # bytes before the cut; present when truncated
    truncated: bool = False
    page_count: int | None = None
    word_count: int | None = None
    ids: dict[str, str] | None = None
    retraction_status: RetractionStatus | None = None
    injection_signals: tuple[InjectionSignal, ...] | None = None
    tried: tuple[str, ...] | None = None  # copies that were no use, and why
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED)
    content: str  # the last, so that the first page of a long answer tells what it is
