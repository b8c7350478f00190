"""Stop deep research."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.research.research_answers import ResearchProgress
from citewell.research.research_service import ResearchService


class Args(ToolArguments):
    """Stop a research job here and at its providers. What was paid for is kept; the rest of the budget is released."""

    job_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="jobId")]


async def run(args: Args, call: ToolCall) -> ResearchProgress:
    return ResearchProgress.model_validate(
        await call.require_service(ResearchService).cancel_research_job(
            str(call.owner), args.job_id
        )
    )


TOOL = Tool(args=Args, result=ResearchProgress, run=run, toolset="deep", read_only=False)
