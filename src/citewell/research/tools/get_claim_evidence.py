"""Show the evidence for a claim of deep research."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.research.research_answers import EvidenceAnswer
from citewell.research.research_service import ResearchService


class Args(ToolArguments):
    """A claim's evidence: verbatim snippets with their place in the source, relation and score."""

    claim_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="claimId")]
    include_history: Annotated[bool, Field(default=False, validation_alias="includeHistory")]


async def run(args: Args, call: ToolCall) -> EvidenceAnswer:
    shown = await call.require_service(ResearchService).load_claim_evidence(
        str(call.owner), args.claim_id, history=args.include_history
    )
    return EvidenceAnswer.model_validate(shown)


TOOL = Tool(args=Args, result=EvidenceAnswer, run=run, toolset="deep", open_world=False)
