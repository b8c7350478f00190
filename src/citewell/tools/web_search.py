"""Search the web through whichever providers are configured."""

from __future__ import annotations

from citewell.errors import CitewellError
from citewell.model.search_results import SearchAnswer
from citewell.services.web import searxng_answers
from citewell.services.web.search_service import SearchRequest, WebSearchService
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, SearchRequest):
    """Search the web: titles, links and snippets with dates and source reputation. For page texts set fetch_content, or use search_and_scrape."""


async def run(args: Args, call: ToolCall) -> SearchAnswer:
    service = call.require_service(WebSearchService)
    service.check_result_count(args.count)
    try:
        answer = await service.search_web_pages(
            args.build_request(SearchRequest),
            trace=call.trace,
            progress=call.report_progress,
            report=call.report_sources,
        )
    except CitewellError as error:
        if not (service.follows_searxng or searxng_answers.has_searxng_details(error)):
            raise
        raise searxng_answers.add_searxng_details(
            error, args.query, has_own_message=not service.follows_searxng
        ) from None
    return searxng_answers.build_searxng_answer(answer) if service.follows_searxng else answer


TOOL = Tool(
    args=Args,
    result=SearchAnswer,
    run=run,
    toolset="core",
    in_default_profile=True,
    ttl_seconds=1800,
    cache_version=2,
    has_long_timeout=True,
    shows_freshness=True,
    is_empty_result=lambda answer: answer.result_count == 0,
)
