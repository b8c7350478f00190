"""Company filings as callers receive them, with the field names of spec 1."""

from __future__ import annotations

from pydantic import Field

from citewell.model.search_results import EmptySearchHints
from citewell.model.wire_values import UNTRUSTED_LABEL, WireValue


class FilingResult(WireValue):
    """One filing, or with facts=true one reported fact; what the register does not state is absent."""

    company: str
    cik: str
    form_type: str
    source: str
    filing_date: str | None = None
    period_of_report: str | None = None
    accession: str | None = None
    url: str | None = None  # the document; scrape_page reads it
    description: str | None = None
    is_amendment: bool | None = None
    tickers: tuple[str, ...] | None = None
    items: tuple[str, ...] | None = None  # of a form 8-K
    concept: str | None = None  # this and what follows: facts only
    label: str | None = None
    unit: str | None = None
    value: str | None = None  # exactly as filed
    period_start: str | None = None
    period_end: str | None = None
    fiscal_year: int | None = None
    fiscal_period: str | None = None


class ResolvedCompany(WireValue):
    """The filer that the query means."""

    name: str
    cik: str
    tickers: tuple[str, ...] = ()


class FilingsAnswer(WireValue):
    """What filing_search returns."""

    filings: tuple[FilingResult, ...]
    query: str
    company: ResolvedCompany | None = None  # absent if all filers were searched
    result_count: int
    provider: str
    total_results: int | None = None
    notes: tuple[str, ...] | None = None
    hints: EmptySearchHints | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)
