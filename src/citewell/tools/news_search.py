"""Find recent news through whichever providers are configured."""

from __future__ import annotations

from citewell.model.answers.news_results import NewsAnswer
from citewell.services.domains.news.news_search import NewsSearchRequest, NewsSearchService
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, NewsSearchRequest):
    """Find recent news articles: title, link, publisher, snippet and, where known, time of publication in UTC. Filters that a provider lacks are applied to its articles, and the answer says who applied which. Prefer web_search for anything older than a year or not news."""


async def run(args: Args, call: ToolCall) -> NewsAnswer:
    return await call.require_service(NewsSearchService).search_news(
        args.build_request(NewsSearchRequest), trace=call.trace
    )


TOOL = Tool(
    args=Args,
    result=NewsAnswer,
    run=run,
    toolset="domains",
    ttl_seconds=900,
    has_long_timeout=True,
    is_empty_result=lambda answer: answer.result_count == 0,
)
