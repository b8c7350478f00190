"""List the works that cite a paper, and those it cites."""

from __future__ import annotations

from citewell.model.paper_results import GraphAnswer
from citewell.services.scholar.citation_neighbours import CitationGraphRequest, CitationGraphSearch
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, CitationGraphRequest):
    """List the works that cite a paper (cited_by) and those it cites (references). Semantic Scholar adds citation intents and influence. To find the paper use academic_search."""


async def run(args: Args, call: ToolCall) -> GraphAnswer:
    answer = await call.require_service(CitationGraphSearch).find_neighbours(
        args.build_request(CitationGraphRequest), trace=call.trace
    )
    neighbours = (*(answer.cited_by or ()), *(answer.references or ()))
    call.report_sources(paper.to_source() for paper in neighbours)
    return answer


TOOL = Tool(
    args=Args,
    result=GraphAnswer,
    run=run,
    toolset="scholar",
    in_default_profile=True,
    ttl_seconds=86_400,
    has_long_timeout=True,
    is_empty_result=lambda answer: not (answer.cited_by or answer.references),
)
