"""Search answers as callers see them: the union of specs 1 and 3."""

from __future__ import annotations

from pydantic import Field

from citewell.model.base import UNTRUSTED, Plain, Value


class Reputation(Value):
    """What is known of a host; absence of the whole object means unknown, not bad."""

    tier: str  # high, mixed, low
    basis: str
    note: str | None = None
    as_of: str | None = None  # the day the table was last looked over


class PageContent(Plain):
    """A result's page, fetched on request, in spec 3's words."""

    markdown: str
    word_count: int
    fetch_time_ms: int
    summary: str


class SearchResult(Value):
    title: str
    url: str
    snippet: str
    display_link: str
    source_reputation: Reputation | None = None
    claim_signal: str | None = None  # present on every result when a claim was given
    score: float | None = None  # 0 to 1
    engine: str | None = None
    published_at: str | None = None
    published_basis: str | None = None  # provider, snippet or url
    engagement: dict[str, int] | None = None
    extra_snippets: tuple[str, ...] | None = None
    content: PageContent | None = None
    content_error: str | None = None  # why this page's content is absent though it was asked for


class FilterReport(Value):
    """Who applied a constraint: the provider itself, we afterwards, or nobody."""

    filter: str
    by: str  # a provider's name, "afterwards" or "nobody"
    note: str | None = None


class Hints(Value):
    """Why nothing came, and what to try; only on empty answers."""

    reason: str  # no_match, filters_too_restrictive, engines_failed, rate_limited, json_disabled, bot_wall, not_configured
    providers_attempted: tuple[str, ...] = ()
    filters_applied: tuple[str, ...] = ()
    filter_report: tuple[FilterReport, ...] = ()
    suggested_actions: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    epistemic_warning: str | None = None


class FetchStats(Plain):
    attempted: int
    successful: int
    failed: int
    total_time_ms: int


class SearchMetadata(Plain):
    """The same answer in spec 3's words."""

    query: str
    category: str
    language: str | None = None
    results_count: int
    search_time_ms: int
    instance_used: str | None = None
    engines_used: tuple[str, ...] = ()
    total_results: int | None = None
    content_fetch_stats: FetchStats | None = None


class SearchAnswer(Value):
    urls: tuple[str, ...]
    query: str
    result_count: int
    results: tuple[SearchResult, ...]
    hints: Hints | None = None
    requested_num_results: int | None = None  # present when more was asked than could be had
    filters: tuple[FilterReport, ...] | None = None  # present when a constraint was given
    notes: tuple[str, ...] | None = None
    metadata: SearchMetadata
    trust: str = Field(default=UNTRUSTED)
