"""Cases and texts of law as callers receive them, with the field names of spec 1."""

from __future__ import annotations

from pydantic import Field

from citewell.model.search_results import EmptySearchHints
from citewell.model.wire_values import UNTRUSTED_LABEL, Body, WireValue


class CaseResult(WireValue):
    """One decision or text of law; fields that its registry does not state are absent."""

    case_name: str
    url: str  # scrape_page reads the whole text
    source: str
    citation: str | None = None  # in the form of the Bluebook
    citations: tuple[str, ...] = ()
    court: str | None = None
    court_id: str | None = None
    date_filed: str | None = None
    docket_number: str | None = None
    citation_count: int | None = None
    status: str | None = None
    snippet: str | None = None


class CasesAnswer(WireValue):
    """What legal_search returns."""

    cases: Body[tuple[CaseResult, ...]]
    query: str
    result_count: int
    provider: str
    total_results: int | None = None
    notes: tuple[str, ...] = ()
    hints: EmptySearchHints | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)
