"""List the deep research providers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.argument_types import BudgetTier
from citewell.research.research_answers import ProviderListing
from citewell.research.research_service import ResearchService


class Args(ToolArguments):
    """Research providers with their models and usual cost, and which of them each budget tier uses."""

    budget_tier: Annotated[
        BudgetTier | None,
        Field(default=None, validation_alias="budgetTier", description="This tier alone."),
    ]


async def run(args: Args, call: ToolCall) -> ProviderListing:
    return ProviderListing.model_validate(
        call.require_service(ResearchService).describe_research_providers(args.budget_tier)
    )


TOOL = Tool(
    args=Args,
    result=ProviderListing,
    run=run,
    toolset="deep",
    title="Research providers",
    open_world=False,
)
