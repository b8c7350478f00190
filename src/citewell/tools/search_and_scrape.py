"""Search the web and read the pages found, in one call."""

from __future__ import annotations

from citewell.model.scrape_results import SourceBundle
from citewell.services.reading.search_and_read import SearchAndRead
from citewell.services.reading.source_bundle import GatherRequest
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, GatherRequest):
    """Search the web and read the top pages: ranked sources with the passages that answer the query, each with its offsets in the page, and every page that failed with the reason. The pages' whole text is linked. For links alone use web_search; for one known address, scrape_page."""


async def run(args: Args, call: ToolCall) -> SourceBundle:
    gathered = await call.require_service(SearchAndRead).gather_sources(
        args.build_request(GatherRequest),
        trace=call.trace,
        tenant=call.owner.tenant,
        progress=call.report_progress,
        report=call.report_sources,
    )
    call.linked_text = gathered.page_texts
    return gathered.bundle


TOOL = Tool(
    args=Args,
    result=SourceBundle,
    run=run,
    toolset="core",
    title="Search and read",
    in_default_profile=True,
    has_long_timeout=True,  # its searches and pages are cached; the combined result is not
    links_large_results=True,
    bounds_own_size=lambda _args: True,  # by max_tokens
)
