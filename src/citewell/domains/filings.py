"""Filings of companies with the US Securities and Exchange Commission, and the facts reported in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Protocol, Self, runtime_checkable

from pydantic import Field

from citewell.core.errors import InvalidInput
from citewell.core.tooling import (
    Card,
    CommandOption,
    Filter,
    RequireService,
    SearchCommand,
    SessionId,
    TextLine,
    Tool,
    ToolArguments,
    ToolCall,
)
from citewell.core.values.argument_types import OptionalName, OptionalQuery
from citewell.core.values.research_session import SessionSource
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import SearchHit
from citewell.core.values.search_results import EmptySearchHints
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, WireValue
from citewell.domains import filing_forms
from citewell.routing.ports import Offer, ToolProviders
from citewell.search import search_request

FILING_PROVIDER_ORDER = ("edgar",)
_YEAR_PATTERN = re.compile(r"(?:FY)?(199[3-9]|20[0-4]\d)", re.IGNORECASE | re.ASCII)
_MAX_TICKER_CHARS = 20
# Words around a company's name that are not part of it.
_FRAME_WORDS = frozenset({
    "latest", "newest", "recent", "last", "current", "all", "sec", "edgar", "filing", "filings", "filed",
    "report", "reports", "form", "forms", "for", "of", "from", "by", "in", "the", "a", "fy", "fiscal", "year",
    "annual", "quarterly", "quarter", "q1", "q2", "q3", "q4", "company", "stock",
})  # fmt: skip
_LATEST_WORDS = frozenset({"latest", "newest", "recent"})
_FIGURE_WORDS = frozenset({
    "revenue", "revenues", "sales", "net", "income", "earnings", "eps", "profit", "loss", "assets",
    "liabilities", "equity", "cash", "operating", "financials", "financial", "facts", "data", "per", "share",
    "diluted", "basic", "and",
})  # fmt: skip
_PERIOD_TITLES = {
    "latestAnnual": "Latest year",
    "latestQuarter": "Latest quarter",
    "trailingTwelveMonths": "Last twelve months",
}


class FilingQuery(ToolArguments):
    """Find filings of public companies with the US SEC (EDGAR): annual and quarterly reports, 8-K, proxy statements. A company, ticker or CIK lists its filings; other words search the text of all filings since 2001. facts=true returns reported figures exactly as filed. Give query or ticker. scrape_page of a filing's url reads it."""

    query: Annotated[
        OptionalQuery,
        Field(description='Company, ticker or CIK; or words in the filings, best in "quotes".'),
        CommandOption('A company, ticker or CIK, or words in the filings, best in "quotes".'),
    ] = None
    form_type: Annotated[
        OptionalName,
        Field(description="Such as 10-K, 8-K, DEF 14A; amendments are 10-K/A."),
        Filter(1),
        CommandOption("10-K, 10-Q, 8-K, DEF 14A, 10-K/A and others.", flag="--form"),
    ] = None
    ticker: Annotated[
        OptionalName,
        Field(description="Goes before query."),
        CommandOption("The company's ticker."),
    ] = None
    date_from: Annotated[
        OptionalName,
        Field(description="Filed from YYYY-MM-DD."),
        Filter(2),
        CommandOption("Filed on this day or later."),
    ] = None
    date_to: Annotated[
        OptionalName,
        Field(description="Filed until YYYY-MM-DD."),
        Filter(3),
        CommandOption("Filed on this day or earlier."),
    ] = None
    facts: Annotated[
        bool,
        Field(
            description="Latest year, quarter and twelve months of headline figures instead of filings."
        ),
        CommandOption("The newest reported figures instead of filings."),
    ] = False
    count: Annotated[
        int,
        Field(ge=1, le=10, validation_alias="num_results"),
        CommandOption("How many results.", default=None),
    ] = 5
    provider: Annotated[OptionalName, CommandOption("Use only this register.")] = None
    session_id: SessionId = None

    def clean_values(self) -> Self:
        """The query with days and single lines; raises InvalidInput if a value is invalid or missing."""
        if not self.query and not self.ticker:
            raise InvalidInput("Give query (a company, CIK or words) or ticker.")
        if self.ticker and len(self.ticker) > _MAX_TICKER_CHARS:
            raise InvalidInput("ticker is too long for one; put a company's name into query.")
        start, end = search_request.check_day_range(self.date_from, self.date_to)
        return self.with_changes(
            query=search_request.clean_query_text(self.query) if self.query else None,
            ticker=search_request.clean_query_text(self.ticker, argument="ticker")
            if self.ticker
            else None,
            date_from=start,
            date_to=end,
            provider=search_request.normalize_provider_name(self.provider),
        )

    def interpret_text(self) -> tuple[FilingLookup, tuple[str, ...]]:
        """The query with the meaning of its text, and notes on how it was understood.

        Forms in the text count if form_type is not given.
        """
        forms = filing_forms.normalize_form_types(self.form_type)
        named, words = filing_forms.extract_text_forms(self.query or "")
        is_latest = not self.ticker and _asks_for_latest(words, forms or named)
        words = "" if is_latest else words
        fewest = 0 if self.ticker else 1
        company, year = _extract_company_words(words, facts=self.facts, fewest=fewest)
        lookup = FilingLookup(
            **self.model_dump(),
            text=words,
            company_text=company,
            year=year if not (self.date_from or self.date_to) else None,
            forms=forms or named,
        )
        notes = () if forms or not named else (f"Searched for the form {' or '.join(named)}.",)
        return lookup, notes


