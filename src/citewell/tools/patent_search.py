"""Find patents in the databases that are configured, or by a web search of Google Patents."""

from __future__ import annotations

from citewell.model.answers.patent_results import PatentsAnswer
from citewell.model.research_session import SessionSource
from citewell.services.domains.patents.patent_search import (
    PatentSearchRequest,
    PatentSearchService,
)
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, PatentSearchRequest):
    """Find patents by words, number, assignee, inventor or CPC class: number with its kind explained, assignee, inventor, filing and grant dates, family. Give query, assignee or inventor. Matching is by words: check the returned fields. scrape_page of a Google Patents url reads claims and description."""


async def run(args: Args, call: ToolCall) -> PatentsAnswer:
    answer = await call.require_service(PatentSearchService).search_patents(
        args.build_request(PatentSearchRequest), trace=call.trace, progress=call.report_progress
    )
    call.report_sources(
        SessionSource(
            url=patent.url,
            title=patent.title,
            author=patent.inventor,
            date=patent.granted or patent.filed,
            basis="record",
        )
        for patent in answer.patents
    )
    return answer


TOOL = Tool(
    args=Args,
    result=PatentsAnswer,
    run=run,
    toolset="domains",
    ttl_seconds=24 * 3600,
    cache_version=2,
    has_long_timeout=True,
    is_empty_result=lambda answer: answer.result_count == 0,
    empty_ttl_seconds=0.0,
)
