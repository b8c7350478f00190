"""Find filings of companies with the US Securities and Exchange Commission."""

from __future__ import annotations

from citewell.model.answers.filing_results import FilingsAnswer
from citewell.model.research_session import SessionSource
from citewell.services.domains.filings.filing_search import (
    FilingSearchRequest,
    FilingSearchService,
)
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, FilingSearchRequest):
    """Find filings of public companies with the US SEC (EDGAR): annual and quarterly reports, 8-K, proxy statements. A company, ticker or CIK lists its filings; other words search the text of all filings since 2001. facts=true returns reported figures exactly as filed. Give query or ticker. scrape_page of a filing's url reads it."""


async def run(args: Args, call: ToolCall) -> FilingsAnswer:
    answer = await call.require_service(FilingSearchService).search_filings(
        args.build_request(FilingSearchRequest), trace=call.trace
    )
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
    args=Args,
    result=FilingsAnswer,
    run=run,
    toolset="domains",
    title="Company filings",
    ttl_seconds=24 * 3600,
    cache_version=2,
    is_empty_result=lambda answer: answer.result_count == 0,
    empty_ttl_seconds=0.0,
)
