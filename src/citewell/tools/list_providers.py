"""List the providers of deep research."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from citewell.model.base import Report
from citewell.services.research.service import Research
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """Research providers with their models and usual cost, and which of them each budget tier uses."""

    budget_tier: Annotated[
        Literal["XXS", "XS", "S", "M", "L", "XL"] | None,
        Field(default=None, validation_alias="budgetTier", description="This tier alone."),
    ]


async def run(args: Args, call: Call) -> Report:
    return Report(content=call.service(Research).providers(args.budget_tier))


TOOL = Tool(args=Args, result=Report, run=run, toolset="deep", open_world=False)
