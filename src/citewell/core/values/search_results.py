"""Search answers as callers receive them: the fields of spec 1 and of spec 3."""

from __future__ import annotations

from pydantic import Field

from citewell.core.values.research_session import SessionSource
from citewell.core.values.wire_values import (
    UNTRUSTED_LABEL,
    LongText,
    SnakeCaseValue,
    Spine,
    WireValue,
)


class SourceReputation(WireValue):
    """The reputation of a host; if the object is absent, it is unknown, not bad."""

    tier: str  # high, mixed, low
    basis: str
    note: str | None = None
    as_of: str | None = None  # the day the reputation table was last reviewed


class PageContent(SnakeCaseValue):
    """The page of a result, fetched on request, with the field names of spec 3."""

    markdown: LongText
    word_count: int
    fetch_time_ms: int
    truncated: bool | None = None  # true if the page is longer; scrape_page reads on
    summary: LongText | None = None  # unless summaries are switched off


class SearchResult(WireValue):
    title: str
    url: str
    snippet: LongText
    description: LongText | None = None  # the snippet under the name of spec 3, in its profile
    display_link: str
    source_reputation: SourceReputation | None = None
    claim_signal: LongText | None = None  # present on every result if a claim was given
    score: float | None = None  # 0 to 1
    engine: str | None = None
    published_at: str | None = None
    published_basis: str | None = None  # provider, snippet or url
    engagement: dict[str, int] | None = None
    extra_snippets: tuple[LongText, ...] | None = None
    content: PageContent | None = None
    content_error: str | None = None  # why requested content is absent

    def to_source(self) -> SessionSource:
        return SessionSource(url=self.url, title=self.title, date=self.published_at)


class FilterReport(WireValue):
    """Who applied a filter: a provider, we afterwards, or nobody."""

    filter: str
    by: str  # a provider's name, "afterwards" or "nobody"
    note: str | None = None


class EmptySearchHints(WireValue):
    """Why a search found nothing, and what to try; only in empty answers."""

    reason: str  # no_match, filters_too_restrictive, engines_failed, rate_limited, json_disabled, bot_wall, not_configured
    providers_attempted: tuple[str, ...] = ()
    filters_applied: tuple[str, ...] = ()
    suggested_actions: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    epistemic_warning: str | None = None


class FetchStats(SnakeCaseValue):
    attempted: int
    successful: int
    failed: int
    total_time_ms: int


class ListedResult(SnakeCaseValue):
    """A result with the field names of spec 3."""

    title: str
    url: str
    description: LongText
    score: float | None = None  # 0 to 1
    engine: str | None = None
    content: PageContent | None = None
    content_error: str | None = None


# What spec 3 says if no instance answers.
NO_INSTANCES_MESSAGE = "Search failed: No available SearXNG instances"
NO_INSTANCES_ERROR_TYPE = "no_instances_available"
NO_INSTANCES_DETAILS = "All configured SearXNG instances are unavailable or rate limited"


class SearchMetadata(SnakeCaseValue):
    """The search answer's metadata, with the field names of spec 3."""

    query: str
    category: str
    language: str | None = None
    results_count: int
    fetch_content: bool = False
    search_time_ms: int
    instance_used: str | None = None
    attempted_instances: tuple[str, ...] | None = None  # if others than instance_used saw the query
    engines_used: tuple[str, ...] = ()
    total_results: int | None = None
    content_fetch_stats: FetchStats | None = None
    results: Spine[tuple[ListedResult, ...]] | None = None  # in the profile of spec 3


class SearchAnswer(WireValue):
    urls: tuple[str, ...]
    query: str
    result_count: int
    results: Spine[tuple[SearchResult, ...]]
    hints: EmptySearchHints | None = None
    requested_num_results: int | None = None  # if more were requested than possible
    filters: Spine[tuple[FilterReport, ...]] | None = None  # present if a filter was given
    notes: tuple[str, ...] | None = None
    metadata: SearchMetadata
    trust: str = Field(default=UNTRUSTED_LABEL)
