"""Check one citation before relying on it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from citewell.model.trust import Verification
from citewell.services.trust.coverage import LONGEST as LONGEST_CLAIM
from citewell.services.trust.verify import LONGEST, Verify
from citewell.tooling import Arguments, Call, Tool


def _blank(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


class Args(Arguments):
    """Check a citation: does it exist, is it the work it says, was it retracted, does its link live, and does the source speak of your claim? Evidence, no verdict; a registry that is down is never held against it. For a whole reference list use audit_bibliography."""

    citation: Annotated[
        str,
        Field(
            min_length=1,
            max_length=LONGEST,
            description="DOI, URL or reference text (best with title, author, year); also arXiv id, PMID, ISBN, legal citation.",
        ),
    ]
    claim: Annotated[
        str | None,
        Field(
            default=None,
            max_length=LONGEST_CLAIM,
            description="What it is cited for: the source is read and its nearest sentences quoted.",
        ),
        BeforeValidator(_blank),
    ]


async def run(args: Args, call: Call) -> Verification:
    return await call.service(Verify).verify(
        args.citation, claim=args.claim, tenant=call.owner.tenant
    )


TOOL = Tool(args=Args, result=Verification, run=run, toolset="trust", default=True, long=True)
