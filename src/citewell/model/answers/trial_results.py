"""Clinical trials as callers receive them, with the field names of spec 1."""

from __future__ import annotations

from pydantic import Field

from citewell.model.search_results import EmptySearchHints
from citewell.model.wire_values import UNTRUSTED_LABEL, Body, WireValue


class TrialResult(WireValue):
    """One trial; fields that the registry does not state are absent."""

    nct_id: str
    title: str
    url: str  # the study page; scrape_page reads the whole record
    source: str
    status: str | None = None
    phases: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    interventions: tuple[str, ...] = ()
    sponsor: str | None = None
    start_date: str | None = None
    completion_date: str | None = None
    enrollment: int | None = None
    has_results: bool = False


class TrialsAnswer(WireValue):
    """What clinical_search returns."""

    trials: Body[tuple[TrialResult, ...]]
    query: str
    result_count: int
    provider: str
    total_results: int | None = None
    next_page_token: str | None = None
    hints: EmptySearchHints | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)
