"""Show what deep research has cost."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.research.research_answers import UsageAnswer
from citewell.research.research_service import ResearchService


class Args(ToolArguments):
    """What research cost in a period: by provider, and the recent jobs."""

    period: Annotated[Literal["7d", "30d", "90d", "all"], Field(default="30d")]


async def run(args: Args, call: ToolCall) -> UsageAnswer:
    return UsageAnswer.model_validate(
        await call.require_service(ResearchService).load_usage_view(str(call.owner), args.period)
    )


TOOL = Tool(
    args=Args, result=UsageAnswer, run=run, toolset="deep", title="Research usage", open_world=False
)
