"""Company filings as callers receive them, with the field names of spec 1."""

from __future__ import annotations

from pydantic import Field

from citewell.model.search_results import EmptySearchHints
from citewell.model.wire_values import UNTRUSTED_LABEL, Body, WireValue


class PeriodValue(WireValue):
    """A figure over one period, and the filing that reports it."""

    value: str  # exactly as filed; with computed_from, the sum of what was filed
    period_start: str | None = None
    period_end: str
    form_type: str
    fiscal_year: int | None = None
    fiscal_period: str | None = None
    filing_date: str | None = None
    accession: str | None = None
    url: str | None = None
    concept: str | None = None  # if it is another than that of the fact
    computed_from: tuple[str, ...] | None = None


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
    value: str | None = None  # of the newest reported year or quarter, exactly as filed
    period_start: str | None = None
    period_end: str | None = None
    fiscal_year: int | None = None
    fiscal_period: str | None = None
    latest_annual: PeriodValue | None = None
    latest_quarter: PeriodValue | None = None
    trailing_twelve_months: PeriodValue | None = None


class ResolvedCompany(WireValue):
    """The filer that the query means."""

    name: str
    cik: str
    tickers: tuple[str, ...] = ()


class FilingsAnswer(WireValue):
    """What filing_search returns."""

    filings: Body[tuple[FilingResult, ...]]
    query: str
    company: ResolvedCompany | None = None  # absent if all filers were searched
    result_count: int
    provider: str
    total_results: int | None = None
    notes: tuple[str, ...] | None = None
    hints: EmptySearchHints | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)
