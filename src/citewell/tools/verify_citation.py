"""Check one citation before relying on it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.model.argument_types import ClaimText
from citewell.model.citation_checks import CitationVerification
from citewell.services.judging.claim_judging import JudgeContext
from citewell.services.trust.citation_verification import MAX_CITATION_CHARS, CitationVerifier
from citewell.tooling import Tool, ToolArguments, ToolCall


class Args(ToolArguments):
    """Check one citation: does it exist, is it the work it claims to be, was it retracted, is its link live, and does the source address your claim? Evidence, no verdict. For a whole reference list use audit_bibliography."""

    citation: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_CITATION_CHARS,
            description="DOI, URL or reference text (best with title, author, year); also arXiv id, PMID, ISBN, RFC, legal citation.",
        ),
    ]
    claim: Annotated[
        ClaimText,
        Field(
            description="What it is cited for: the source is read and its nearest sentences quoted."
        ),
    ] = None


async def run(args: Args, call: ToolCall) -> CitationVerification:
    return await call.require_service(CitationVerifier).verify_citation(
        args.citation,
        claim=args.claim,
        tenant=call.owner.tenant,
        context=JudgeContext(owner=str(call.owner), progress=call.report_progress),
    )


TOOL = Tool(
    args=Args,
    result=CitationVerification,
    run=run,
    toolset="trust",
    in_default_profile=True,
    has_long_timeout=True,
)