class FilingLookup(FilingQuery):
    """A cleaned query with the meaning of its text, as a register takes it."""

    # A company, or words to search the filings for, without the names of forms. Without text and
    # ticker the newest filings of all filers are meant.
    text: str = ""
    company_text: str = ""  # `text` without years and words such as "latest", if that is shorter
    year: int | None = None  # named in `text`; applies if `company_text` alone is a company
    forms: tuple[str, ...] = ()


class FilingCompany(WireValue):
    """A filer, as the register names it today."""

    name: str
    cik: str  # ten digits
    tickers: tuple[str, ...] = ()


class PeriodValue(WireValue):
    """A figure over one period, and the filing that reports it."""

    value: str  # exactly as filed; with computed_from, the sum of what was filed
    period_start: str | None = None  # None for a value on one day, such as assets
    period_end: str  # YYYY-MM-DD
    form_type: str
    fiscal_year: int | None = None  # of the filing
    fiscal_period: str | None = None  # of the filing: FY, Q1, Q2, Q3
    filing_date: str | None = None
    accession: str | None = None
    url: str | None = None
    concept: str | None = None  # if it is another than that of the fact
    computed_from: tuple[str, ...] | None = None


class ReportedFact(PeriodValue):
    """One value that a company reported."""

    concept: str  # with its taxonomy, such as us-gaap:Assets
    unit: str
    label: str | None = None

    def build_period_value(self, newest: ReportedFact) -> PeriodValue:
        """The value beside the newest one of the same figure, without what both have in common."""
        given = self.model_dump(exclude={"unit", "label"})
        changed = {"concept": None} if self.concept == newest.concept else {}
        return PeriodValue(**given | changed)


class HeadlineFact(WireValue):
    """The latest values of one figure; None for a period that was neither reported nor computable."""

    newest: ReportedFact
    annual: ReportedFact | None = None
    quarter: ReportedFact | None = None
    trailing: ReportedFact | None = None  # twelve months


class Filing(WireValue):
    """One filing, or with facts=true one reported fact; what the register does not state is absent."""

    company: str
    cik: str
    form_type: str
    source: str  # the provider's name
    filing_date: str | None = None
    period_of_report: str | None = None
    accession: str | None = None
    url: str | None = None  # the document; scrape_page reads it
    description: str | None = None
    is_amendment: bool | None = None
    tickers: tuple[str, ...] | None = None
    items: tuple[str, ...] | None = None  # of a form 8-K, such as 5.02
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


class FilingHits(WireValue):
    filings: tuple[Filing, ...] = ()
    company: FilingCompany | None = None  # None if all filers were searched
    total: int | None = None  # of a search over all filers
    notes: tuple[str, ...] = ()


