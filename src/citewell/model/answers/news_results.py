"""News articles as callers receive them, with the field names of spec 1."""

from __future__ import annotations

from pydantic import Field

from citewell.model.search_results import EmptySearchHints, FilterReport
from citewell.model.wire_values import UNTRUSTED_LABEL, Body, LongText, Spine, WireValue


class NewsArticle(WireValue):
    """One article; what the provider does not state is absent."""

    title: str
    url: str
    source: str  # the publisher's name, or the host of the address
    snippet: LongText
    published_at: str | None = None  # RFC 3339 in UTC
    published_basis: str | None = None  # provider, snippet, url; or seen, when a provider saw it
    source_url: str | None = None  # the publisher's site, if url leads there by the provider


class NewsAnswer(WireValue):
    """What news_search returns."""

    articles: Body[tuple[NewsArticle, ...]]
    query: str
    result_count: int
    hints: EmptySearchHints | None = None
    requested_num_results: int | None = None  # if more were requested than possible
    filters: Spine[tuple[FilterReport, ...]] | None = None
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)
