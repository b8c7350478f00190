"""List the research threads."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.research.research_answers import ThreadListing
from citewell.research.research_service import ResearchService


class Args(ToolArguments):
    """Research threads, the most recent first."""

    limit: Annotated[int, Field(default=20, ge=1, le=100)]
    offset: Annotated[int, Field(default=0, ge=0, le=1_000_000)]


async def run(args: Args, call: ToolCall) -> ThreadListing:
    shown = await call.require_service(ResearchService).list_threads(
        str(call.owner), limit=args.limit, offset=args.offset
    )
    return ThreadListing.model_validate(shown)


TOOL = Tool(
    args=Args,
    result=ThreadListing,
    run=run,
    toolset="deep",
    title="Research threads",
    open_world=False,
)
