"""List the works that cite a paper, and those it cites."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from citewell.model.paper_results import GraphAnswer
from citewell.services.scholar.citation_neighbours import (
    MAX_GRAPH_PAPERS,
    CitationGraphRequest,
    CitationGraphSearch,
)
from citewell.tooling import BLANK_IS_ABSENT, NOT_IN_CACHE_KEY, Tool, ToolArguments, ToolCall


class Args(ToolArguments):
    """List the works that cite a paper (cited_by) and those it cites (references), one hop. Semantic Scholar adds citation intents and influence; OpenAlex counts only. To find a seed use academic_search."""

    paper: Annotated[
        str,
        Field(min_length=1, max_length=1000, description="DOI, arXiv id, PMID or exact title."),
    ]
    direction: Annotated[Literal["cited_by", "references", "both"], Field(default="both")]
    num_results: Annotated[
        int, Field(default=10, ge=1, le=MAX_GRAPH_PAPERS, description="In each direction.")
    ]
    influential_only: Annotated[
        bool, Field(default=False, description="Where the provider tells influence.")
    ]
    provider: Annotated[
        str | None,
        BLANK_IS_ABSENT,
        Field(default=None, description="Use this one only: semanticscholar or openalex."),
    ]
    session_id: Annotated[
        str | None,
        NOT_IN_CACHE_KEY,
        BLANK_IS_ABSENT,
        Field(default=None, validation_alias="sessionId"),
    ]


async def run(args: Args, call: ToolCall) -> GraphAnswer:
    wish = CitationGraphRequest(
        paper=args.paper,
        direction=args.direction,
        count=args.num_results,
        influential_only=args.influential_only,
        provider=args.provider,
    )
    return await call.require_service(CitationGraphSearch).find_neighbours(wish, trace=call.trace)


TOOL = Tool(
    args=Args,
    result=GraphAnswer,
    run=run,
    toolset="scholar",
    ttl_seconds=86_400,
    has_long_timeout=True,
    is_empty_result=lambda answer: not (answer.cited_by or answer.references),
)
