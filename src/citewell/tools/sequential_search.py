"""Record the steps of a longer investigation."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from citewell.errors import InvalidInput
from citewell.model.answers.session_answers import SessionProgress
from citewell.model.research_session import SessionStep
from citewell.services.sessions.step_assistance import StepAssistant
from citewell.tooling import Tool, ToolArguments, ToolCall

StepText = Annotated[str | None, Field(default=None, max_length=5000)]


class Args(ToolArguments):
    """Record one step of a longer investigation; step 1 opens a session and returns its sessionId. Give that to other tools: the session keeps what they list and read, with your goal, branches, revisions and gaps, across restarts."""

    search_step: Annotated[
        str,
        Field(
            min_length=1,
            max_length=5000,
            validation_alias="searchStep",
        ),
    ]
    step_number: Annotated[int, Field(ge=1, validation_alias="stepNumber")]
    next_step_needed: Annotated[bool, Field(validation_alias="nextStepNeeded")]
    session_id: Annotated[
        str | None,
        Field(
            default=None,
            validation_alias="sessionId",
            description="From step 1; required after it.",
        ),
    ]
    research_goal: Annotated[StepText, Field(validation_alias="researchGoal")]
    reasoning: StepText
    confidence: Annotated[Literal["high", "medium", "low"] | None, Field(default=None)]
    rejected_approaches: Annotated[
        tuple[str, ...], Field(default=(), max_length=50, validation_alias="rejectedApproaches")
    ]
    session_summary: Annotated[StepText, Field(validation_alias="sessionSummary")]
    response_mode: Annotated[
        Literal["auto", "full", "summary"], Field(default="auto", validation_alias="responseMode")
    ]
    total_steps_estimate: Annotated[
        int | None, Field(default=None, ge=1, le=1000, validation_alias="totalStepsEstimate")
    ]
    is_revision: Annotated[bool, Field(default=False, validation_alias="isRevision")]
    revises_step: Annotated[int | None, Field(default=None, ge=1, validation_alias="revisesStep")]
    branch_from_step: Annotated[
        int | None, Field(default=None, ge=1, validation_alias="branchFromStep")
    ]
    branch_id: Annotated[
        str | None, Field(default=None, max_length=100, validation_alias="branchId")
    ]
    knowledge_gap: Annotated[StepText, Field(validation_alias="knowledgeGap")]
    closes_gap: Annotated[
        StepText,
        Field(
            validation_alias="closesGap",
            description="Words of an earlier gap that this step closes.",
        ),
    ]
    depth: Annotated[
        Literal["quick", "standard", "thorough"],
        Field(
            default="quick",
            description="standard adds coverage and suggestions, thorough also runs three searches.",
        ),
    ]


async def run(args: Args, call: ToolCall) -> SessionProgress:
    if args.is_revision and args.revises_step is None:
        raise InvalidInput("A revision needs the number of the step it corrects: give revisesStep.")
    step = SessionStep(
        number=args.step_number,
        text=args.search_step,
        at="",
        next_needed=args.next_step_needed,
        goal=args.research_goal,
        reasoning=args.reasoning,
        confidence=args.confidence,
        rejected=args.rejected_approaches,
        summary=args.session_summary,
        estimate=args.total_steps_estimate,
        revises=args.revises_step,
        branch_from=args.branch_from_step,
        branch_id=args.branch_id,
        gap=args.knowledge_gap,
        closes_gap=args.closes_gap,
    )
    shown = await call.require_service(StepAssistant).take_assisted_step(
        str(call.owner), step, session_id=args.session_id, mode=args.response_mode, depth=args.depth
    )
    return SessionProgress.model_validate(shown)


TOOL = Tool(
    args=Args,
    result=SessionProgress,
    run=run,
    toolset="sessions",
    in_default_profile=True,
    idempotent=False,
    open_world=False,
    has_long_timeout=True,
)
