"""Patents as callers receive them, with the field names of spec 1."""

from __future__ import annotations

from pydantic import Field

from citewell.model.search_results import EmptySearchHints, FilterReport
from citewell.model.wire_values import UNTRUSTED_LABEL, Body, LongText, Spine, WireValue


class PatentResult(WireValue):
    """One publication; fields that the source does not state are absent."""

    title: str
    number: str
    url: str
    abstract: LongText | None = None
    assignee: str | None = None
    inventor: str | None = None  # the first one
    filed: str | None = None
    granted: str | None = None
    pdf: str | None = None
    status: str | None = None
    office: str
    kind_code: str | None = None
    kind: str | None = None  # the kind code in words
    family_id: str | None = None
    also_published_as: tuple[str, ...] | None = None


class PatentsAnswer(WireValue):
    """What patent_search returns."""

    patents: Body[tuple[PatentResult, ...]]
    query: str
    search_type: str
    result_count: int
    source: str
    search_url: str
    assignee_clusters: dict[str, int] | None = None  # of a landscape: patents by assignee
    hints: EmptySearchHints | None = None
    filters: Spine[tuple[FilterReport, ...]] | None = None
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)
