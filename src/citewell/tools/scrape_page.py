"""Read one page, document, video or thread by its address."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from citewell.model.scrape_results import ScrapeOutput
from citewell.services.reading.page_scrape import PageScraper, ScrapeRequest
from citewell.tooling import BLANK_IS_ABSENT, NOT_IN_CACHE_KEY, Tool, ToolArguments, ToolCall


class Args(ToolArguments):
    """Read one address as clean markdown: web pages, PDF and office files, YouTube, Reddit, GitHub, Hacker News and more, with citation, dates, source type and trust signals. For finding pages use web_search; to search and read at once, search_and_scrape."""

    url: Annotated[str, Field(min_length=1, max_length=4096, description="http(s) address.")]
    mode: Annotated[
        Literal["full", "preview", "raw"],
        Field(
            default="full",
            description="preview: the first 5000 bytes. raw: the body as sent, unsanitised; for JSON or markup only.",
        ),
    ]
    max_length: Annotated[
        int, Field(default=50_000, ge=1, description="Bytes of content; 5000000 is the most.")
    ]
    session_id: Annotated[
        str | None,
        NOT_IN_CACHE_KEY,
        BLANK_IS_ABSENT,
        Field(default=None, validation_alias="sessionId"),
    ]


async def run(args: Args, call: ToolCall) -> ScrapeOutput:
    wish = ScrapeRequest(url=args.url, mode=args.mode, max_length=args.max_length)
    return await call.require_service(PageScraper).scrape_page(
        wish, tenant=call.owner.tenant, progress=call.report_progress
    )


TOOL = Tool(
    args=Args,
    result=ScrapeOutput,
    run=run,
    toolset="core",
    in_default_profile=True,
    ttl_seconds=3600,
    has_long_timeout=True,
)
