"""Stop deep research."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.model.base import Report
from citewell.services.research.service import Research
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """Stop a research job here and at its providers. What was paid for is kept; the rest of the budget is released."""

    job_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="jobId")]


async def run(args: Args, call: Call) -> Report:
    return Report(content=await call.service(Research).cancel(str(call.owner), args.job_id))


TOOL = Tool(args=Args, result=Report, run=run, toolset="deep", read_only=False)
