"""What providers find and answer: search results, structured results, cited answers, feed entries.

Callers receive search answers with the fields of spec 1 and of spec 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from citewell.core.values.research_session import SessionSource
from citewell.core.values.wire_values import (
    UNTRUSTED_LABEL,
    Body,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedItem:
    title: str
    link: str  # an absolute http address
    summary: str = ""  # plain text, one line
    date: str = ""  # as the feed states it, not yet parsed
    source: str = ""  # the publisher's name, in a feed of many publishers
    source_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedListing:
    title: str = ""
    language: str = ""  # as the feed states it
    items: tuple[FeedItem, ...] = ()


STRUCTURED_TIMEOUT_SECONDS = 60.0  # for a provider to answer


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredQuery:
    """One search of one provider; the schema is within the limits of `parse_field_schema`."""

    text: str
    count: int = 5
    category: str | None = None
    schema: Mapping[str, Any] | None = None
    timeout_seconds: float = STRUCTURED_TIMEOUT_SECONDS


class ValueEvidence(WireValue):
    """The words of a page from which a value was read, with their offsets in the page's text."""

    quote: LongText
    start: int | None = None  # None for what stands in the page's metadata only
    end: int | None = None


class StructuredResult(WireValue):
    """One page with the fields that were asked for; `highlights` are word for word from it."""

    url: str
    title: str | None = None
    published_date: str | None = None
    author: str | None = None
    summary: Any = None  # JSON by the schema, null where the page does not say; else a text
    highlights: tuple[LongText, ...] | None = None
    evidence: dict[str, ValueEvidence] | None = None  # by field, "address.city" for an inner one
    entities: Any = None  # of the provider, for categories that have them

    def to_wire(self) -> dict[str, Any]:
        """As JSON; nulls inside `summary` and `entities` stay, because they mean "not said"."""
        wire = super().to_wire()
        kept = {"summary": self.summary, "entities": self.entities}
        return wire | {name: value for name, value in kept.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredHits:
    results: tuple[StructuredResult, ...]
    cost_ticks: int = 0
    notes: tuple[str, ...] = ()


class StructuredAnswer(WireValue):
    """What structured_search returns."""

    query: str
    category: str
    result_count: int
    results: Body[tuple[StructuredResult, ...]]
    provider: str
    cost_usd: float | None = None  # of a metered provider; an estimate, not an invoice
    notes: tuple[str, ...] | None = None
    hints: EmptySearchHints | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)

    def to_wire(self) -> dict[str, Any]:
        return super().to_wire() | {"results": [result.to_wire() for result in self.results]}


ANSWER_TIMEOUT_SECONDS = 70.0  # for a provider to answer


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerQuery:
    """One question to one provider."""

    text: str
    count: int = 10  # pages to cite at most
    tag: str = ""  # sent as idempotency key where the provider takes one
    timeout_seconds: float = ANSWER_TIMEOUT_SECONDS


class AnswerCitation(WireValue):
    """A page that the answer cites as [n], n counted from 1, and what it says to the answer."""

    url: str
    title: str | None = None
    published_date: str | None = None
    checked: bool  # False if the page could not be compared; then `reason` says why
    relation: str | None = None  # supports, contradicts, qualifies or mentions
    snippet: LongText | None = None  # of the page, word for word
    score: float | None = None  # 0 to 1, of the support
    judge: str | None = None  # who found the relation: lexical, nli or model:<provider>
    reason: str | None = None
    unsupported: tuple[LongText, ...] | None = None  # sentences that cite it without its support


class GroundedAnswer(WireValue):
    """What answer returns."""

    answer: Spine[str]
    citations: Spine[tuple[AnswerCitation, ...]]
    provider: str
    cost_usd: float | None = None  # of a metered provider; an estimate, not an invoice
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)
