"""Continue from a completed research job."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.argument_types import BudgetTier, QuestionText, ResearchScope
from citewell.research.research_answers import StartedFollowUp
from citewell.research.research_service import ResearchService


class Args(ToolArguments):
    """Pursue a suggestion of a completed research job, or a question of your own, in the same thread."""

    job_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="jobId")]
    topic_index: Annotated[
        int,
        Field(default=0, validation_alias="topicIndex", description="Into followOnSuggestions."),
    ]
    custom_query: Annotated[
        QuestionText | None,
        Field(default=None, validation_alias="customQuery", description="Instead of topicIndex."),
    ]
    budget_tier: Annotated[
        BudgetTier | None,
        Field(
            default=None, validation_alias="budgetTier", description="The parent's when left out."
        ),
    ]
    scope: Annotated[
        ResearchScope | None, Field(default=None, description="The parent's when left out.")
    ]
    share_library: Annotated[bool, Field(default=False, description="As in research.")]


async def run(args: Args, call: ToolCall) -> StartedFollowUp:
    shown = await call.require_service(ResearchService).start_follow_up(
        str(call.owner),
        args.job_id,
        topic=args.topic_index,
        query=args.custom_query,
        tier=args.budget_tier,
        scope=args.scope,
        share_library=args.share_library,
    )
    return StartedFollowUp.model_validate(shown)


TOOL = Tool(
    args=Args, result=StartedFollowUp, run=run, toolset="deep", read_only=False, idempotent=False
)
