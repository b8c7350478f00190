"""Read the report of a completed research job."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.model.answers.research_answers import ResearchResults
from citewell.services.research.research_service import ResearchService
from citewell.tooling import Tool, ToolArguments, ToolCall


class Args(ToolArguments):
    """The report of a completed research job with its sources, checked citations, cost and follow-on suggestions."""

    job_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="jobId")]
    include_provider_reports: Annotated[
        bool, Field(default=False, validation_alias="includeProviderReports")
    ]
    include_claims_json: Annotated[bool, Field(default=False, validation_alias="includeClaimsJson")]


async def run(args: Args, call: ToolCall) -> ResearchResults:
    shown = await call.require_service(ResearchService).load_results(
        str(call.owner),
        args.job_id,
        reports=args.include_provider_reports,
        claims=args.include_claims_json,
    )
    return ResearchResults.model_validate(shown)


TOOL = Tool(
    args=Args,
    result=ResearchResults,
    run=run,
    toolset="deep",
    open_world=False,
)
