"""Show what is left of the research budget."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.research.research_answers import BalanceAnswer
from citewell.research.research_service import ResearchService


class Args(ToolArguments):
    """What is left of the research budget; without a configured budget it is unlimited and says so."""

    include_transactions: Annotated[
        bool, Field(default=False, validation_alias="includeTransactions")
    ]


async def run(args: Args, call: ToolCall) -> BalanceAnswer:
    shown = await call.require_service(ResearchService).load_balance_view(
        str(call.owner), transactions=args.include_transactions
    )
    return BalanceAnswer.model_validate(shown)


TOOL = Tool(
    args=Args,
    result=BalanceAnswer,
    run=run,
    toolset="deep",
    title="Research balance",
    open_world=False,
)
