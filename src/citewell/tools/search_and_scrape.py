"""Search the web and read the pages found, in one call."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.model.scrape_results import SourceBundle
from citewell.services.reading.search_and_read import MAX_GATHERED_PAGES, SearchAndRead
from citewell.services.reading.source_bundle import GatherRequest
from citewell.tooling import BLANK_IS_ABSENT, NOT_IN_CACHE_KEY, Tool, ToolArguments, ToolCall


class Args(ToolArguments):
    """Search the web and read the top pages: sources ranked by relevance, freshness, authority and content, repetition removed, one combined text, and every page that failed with the reason. For links alone use web_search; for one known address, scrape_page."""

    query: Annotated[str, Field(min_length=1, max_length=500)]
    num_results: Annotated[int, Field(default=3, ge=1, le=MAX_GATHERED_PAGES)]
    include_sources: Annotated[
        bool, Field(default=True, description="false: the combined text only.")
    ]
    deduplicate: Annotated[
        bool, Field(default=True, description="Drop paragraphs that a better source has too.")
    ]
    near_duplicates: Annotated[
        bool, Field(default=False, description="Drop nearly equal paragraphs as well.")
    ]
    max_length_per_source: Annotated[int, Field(default=50_000, ge=1, description="Bytes.")]
    total_max_length: Annotated[int, Field(default=300_000, ge=1, description="Bytes.")]
    filter_by_query: Annotated[
        bool | None,
        Field(
            default=None,
            description="Leave out pages far from the query; by default only with a claim.",
        ),
    ]
    provider: Annotated[
        str | None,
        BLANK_IS_ABSENT,
        Field(default=None, description="Use this search provider and no other."),
    ]
    claim: Annotated[
        str | None,
        Field(
            default=None,
            max_length=2000,
            description="Each source then quotes its sentences nearest to this claim: evidence, no verdict.",
        ),
        BLANK_IS_ABSENT,
    ]
    session_id: Annotated[
        str | None,
        NOT_IN_CACHE_KEY,
        BLANK_IS_ABSENT,
        Field(default=None, validation_alias="sessionId"),
    ]


async def run(args: Args, call: ToolCall) -> SourceBundle:
    wish = GatherRequest(
        query=args.query,
        source_count=args.num_results,
        include_sources=args.include_sources,
        deduplicate=args.deduplicate,
        near_duplicates=args.near_duplicates,
        max_source_bytes=args.max_length_per_source,
        max_total_bytes=args.total_max_length,
        filter_by_query=args.filter_by_query,
        provider=args.provider,
        claim=args.claim,
    )
    return await call.require_service(SearchAndRead).gather_sources(
        wish, trace=call.trace, tenant=call.owner.tenant, progress=call.report_progress
    )


TOOL = Tool(
    args=Args,
    result=SourceBundle,
    run=run,
    toolset="core",
    in_default_profile=True,
    has_long_timeout=True,  # its searches and pages are cached; the combined result is not
)
