"""Read one page, document, video or thread by its address."""

from __future__ import annotations

from citewell.core.tooling import MainBody, SessionArguments, Tool, ToolCall
from citewell.core.values.scrape_results import ScrapeOutput
from citewell.reading.pages.artifacts import find_text_media_type
from citewell.reading.pages.page_scrape import PageScraper, ScrapeRequest


class Args(SessionArguments, ScrapeRequest):
    """Read one address as clean markdown: web pages, PDF and office files, YouTube, Reddit, GitHub, Hacker News and more, with citation, dates, source type and trust signals. To find pages use web_search."""


async def run(args: Args, call: ToolCall) -> ScrapeOutput:
    return await call.require_service(PageScraper).scrape_page(
        args.build_request(ScrapeRequest),
        tenant=call.owner.tenant,
        progress=call.report_progress,
        report=call.report_sources,
    )


TOOL = Tool(
    args=Args,
    result=ScrapeOutput,
    run=run,
    toolset="core",
    title="Read page",
    in_default_profile=True,
    ttl_seconds=3600,
    cache_version=2,
    has_long_timeout=True,
    links_large_results=True,
    bounds_own_size=lambda args: args.mode != "raw",
    main_body=MainBody(
        key="content",
        find_media_type=lambda body: (
            None if "contentEncoding" in body else find_text_media_type(body["contentType"])
        ),
    ),
)