class FactHits(WireValue):
    facts: tuple[HeadlineFact, ...] = ()
    company: FilingCompany | None = None
    notes: tuple[str, ...] = ()


class FilingsAnswer(WireValue):
    """What filing_search returns."""

    filings: Body[tuple[Filing, ...]]
    query: str
    company: FilingCompany | None = None  # absent if all filers were searched
    result_count: int
    provider: str
    total_results: int | None = None
    notes: tuple[str, ...] | None = None
    hints: EmptySearchHints | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)


@runtime_checkable
class FilingSearch(Protocol):
    """What a provider with the offer `filings` can do."""

    async def search_filings(self, query: FilingLookup) -> FilingHits: ...

    async def list_company_facts(self, query: FilingLookup) -> FactHits:
        """The newest headline figures of the company; none if the query names no company."""
        ...


async def search_filings(
    query: FilingQuery, require_service: RequireService, *, trace: RoutingTrace
) -> FilingsAnswer:
    """Filings or facts of the named or first provider, or hints why there are none."""
    from citewell.search.domain_search import DomainSearch

    search = require_service(DomainSearch)
    query = query.clean_values()
    lookup, understood = query.interpret_text()
    names = search.choose_providers(
        Offer.FILINGS, named=query.provider, order=FILING_PROVIDER_ORDER
    )

    async def ask_register(register: FilingSearch) -> FilingHits | FactHits:
        if query.facts:
            return await register.list_company_facts(lookup)
        return await register.search_filings(lookup)

    name, hits = await search.ask_first_provider(names, FilingSearch, ask_register, trace=trace)
    if isinstance(hits, FilingHits):
        filings = hits.filings
    elif (company := hits.company) is None:
        filings = ()
    else:
        filings = tuple(_build_fact(fact, company, name) for fact in hits.facts)
    notes = (*understood, *hits.notes)
    hints = None
    if not filings:
        hints = search.explain_missing_records(
            (name,), filters=query.list_set_filters(), offer=Offer.FILINGS
        )
        details = (*hints.details, *notes, *filing_forms.describe_unknown_forms(lookup.forms))
        hints = hints.with_changes(details=details)
    return FilingsAnswer(
        filings=filings,
        query=query.ticker or query.query or "",
        company=hits.company,
        result_count=len(filings),
        provider=name,
        total_results=hits.total if isinstance(hits, FilingHits) else None,
        notes=notes if filings and notes else None,
        hints=hints,
    )


def _build_fact(fact: HeadlineFact, company: FilingCompany, provider: str) -> Filing:
    newest = fact.newest
    latest = (
        other.build_period_value(newest) if other else None
        for other in (fact.annual, fact.quarter, fact.trailing)
    )
    annual, quarter, trailing = latest
    return Filing(
        **newest.model_dump(exclude={"computed_from"}),  # the newest value was always filed
        company=company.name,
        cik=company.cik,
        source=provider,
        is_amendment=newest.form_type.endswith("/A") or None,
        latest_annual=annual,
        latest_quarter=quarter,
        trailing_twelve_months=trailing,
    )


def _asks_for_latest(words: str, forms: tuple[str, ...]) -> bool:
    """Whether the text names no company and nothing to search for: "latest 8-K filings"."""
    left = [word.strip(",.:").lower() for word in words.split()]
    if not all(word in _FRAME_WORDS for word in left):
        return False
    return bool(forms) or not _LATEST_WORDS.isdisjoint(left)


def _extract_company_words(text: str, *, facts: bool, fewest: int) -> tuple[str, int | None]:
    """The text without years and frame words at its ends, and the last year among those.

    At least `fewest` words stay.
    """
    words, year = text.split(), None
    frame = _FRAME_WORDS | _FIGURE_WORDS if facts else _FRAME_WORDS
    for end in (-1, 0):
        while len(words) > fewest:
            bare = words[end].strip(",.:").lower()
            found = _YEAR_PATTERN.fullmatch(bare)
            if not found and bare not in frame:
                break
            words.pop(end)
            year = year or (int(found[1]) if found else None)
    company = " ".join(words).strip(" ,.:")
    return company.removesuffix("'s").removesuffix("’s"), year


