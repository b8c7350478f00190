"""Find decisions of courts and texts of law."""

from __future__ import annotations

from citewell.model.answers.case_results import CasesAnswer
from citewell.model.research_session import SessionSource
from citewell.services.domains.law.case_search import CaseSearchRequest, CaseSearchService
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, CaseSearchRequest):
    """Find court decisions by topic, case name or citation: US federal and state courts (CourtListener), with jurisdiction also UK judgments, EU law, the CFR and the Federal Register. Each case has its Bluebook citation, court, date and link; scrape_page of its url reads the text. verify_citation checks whether a cited case exists."""


async def run(args: Args, call: ToolCall) -> CasesAnswer:
    answer = await call.require_service(CaseSearchService).search_cases(
        args.build_request(CaseSearchRequest), trace=call.trace, progress=call.report_progress
    )
    call.report_sources(
        SessionSource(
            url=case.url,
            title=case.citation or case.case_name,
            date=case.date_filed,
            basis="record",
        )
        for case in answer.cases
    )
    return answer


TOOL = Tool(
    args=Args,
    result=CasesAnswer,
    run=run,
    toolset="domains",
    title="Case law",
    ttl_seconds=24 * 3600,
    is_empty_result=lambda answer: answer.result_count == 0,
    empty_ttl_seconds=0.0,
)
