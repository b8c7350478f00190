"""See what is left of the research budget."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.model.base import Report
from citewell.services.research.service import Research
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """What is left of the research budget; without a configured budget it is unlimited and says so."""

    include_transactions: Annotated[
        bool, Field(default=False, validation_alias="includeTransactions")
    ]


async def run(args: Args, call: Call) -> Report:
    shown = await call.service(Research).balance(
        str(call.owner), transactions=args.include_transactions
    )
    return Report(content=shown)


TOOL = Tool(args=Args, result=Report, run=run, toolset="deep", open_world=False)
