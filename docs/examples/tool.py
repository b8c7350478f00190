"""A whole tool: what `src/citewell/search/tools/count_results.py` would hold."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.wire_values import WireValue
from citewell.search.search_service import SearchRequest, WebSearchService


class Args(ToolArguments):
    """Count how many results each of two wordings of a question finds. To see the results use web_search."""

    first: Annotated[str, Field(min_length=1, max_length=500)]
    second: Annotated[str, Field(min_length=1, max_length=500, description="The other wording.")]


class Result(WireValue):
    first: int
    second: int


async def run(args: Args, call: ToolCall) -> Result:
    web = call.require_service(WebSearchService)
    counts = []
    for place, query in enumerate((args.first, args.second)):
        await call.report_progress(place, 2, f"searching for wording {place + 1}")
        answer = await web.search_web_pages(SearchRequest(query=query, count=20), trace=call.trace)
        counts.append(answer.result_count)
    return Result(first=counts[0], second=counts[1])


TOOL = Tool(args=Args, result=Result, run=run, toolset="core", ttl_seconds=1800)
