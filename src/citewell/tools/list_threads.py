"""List the threads of deep research."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.model.base import Report
from citewell.services.research.service import Research
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """Research threads, the most recent first."""

    limit: Annotated[int, Field(default=20, ge=1, le=100)]
    offset: Annotated[int, Field(default=0, ge=0, le=1_000_000)]


async def run(args: Args, call: Call) -> Report:
    shown = await call.service(Research).threads(
        str(call.owner), limit=args.limit, offset=args.offset
    )
    return Report(content=shown)


TOOL = Tool(args=Args, result=Report, run=run, toolset="deep", open_world=False)
