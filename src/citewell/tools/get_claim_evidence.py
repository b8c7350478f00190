"""See what a claim of deep research rests on."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.model.base import Report
from citewell.services.research.service import Research
from citewell.tooling import Arguments, Call, Tool


class Args(Arguments):
    """A claim's evidence: verbatim snippets with their place in the source, relation and score."""

    claim_id: Annotated[str, Field(min_length=1, max_length=100, validation_alias="claimId")]
    include_history: Annotated[bool, Field(default=False, validation_alias="includeHistory")]


async def run(args: Args, call: Call) -> Report:
    shown = await call.service(Research).evidence(
        str(call.owner), args.claim_id, history=args.include_history
    )
    return Report(content=shown)


TOOL = Tool(args=Args, result=Report, run=run, toolset="deep", open_world=False)
