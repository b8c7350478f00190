"""See how far deep research has come."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.model.base import Report
from citewell.services.research.service import Research
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """Progress of a research job by provider. With wait_seconds it answers when something changes, so poll less often."""

    job_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="jobId")]
    wait_seconds: Annotated[float, Field(default=0, ge=0, le=50)]


async def run(args: Args, call: Call) -> Report:
    research = call.service(Research)
    shown = await research.status(
        str(call.owner), args.job_id, wait=args.wait_seconds, progress=call.progress
    )
    return Report(content=shown)


TOOL = Tool(args=Args, result=Report, run=run, toolset="deep", open_world=False, long=True)
