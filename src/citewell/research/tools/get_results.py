"""Read the report of a completed research job."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.research.reporting.model_synthesis import UNWRITTEN_NOTE
from citewell.research.research_answers import ResearchResults
from citewell.research.research_service import ResearchService

MAX_DRAFT_CHARS = 100_000


class Args(ToolArguments):
    """The report of a completed research job with its sources, checked citations, cost and follow-on suggestions."""

    job_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="jobId")]
    include_provider_reports: Annotated[
        bool, Field(default=False, validation_alias="includeProviderReports")
    ]
    include_claims_json: Annotated[bool, Field(default=False, validation_alias="includeClaimsJson")]
    include_evidence_pack: Annotated[
        bool,
        Field(
            default=False,
            validation_alias="includeEvidencePack",
            description="Passages to write from; always given if no model wrote the report.",
        ),
    ]
    draft: Annotated[
        str | None,
        Field(
            default=None,
            min_length=1,
            max_length=MAX_DRAFT_CHARS,
            description="Your report from evidencePack: every sentence is checked, and synthesis is what stands.",
        ),
    ]
    write: Annotated[
        Literal["server", "client"],
        Field(default="server", description="client: your model writes the draft, by sampling."),
    ]


async def run(args: Args, call: ToolCall) -> ResearchResults:
    unwritten = args.write == "client" and args.draft is None  # the protocol adds the draft
    shown = await call.require_service(ResearchService).load_results(
        str(call.owner),
        args.job_id,
        reports=args.include_provider_reports,
        claims=args.include_claims_json,
        evidence=args.include_evidence_pack or unwritten,
        draft=args.draft,
    )
    if unwritten:
        shown["notes"] = [*(shown.get("notes") or ()), UNWRITTEN_NOTE]
    return ResearchResults.model_validate(shown)


TOOL = Tool(
    args=Args,
    result=ResearchResults,
    run=run,
    toolset="deep",
    title="Research results",
    in_default_profile=True,
    open_world=False,
)
