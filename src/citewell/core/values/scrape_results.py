"""Results of scrape_page and search_and_scrape, with the field names of spec 1.

With them the quality signals that a site gives beside the text: votes, top comments, statistics.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from citewell.core.values.search_results import EmptySearchHints, SourceReputation
from citewell.core.values.wire_values import (
    UNTRUSTED_LABEL,
    Appendix,
    LongText,
    Spine,
    TextSection,
    WireValue,
)


class TalkHighlight(WireValue):
    """An informative passage of a talk; the best one has a `score` of 1."""

    text: str
    score: float
    start_time: str  # M:SS or H:MM:SS


class ForumComment(WireValue):
    author: str
    score: int
    body: str  # plain text, 500 bytes at most
    permalink: str | None = None
    created: str | None = None


class ForumSignals(WireValue):
    platform: str
    upvotes: int
    comments: int
    date_published: str | None = None
    author_name: str | None = None
    credibility_note: str | None = None
    top_comments: Appendix[tuple[ForumComment, ...]] | None = None


class RepoStats(WireValue):
    stargazers_count: int
    forks_count: int
    open_issues_count: int
    created_at: str | None = None
    pushed_at: str | None = None
    archived: bool = False
    disabled: bool = False
    fork: bool = False
    license: str | None = None  # an SPDX id
    topics: tuple[str, ...] | None = None


class RepoOwner(WireValue):
    login: str
    type: str  # Organization or User
    created_at: str | None = None
    public_repos: int = 0
    followers: int = 0
    is_verified: bool | None = None  # True for a verified organisation, else absent


class RepoCommunity(WireValue):
    health_percentage: int
    has_license: bool = False
    has_contributing: bool = False
    has_code_of_conduct: bool = False
    has_readme: bool = False


class RepoTrustSignals(WireValue):
    """Age, popularity, owner and upkeep of a repository; what could not be fetched is absent."""

    repo: RepoStats | None = None
    owner: RepoOwner | None = None
    contributor_count: int | None = None
    community: RepoCommunity | None = None
    release_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedSentence:
    """A sentence of a page that looks like a command to an AI reader; a hint, not a verdict."""

    kind: str  # override, address, role, conceal, disclose, act, markup
    sentence: str
    end: int = field(default=0, compare=False)  # characters of the text up to the command's end


class StructuredData(WireValue):
    """Machine-readable metadata of a page, unchanged."""

    json_ld: Appendix[tuple[Any, ...]] | None = None
    open_graph: dict[str, str] | None = None  # og:* and article:*, keys with their prefix
    citation: dict[str, str] | None = None  # Highwire citation_*
    microdata: Appendix[tuple[Any, ...]] | None = None  # items with @type and their properties


class CitationMetadata(WireValue):
    title: str = ""
    author: str = ""
    literal_authors: tuple[str, ...] | None = None  # names in `author` that only look like people's
    site: str = ""
    date: str = ""


class CitationFormats(WireValue):
    apa: str
    mla: str
    bibtex: str


class PageCitation(WireValue):
    url: str
    accessed_date: str
    metadata: CitationMetadata
    formatted: CitationFormats


class PageMetadata(WireValue):
    """Present only if there is a title; the last three fields only for documents."""

    title: str
    author: str = ""
    page_count: int | None = None
    created_at: str | None = None
    file_size: int | None = None


class NoticeResult(WireValue):
    """One notice about a work, as recorded by one source."""

    kind: str
    label: str | None = None  # the source's own term, if it is more specific
    date: str | None = None
    notice_doi: str | None = None
    source: str


class RetractionStatus(WireValue):
    retracted: bool | None = None  # absent if nobody who records notices could confirm or deny
    kind: (
        str  # retraction, unconfirmed_retraction, expression_of_concern, correction, reinstatement
    )
    date: str | None = None
    notice_doi: str | None = None
    source: str | None = None  # retraction-watch, publisher, pubmed, openalex, offline table of …
    severity: int | None = None  # 3 retracted, 2 in doubt, 1 corrected, 0 reinstated
    reasons: tuple[str, ...] | None = None
    note: str | None = None
    as_of: str | None = None  # date of the offline table, if no other source could be asked
    events: Spine[tuple[NoticeResult, ...]] | None = None  # all notices, if there are several


class MentionedDoi(WireValue):
    """A paper that a page links or names; nothing here is said about the page itself."""

    doi: str
    status: str  # retracted, another kind of notice, no_notice, or unknown if it was not checked
    title: str | None = None  # of a work with a notice, as registered
    retraction_status: RetractionStatus | None = None  # absent if there is no notice


class InjectionSignal(WireValue):
    """A sentence of the content that seems to address an AI model; a hint, not a verdict."""

    kind: str
    sentence: LongText


class ScrapeOutput(WireValue):
    url: str
    final_url: str | None = None  # present if redirects led to another address
    content: LongText
    content_type: str  # in raw mode the server's header, which may be empty
    content_encoding: str | None = None  # base64 in raw mode if the body is not text
    trust: str = Field(default=UNTRUSTED_LABEL)
    content_length: int  # bytes
    original_length: int | None = None  # bytes before truncation; present if truncated
    truncated: bool
    offset: int | None = None  # characters of the page before the content; absent at its beginning
    next_offset: int | None = None  # where the page goes on; absent at its end
    sections: Appendix[tuple[TextSection, ...]] | None = (
        None  # if the content is a part of the page
    )
    estimated_tokens: int
    size_category: str  # small, medium, large, very_large
    word_count: int | None = None  # of the whole page
    sparsity_warning: str | None = None  # below 150 words, unless the page is complete
    citation: PageCitation
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
    github_trust_signals: RepoTrustSignals | None = None
    highlights: Appendix[tuple[TalkHighlight, ...]] | None = None
    source_type: str
    source_kind: str  # finer than the type: journal, preprint, university, press_release, …
    source_basis: str  # why it has this type, kind and tier
    authority_tier: str  # high, medium, low
    domain_category: str
    source_reputation: SourceReputation | None = None  # absent if nothing is known about the host
    detected_doi: str | None = None  # the page's own, never one that it mentions
    retraction_status: RetractionStatus | None = None  # of detectedDoi
    mentioned_dois: Spine[tuple[MentionedDoi, ...]] | None = None  # of other works; notices first
    more_mentioned_dois: int | None = None  # not listed
    injection_signals: Spine[tuple[InjectionSignal, ...]] | None = None
    hidden_text: dict[str, int] | None = None  # number of removed invisible texts, by kind
    notes: tuple[str, ...] | None = None
    comments: LongText | None = None  # under an article, if asked for; cut like the content


class QualityScore(WireValue):
    """Each between 0 and 1."""

    overall: float
    relevance: float
    freshness: float
    authority: float
    content_quality: float


class SourcePassage(WireValue):
    """A part of a page, by the offsets of its characters."""

    start: int
    end: int
    heading: str | None = None


class SourceResult(WireValue):
    url: str
    title: str | None = None
    content: LongText  # its passages, joined by a line with […]
    passages: tuple[SourcePassage, ...] = ()
    page_length: int = 0  # characters of the whole page
    artifact_offset: int | None = None  # where the page begins in the linked text
    content_type: str
    trust: str = Field(default=UNTRUSTED_LABEL)
    truncated: bool = False  # the page has more than its passages
    scores: QualityScore
    source_type: str
    source_kind: str
    source_basis: str
    authority_tier: str
    domain_category: str
    source_reputation: SourceReputation | None = None  # absent if nothing is known about the host
    claim_signal: LongText | None = None
    key_sentences: tuple[LongText, ...] | None = None
    published_at: str | None = None
    published_basis: str | None = None
    word_count: int
    extraction_quality: str
    duplicate_of: str | None = None  # the source that contains all of its paragraphs
    injection_signals: tuple[InjectionSignal, ...] | None = None


class ScrapeFailure(WireValue):
    url: str
    kind: str
    reason: str
    retryable: bool
    retry_after_seconds: int | None = None
    suggested_action: str


class PipelineSummary(WireValue):
    urls_searched: int
    urls_scraped: int
    urls_failed: int
    sparse_sources: int  # with fewer than 150 words
    duplicate_paragraphs: int
    processing_time_ms: int


class SizeMetadata(WireValue):
    """Of the passages, in bytes."""

    total_length: int
    whole_length: int  # of the pages
    estimated_tokens: int
    size_category: str
    truncated: bool


class SourceRecommendation(WireValue):
    url: str
    title: str | None = None
    score: float
    reason: str


class SourceCard(WireValue):
    url: str
    title: str | None = None
    score: float
    snippet: LongText | None = None


class SourceTable(WireValue):
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class DisplayComponent(WireValue):
    """A card or table for clients that can draw one, built from the results without a model."""

    type: str  # card or table
    auto_formatted: bool = True
    label: str = "mcp-auto-formatted"
    title: str | None = None
    source_refs: tuple[str, ...]
    card: SourceCard | None = None
    table: SourceTable | None = None


class SourceBundle(WireValue):
    """What search_and_scrape returns."""

    query: str
    status: str  # complete, partial or failed
    source_count: int
    sources: Spine[tuple[SourceResult, ...]]
    combined_content: LongText  # the names of the sources, or their passages without `sources`
    trust: str = Field(default=UNTRUSTED_LABEL)
    scrape_failures: Spine[tuple[ScrapeFailure, ...]] | None = None
    filtered_out: tuple[str, ...] | None = None  # read, but not relevant enough to the query
    note: str | None = None
    hints: EmptySearchHints | None = None  # why the search itself found nothing
    summary: PipelineSummary
    size_metadata: SizeMetadata
    recommendations: Appendix[tuple[SourceRecommendation, ...]] | None = None
    components: Appendix[tuple[DisplayComponent, ...]] | None = None
