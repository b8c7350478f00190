"""Search what earlier deep research found."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from citewell.model.base import Report
from citewell.services.research.service import Research
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
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


async def run(args: Args, call: Call) -> Report:
    shown = await call.service(Research).search_claims(
        str(call.owner),
        thread=args.thread_id,
        job=args.job_id,
        query=args.query,
        level=args.confidence_level,
        limit=args.limit,
    )
    return Report(content=shown)


TOOL = Tool(args=Args, result=Report, run=run, toolset="deep", open_world=False)
