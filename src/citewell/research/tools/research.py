"""Start deep research on a question."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.argument_types import (
    BudgetTier,
    QuestionText,
    ResearchMode,
    ResearchScope,
)
from citewell.jobs.step_values import ResearchQuestion
from citewell.research.research_answers import StartedResearch
from citewell.research.research_service import ResearchService


class Args(ToolArguments):
    """Start deep research in the background; returns a jobId at once. Then call research_status with wait_seconds, then get_results. Provider local is free and needs no key."""

    query: Annotated[
        QuestionText, Field(description="The question: scope, sub-questions, preferred evidence.")
    ]
    budget_tier: Annotated[BudgetTier, Field(default="M", validation_alias="budgetTier")]
    providers: Annotated[
        tuple[
            Literal[
                "perplexity",
                "gemini",
                "openai",
                "grok",
                "anthropic",
                "openrouter",
                "compatible",
                "local",
            ],
            ...,
        ],
        Field(default=(), description="Chosen by tier when left out."),
    ]
    mode: Annotated[
        ResearchMode,
        Field(
            default="methodical",
            description="fast: the cheapest provider; methodical: all chosen, then gaps and synthesis.",
        ),
    ]
    scope: Annotated[
        ResearchScope | None,
        Field(
            default=None,
            description="library: only the user's own documents; nothing leaves the machine.",
        ),
    ]
    share_library: Annotated[
        bool,
        Field(
            default=False, description="Send library text to providers; only if the user agreed."
        ),
    ]


async def run(args: Args, call: ToolCall) -> StartedResearch:
    question = ResearchQuestion(
        query=args.query,
        tier=args.budget_tier,
        providers=args.providers,
        mode=args.mode,
        scope=args.scope,
        share_library=args.share_library,
    )
    return StartedResearch.model_validate(
        await call.require_service(ResearchService).start_research(str(call.owner), question)
    )


TOOL = Tool(
    args=Args,
    result=StartedResearch,
    run=run,
    toolset="deep",
    in_default_profile=True,
    read_only=False,
    idempotent=False,
)