async def search_filing_records(
    require_service: RequireService, words: str, count: int
) -> list[SearchHit]:
    answer = await search_filings(
        FilingQuery(query=words, count=count), require_service, trace=RoutingTrace()
    )
    return [
        SearchHit(
            title=f"{filing.company}, form {filing.form_type}, {filing.period_of_report or ''}",
            url=filing.url,
            snippet=filing.description or "",
            engine=filing.source,
        )
        for filing in answer.filings
        if filing.url
    ]


async def run(query: FilingQuery, call: ToolCall) -> FilingsAnswer:
    answer = await search_filings(query, call.require_service, trace=call.trace)
    call.report_sources(
        SessionSource(
            url=filing.url,
            title=f"Form {filing.form_type}"
            + (f" for the period ended {period}" if (period := filing.period_of_report) else ""),
            author=filing.company,
            organisation=True,
            date=filing.filing_date,
            basis="record",
        )
        for filing in answer.filings
        if filing.url
    )
    return answer


TOOL = Tool(
    args=FilingQuery,
    result=FilingsAnswer,
    run=run,
    toolset="domains",
    title="Company filings",
    ttl_seconds=24 * 3600,
    cache_version=2,
    is_empty_result=lambda answer: answer.result_count == 0,
    empty_ttl_seconds=0.0,
    served_by=ToolProviders(
        offer=Offer.FILINGS, filters=("ticker", "form_type", "date_from", "date_to", "facts")
    ),
)


def show_filings(body: Mapping[str, Any]) -> Iterator[Card | TextLine]:
    if company := body.get("company"):
        known = ", ".join([*company["tickers"], f"CIK {company['cik']}"])
        yield TextLine(text=f"{company['name']} ({known})", style="bold")
        yield TextLine()
    for item in body["filings"]:
        yield _show_fact(item) if "concept" in item else _show_filing(item)


def _show_filing(filing: Mapping[str, Any]) -> Card:
    period, items = filing.get("periodOfReport"), filing.get("items")
    description = str(filing.get("description", ""))
    own = description.upper() not in {"", filing["formType"], f"FORM {filing['formType']}"}
    return Card(
        title=f"{filing['formType']} · {filing['company']}",
        url=filing["url"],
        facts=(
            f"filed {filing['filingDate']}" if filing.get("filingDate") else "",
            f"reports on {period}" if period else "",
            "amendment" if filing["isAmendment"] else "",
            f"items {', '.join(items)}" if items else "",
            filing["accession"],
        ),
        lines=(description if own else "",),
    )


def _show_fact(fact: Mapping[str, Any]) -> Card:
    name = fact.get("label") or fact["concept"].partition(":")[2]
    return Card(
        title=f"{name}: {fact['value']} {fact['unit']}",
        url=fact.get("url"),
        facts=(*_list_period_facts(fact), fact["concept"]),
        lines=tuple(
            f"{title}: {value['value']} {fact['unit']} · {' · '.join(_list_period_facts(value))}"
            for key, title in _PERIOD_TITLES.items()
            if (value := fact.get(key))
        ),
    )


def _list_period_facts(value: Mapping[str, Any]) -> tuple[str, ...]:
    start, filed = value.get("periodStart"), value.get("filingDate")
    period = f"{start} to {value['periodEnd']}" if start else value["periodEnd"]
    return (period, value["formType"], *([f"filed {filed}"] if filed else []))


def choose_count(arguments: dict[str, Any]) -> dict[str, Any]:
    """More figures than filings, if the person did not say how many."""
    return {"num_results": 10 if arguments["facts"] else 5} | arguments


COMMAND = SearchCommand(
    name="filings",
    tool="filing_search",
    help="""Search filings of companies with the US SEC.

A company, ticker or CIK lists its filings; other words search the text of all of them. They are what
an assistant would get from filing_search. The SEC wants your mail address: EDGAR_CONTACT_EMAIL.""",
    show_answer=show_filings,
    adjust_arguments=choose_count,
)
