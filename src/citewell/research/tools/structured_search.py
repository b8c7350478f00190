"""Search the web and fill the fields of a schema from each page."""

from __future__ import annotations

from citewell.core.tooling import SessionArguments, Tool, ToolCall
from citewell.core.values.research_session import SessionSource
from citewell.core.values.search_results import StructuredAnswer
from citewell.research.answer_service import CallContext
from citewell.research.structured.structured_search import (
    StructuredRequest,
    StructuredSearchService,
)
from citewell.routing.ports import Offer, ToolProviders


class Args(SessionArguments, StructuredRequest):
    """Search the web and get the fields of a JSON Schema from each page found: summary has the values, null where the page does not say, evidence the words each was read from. For links alone use web_search; for the text of pages, search_and_scrape."""


async def run(args: Args, call: ToolCall) -> StructuredAnswer:
    answer = await call.require_service(StructuredSearchService).search_structured(
        args.build_request(StructuredRequest), context=CallContext.from_call(call)
    )
    call.audit |= {"provider": answer.provider, "cost_usd": answer.cost_usd or 0.0}
    call.report_sources(
        SessionSource(
            url=page.url,
            title=page.title or "",
            author=page.author,
            date=page.published_date,
            stage="quoted" if page.highlights else "read" if page.summary else "listed",
        )
        for page in answer.results
    )
    return answer


TOOL = Tool(
    args=Args,
    result=StructuredAnswer,
    run=run,
    toolset="domains",
    ttl_seconds=3600,
    cache_version=2,
    has_long_timeout=True,
    is_empty_result=lambda answer: answer.result_count == 0,
    served_by=ToolProviders(
        offer=Offer.STRUCTURED,
        filters=("category", "schema"),
        without_provider="our own reading of the pages",
    ),
)
