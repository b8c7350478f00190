"""Read one thread of deep research."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.research.research_answers import ThreadAnswer
from citewell.research.research_service import ResearchService


class Args(ToolArguments):
    """A research thread with its messages, its jobs (newest first) and the steps of the newest."""

    thread_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="threadId")]


async def run(args: Args, call: ToolCall) -> ThreadAnswer:
    return ThreadAnswer.model_validate(
        await call.require_service(ResearchService).load_thread_view(
            str(call.owner), args.thread_id
        )
    )


TOOL = Tool(
    args=Args,
    result=ThreadAnswer,
    run=run,
    toolset="deep",
    title="Research thread",
    open_world=False,
)
