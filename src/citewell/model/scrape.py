"""A page that was read and a bundle of them, as callers see them, in the words of spec 1."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from citewell.model.base import UNTRUSTED, Value
from citewell.model.signals import ForumSignals, GithubTrust, Highlight
from citewell.model.source import Hints


class StructuredData(Value):
    """Machine-readable facts a page carries about itself, as it wrote them."""

    json_ld: tuple[Any, ...] | None = None
    open_graph: dict[str, str] | None = None  # og:* and article:*, names with their prefix
    citation: dict[str, str] | None = None  # Highwire citation_*


class CitationMetadata(Value):
    title: str = ""
    author: str = ""
    site: str = ""
    date: str = ""


class CitationFormats(Value):
    apa: str
    mla: str
    bibtex: str


class Citation(Value):
    url: str
    accessed_date: str
    metadata: CitationMetadata
    formatted: CitationFormats


class PageMetadata(Value):
    """Only where there is a title; the last three where the page is a document."""

    title: str
    author: str = ""
    page_count: int | None = None
    created_at: str | None = None
    file_size: int | None = None


class IntegrityEvent(Value):
    """One notice about a work, as one source records it."""

    kind: str
    label: str | None = None  # the source's own word, where it says more
    date: str | None = None
    notice_doi: str | None = None
    source: str


class RetractionStatus(Value):
    retracted: bool
    kind: (
        str  # retraction, unconfirmed_retraction, expression_of_concern, correction, reinstatement
    )
    date: str | None = None
    notice_doi: str | None = None
    source: str | None = None  # retraction-watch, publisher, pubmed, openalex, offline table of …
    severity: int | None = None  # 3 retracted, 2 in doubt, 1 corrected, 0 reinstated
    reasons: tuple[str, ...] | None = None
    note: str | None = None
    as_of: str | None = None  # the offline table's date, where it alone could be asked
    events: tuple[IntegrityEvent, ...] | None = None  # all of them, where there are several


class InjectionSignal(Value):
    """A sentence of the content that speaks to a machine; a hint, not a verdict."""

    kind: str
    sentence: str


class ScrapeOutput(Value):
    url: str
    final_url: str | None = None  # present when redirects led elsewhere
    content: str
    content_type: str  # in raw mode the server's own header, which may be empty
    content_encoding: str | None = None  # base64 in raw mode, where the bytes are no text
    trust: str = Field(default=UNTRUSTED)
    content_length: int  # bytes
    original_length: int | None = None  # bytes before the cut; present when truncated
    truncated: bool
    estimated_tokens: int
    size_category: str  # small, medium, large, very_large
    word_count: int | None = None  # of the whole page
    sparsity_warning: str | None = None  # present below 150 words
    citation: Citation
    raw: bool | None = None  # true in raw mode, else absent
    extracted_by: str | None = None
    extraction_quality: str | None = None  # complete or partial
    page_type: str | None = None  # article, documentation, forum, product, listing, …
    metadata: PageMetadata | None = None
    published_at: str | None = None
    published_basis: str | None = None
    modified_at: str | None = None
    language: str | None = None
    charset: str | None = None
    structured_data: StructuredData | None = None
    forum_signals: ForumSignals | None = None
    github_trust_signals: GithubTrust | None = None
    highlights: tuple[Highlight, ...] | None = None
    source_type: str
    authority_tier: str  # high, medium, low
    domain_category: str
    detected_doi: str | None = None
    retraction_status: RetractionStatus | None = None
    injection_signals: tuple[InjectionSignal, ...] | None = None
    hidden_text: dict[str, int] | None = None  # what a reader could not see, taken out, by kind
    notes: tuple[str, ...] | None = None


class QualityScore(Value):
    """Each between 0 and 1."""

    overall: float
    relevance: float
    freshness: float
    authority: float
    content_quality: float


class SourceResult(Value):
    url: str
    title: str | None = None
    content: str
    content_type: str
    trust: str = Field(default=UNTRUSTED)
    truncated: bool = False
    scores: QualityScore
    source_type: str
    authority_tier: str
    domain_category: str
    claim_signal: str | None = None
    key_sentences: tuple[str, ...] | None = None
    published_at: str | None = None
    published_basis: str | None = None
    word_count: int
    extraction_quality: str
    duplicate_of: str | None = None  # the source that has all of its paragraphs
    injection_signals: tuple[InjectionSignal, ...] | None = None


class FailureInfo(Value):
    url: str
    kind: str
    reason: str
    retryable: bool
    retry_after_seconds: int | None = None
    suggested_action: str


class PipelineSummary(Value):
    urls_searched: int
    urls_scraped: int
    urls_failed: int
    sparse_sources: int  # with fewer than 150 words
    duplicate_paragraphs: int
    processing_time_ms: int


class SizeMetadata(Value):
    """Of combinedContent, in bytes."""

    total_length: int
    estimated_tokens: int
    size_category: str
    truncated: bool


class Recommendation(Value):
    url: str
    title: str | None = None
    score: float
    reason: str


class Card(Value):
    url: str
    title: str | None = None
    score: float
    snippet: str | None = None


class Table(Value):
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Component(Value):
    """Something to draw, put together from what stands beside it; no model had a hand in it."""

    type: str  # card or table
    auto_formatted: bool = True
    label: str = "mcp-auto-formatted"
    title: str | None = None
    source_refs: tuple[str, ...]
    card: Card | None = None
    table: Table | None = None


class Bundle(Value):
    """What search_and_scrape returns."""

    query: str
    status: str  # complete, partial or failed
    source_count: int
    sources: tuple[SourceResult, ...]
    combined_content: str
    trust: str = Field(default=UNTRUSTED)
    scrape_failures: tuple[FailureInfo, ...] | None = None
    filtered_out: tuple[str, ...] | None = None  # read, but too far from the query
    note: str | None = None
    hints: Hints | None = None  # why the search itself found nothing
    summary: PipelineSummary
    size_metadata: SizeMetadata
    recommendations: tuple[Recommendation, ...] | None = None
    components: tuple[Component, ...] | None = None
