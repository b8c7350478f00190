"""Read one thread of deep research."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.model.base import Report
from citewell.services.research.service import Research
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """A research thread with its messages, its jobs (newest first) and the steps of the newest."""

    thread_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="threadId")]


async def run(args: Args, call: Call) -> Report:
    return Report(content=await call.service(Research).thread(str(call.owner), args.thread_id))


TOOL = Tool(args=Args, result=Report, run=run, toolset="deep", open_world=False)
