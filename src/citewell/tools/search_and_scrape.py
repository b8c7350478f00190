"""Search the web and read what was found, in one call."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from citewell.model.scrape import Bundle
from citewell.services.bundle import Gathering
from citewell.services.gather import MOST, Gather
from citewell.tooling import UNKEYED, Arguments, Call, Tool


def _blank(value: object) -> object:
    return None if value == "" else value


class Args(Arguments):
    """Search the web and read the top pages: sources ranked by relevance, freshness, authority and content, repetition removed, one combined text, and every page that failed with the reason. For links alone use web_search; for one known address, scrape_page."""

    query: Annotated[str, Field(min_length=1, max_length=500)]
    num_results: Annotated[int, Field(default=3, ge=1, le=MOST)]
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
        BeforeValidator(_blank),
        Field(default=None, description="Use this search provider and no other."),
    ]
    claim: Annotated[
        str | None,
        Field(
            default=None,
            max_length=2000,
            description="Each source then quotes its sentences nearest to this claim: evidence, no verdict.",
        ),
        BeforeValidator(_blank),
    ]
    session_id: Annotated[
        str | None,
        UNKEYED,
        BeforeValidator(_blank),
        Field(default=None, validation_alias="sessionId"),
    ]


async def run(args: Args, call: Call) -> Bundle:
    wish = Gathering(
        query=args.query,
        count=args.num_results,
        include_sources=args.include_sources,
        deduplicate=args.deduplicate,
        near_duplicates=args.near_duplicates,
        per_source=args.max_length_per_source,
        total=args.total_max_length,
        filter_by_query=args.filter_by_query,
        provider=args.provider,
        claim=args.claim,
    )
    return await call.service(Gather).gather(
        wish, trace=call.trace, tenant=call.owner.tenant, progress=call.progress
    )


TOOL = Tool(
    args=Args,
    result=Bundle,
    run=run,
    toolset="core",
    default=True,
    long=True,  # its searches and pages are kept, the whole is not
)
