"""Search the web through whichever providers are configured."""

from __future__ import annotations

from citewell.model.search_results import SearchAnswer
from citewell.services.web.search_service import SearchRequest, WebSearchService
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, SearchRequest):
    """Search the web: titles, links and snippets with dates and source reputation. For whole page texts set fetch_content or read the links. Prefer search only for connector clients."""


async def run(args: Args, call: ToolCall) -> SearchAnswer:
    return await call.require_service(WebSearchService).search_web_pages(
        args.build_request(SearchRequest), trace=call.trace, progress=call.report_progress
    )


TOOL = Tool(
    args=Args,
    result=SearchAnswer,
    run=run,
    toolset="core",
    in_default_profile=True,
    ttl_seconds=1800,
    has_long_timeout=True,
    shows_freshness=True,
    is_empty_result=lambda answer: answer.result_count == 0,
)
