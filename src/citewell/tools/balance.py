"""Show what is left of the research budget."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.model.wire_values import FreeFormResult
from citewell.services.research.research_service import ResearchService
from citewell.tooling import Tool, ToolArguments, ToolCall


class Args(ToolArguments):
    """What is left of the research budget; without a configured budget it is unlimited and says so."""

    include_transactions: Annotated[
        bool, Field(default=False, validation_alias="includeTransactions")
    ]


async def run(args: Args, call: ToolCall) -> FreeFormResult:
    shown = await call.require_service(ResearchService).load_balance_view(
        str(call.owner), transactions=args.include_transactions
    )
    return FreeFormResult(content=shown)


TOOL = Tool(args=Args, result=FreeFormResult, run=run, toolset="deep", open_world=False)
