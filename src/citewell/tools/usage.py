"""See what deep research has cost."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from citewell.model.base import Report
from citewell.services.research.service import Research
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """What research cost in a period: by provider, and the recent jobs."""

    period: Annotated[Literal["7d", "30d", "90d", "all"], Field(default="30d")]


async def run(args: Args, call: Call) -> Report:
    return Report(content=await call.service(Research).usage(str(call.owner), args.period))


TOOL = Tool(args=Args, result=Report, run=run, toolset="deep", open_world=False)
