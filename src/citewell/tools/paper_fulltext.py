"""Read the full text of a paper from its best free copy."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.model.paper_results import FullTextAnswer
from citewell.services.scholar.paper_full_text import (
    MAX_TEXT_BYTES,
    MIN_TEXT_BYTES,
    FullTextReader,
    FullTextRequest,
)
from citewell.tooling import BLANK_IS_ABSENT, NOT_IN_CACHE_KEY, Tool, ToolArguments, ToolCall


class Args(ToolArguments):
    """Read a paper's full text from its best free copy (publisher, repository or preprint), with version and licence. Says so when only the abstract could be had (isFullText false). To find papers use academic_search; for other pages, scrape_page."""

    identifier: Annotated[
        str,
        Field(
            min_length=1,
            max_length=2048,
            description="DOI, arXiv id, PMID, PMCID, Semantic Scholar id, address or exact title.",
        ),
    ]
    max_length: Annotated[
        int, Field(default=50_000, ge=MIN_TEXT_BYTES, le=MAX_TEXT_BYTES, description="Bytes.")
    ]
    session_id: Annotated[
        str | None,
        NOT_IN_CACHE_KEY,
        BLANK_IS_ABSENT,
        Field(default=None, validation_alias="sessionId"),
    ]


async def run(args: Args, call: ToolCall) -> FullTextAnswer:
    wish = FullTextRequest(identifier=args.identifier, max_length=args.max_length)
    return await call.require_service(FullTextReader).read_full_text(
        wish, trace=call.trace, tenant=call.owner.tenant, progress=call.report_progress
    )


TOOL = Tool(
    args=Args,
    result=FullTextAnswer,
    run=run,
    toolset="scholar",
    ttl_seconds=3600,
    has_long_timeout=True,
    is_empty_result=lambda answer: not answer.is_full_text,
)
