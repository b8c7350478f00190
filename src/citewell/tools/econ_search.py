"""Find statistical series of economies, and list their observations."""

from __future__ import annotations

from citewell.model.answers.series_results import SeriesAnswer
from citewell.model.research_session import SessionSource
from citewell.services.domains.series.series_search import SeriesSearchRequest, SeriesSearchService
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, SeriesSearchRequest):
    """Find economic and social statistics (FRED, World Bank, OECD, Eurostat, ECB, IMF) and read their values exactly as published. query lists series; series_id lists observations: the newest first, or from date_from on, oldest first. One provider answers; hints name others."""


async def run(args: Args, call: ToolCall) -> SeriesAnswer:
    answer = await call.require_service(SeriesSearchService).search_series(
        args.build_request(SeriesSearchRequest), trace=call.trace
    )
    call.report_sources(
        SessionSource(url=item.url, title=item.title or answer.title or "", basis="record")
        for item in answer.results
        if item.url
    )
    return answer


TOOL = Tool(
    args=Args,
    result=SeriesAnswer,
    run=run,
    toolset="domains",
    title="Economic statistics",
    ttl_seconds=6 * 3600,
    cache_version=2,
    is_empty_result=lambda answer: answer.result_count == 0,
    empty_ttl_seconds=0.0,
)
