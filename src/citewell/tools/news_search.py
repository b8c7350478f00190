"""Find recent news through whichever providers are configured."""

from __future__ import annotations

from citewell.model.answers.news_results import NewsAnswer
from citewell.model.research_session import SessionSource
from citewell.services.domains.news.news_search import NewsSearchRequest, NewsSearchService
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, NewsSearchRequest):
    """Find recent news: title, link, publisher, snippet and, where known, time of publication. The answer says who applied which filter. For anything older than a year use web_search."""


async def run(args: Args, call: ToolCall) -> NewsAnswer:
    answer = await call.require_service(NewsSearchService).search_news(
        args.build_request(NewsSearchRequest), trace=call.trace
    )
    call.report_sources(
        SessionSource(url=hit.url, title=hit.title, site=hit.source, date=hit.published_at)
        for hit in answer.articles
    )
    return answer


TOOL = Tool(
    args=Args,
    result=NewsAnswer,
    run=run,
    toolset="domains",
    in_default_profile=True,
    ttl_seconds=900,
    cache_version=2,
    has_long_timeout=True,
    is_empty_result=lambda answer: answer.result_count == 0,
)
