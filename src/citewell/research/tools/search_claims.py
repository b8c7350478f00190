"""Search the claims of completed research jobs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.research.research_answers import ClaimListing
from citewell.research.research_service import ResearchService


class Args(ToolArguments):
    """Search the claims of your completed research by words, by job or by thread (its latest completed job). Give at least one."""

    thread_id: Annotated[
        str | None, Field(default=None, max_length=100, validation_alias="threadId")
    ]
    job_id: Annotated[str | None, Field(default=None, max_length=100, validation_alias="jobId")]
    query: Annotated[str | None, Field(default=None, max_length=500)]
    confidence_level: Annotated[
        Literal["high", "medium", "low"] | None,
        Field(default=None, validation_alias="confidenceLevel"),
    ]
    limit: Annotated[int, Field(default=20, ge=1, le=100)]


async def run(args: Args, call: ToolCall) -> ClaimListing:
    shown = await call.require_service(ResearchService).search_claims(
        str(call.owner),
        thread=args.thread_id,
        job=args.job_id,
        query=args.query,
        level=args.confidence_level,
        limit=args.limit,
    )
    return ClaimListing.model_validate(shown)


TOOL = Tool(args=Args, result=ClaimListing, run=run, toolset="deep", open_world=False)
