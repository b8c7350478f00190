"""Filings of companies with a securities regulator, and the facts reported in them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FilingQuery:
    """One query to one regulator's register, already validated."""

    # A company, or words to search the filings for, without the names of forms. Without text and
    # ticker the newest filings of all filers are meant.
    text: str = ""
    company_text: str = ""  # `text` without years and words such as "latest", if that is shorter
    year: int | None = None  # named in `text`; applies if `company_text` alone is a company
    ticker: str = ""
    forms: tuple[str, ...] = ()
    date_from: str | None = None  # ISO 8601 day
    date_to: str | None = None
    count: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FilingCompany:
    """A filer, as the register names it today."""

    name: str
    cik: str  # ten digits
    tickers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyFiling:
    company: str
    cik: str  # ten digits
    form_type: str
    accession: str
    url: str
    source: str  # the provider's name
    filing_date: str | None = None  # YYYY-MM-DD
    period_of_report: str | None = None
    description: str | None = None
    is_amendment: bool = False
    tickers: tuple[str, ...] = ()
    items: tuple[str, ...] = ()  # of a form 8-K, such as 5.02


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedFact:
    """One value that a company reported, exactly as filed."""

    concept: str  # with its taxonomy, such as us-gaap:Assets
    value: str
    unit: str
    period_end: str  # YYYY-MM-DD
    form_type: str
    period_start: str | None = None  # None for a value on one day, such as assets
    label: str | None = None
    fiscal_year: int | None = None  # of the filing
    fiscal_period: str | None = None  # of the filing: FY, Q1, Q2, Q3
    filing_date: str | None = None
    accession: str | None = None
    url: str | None = None
    computed_from: tuple[str, ...] = ()  # the reported values of which it is the sum


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadlineFact:
    """The latest values of one figure; None for a period that was neither reported nor computable."""

    newest: ReportedFact
    annual: ReportedFact | None = None
    quarter: ReportedFact | None = None
    trailing: ReportedFact | None = None  # twelve months


@dataclass(frozen=True, slots=True, kw_only=True)
class FilingHits:
    filings: tuple[CompanyFiling, ...] = ()
    company: FilingCompany | None = None  # None if all filers were searched
    total: int | None = None  # of a search over all filers
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FactHits:
    facts: tuple[HeadlineFact, ...] = ()
    company: FilingCompany | None = None
    notes: tuple[str, ...] = ()
