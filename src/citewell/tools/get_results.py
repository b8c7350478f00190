"""Read the report of finished deep research."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.model.base import Report
from citewell.services.research.service import Research
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """The report of a completed research job with its sources, checked citations, cost and follow-on suggestions."""

    job_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="jobId")]
    include_provider_reports: Annotated[
        bool, Field(default=False, validation_alias="includeProviderReports")
    ]
    include_claims_json: Annotated[bool, Field(default=False, validation_alias="includeClaimsJson")]


async def run(args: Args, call: Call) -> Report:
    shown = await call.service(Research).results(
        str(call.owner),
        args.job_id,
        reports=args.include_provider_reports,
        claims=args.include_claims_json,
    )
    return Report(content=shown)


TOOL = Tool(
    args=Args,
    result=Report,
    run=run,
    toolset="deep",
    open_world=False,
    promised=("jobId", "status", "synthesis", "followOnSuggestions", "cost", "duration"),
)
