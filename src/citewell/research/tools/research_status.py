"""Show the progress of a research job."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.research.research_answers import ResearchProgress
from citewell.research.research_service import ResearchService


class Args(ToolArguments):
    """Progress of a research job by provider. With wait_seconds it answers when something changes, so poll less often."""

    job_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="jobId")]
    wait_seconds: Annotated[float, Field(default=0, ge=0, le=50)]


async def run(args: Args, call: ToolCall) -> ResearchProgress:
    research = call.require_service(ResearchService)
    shown = await research.wait_for_status(
        str(call.owner), args.job_id, wait=args.wait_seconds, progress=call.report_progress
    )
    return ResearchProgress.model_validate(shown)


TOOL = Tool(
    args=Args,
    result=ResearchProgress,
    run=run,
    toolset="deep",
    in_default_profile=True,
    open_world=False,
    has_long_timeout=True,
)
