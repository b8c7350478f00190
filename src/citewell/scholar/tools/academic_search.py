"""Find papers through whichever scholarly providers are configured."""

from __future__ import annotations

from citewell.core.tooling import SessionArguments, Tool, ToolCall
from citewell.core.values.paper_results import PapersAnswer
from citewell.routing.ports import Offer, ToolProviders
from citewell.scholar.literature_search import LiteratureSearch, PaperSearchRequest


class Args(SessionArguments, PaperSearchRequest):
    """Find scholarly papers: DOI, authors, journal, year, abstract, citation counts, free PDF and retraction status. For what cites a paper use citation_graph; to check a reference, verify_citation."""


async def run(args: Args, call: ToolCall) -> PapersAnswer:
    answer = await call.require_service(LiteratureSearch).search_literature(
        args.build_request(PaperSearchRequest), trace=call.trace
    )
    call.report_sources(paper.to_source() for paper in answer.papers)
    return answer


_FILTERS = ("year_from", "year_to", "source", "open_access", "full_text", "pdf_only", "sort_by")

TOOL = Tool(
    args=Args,
    result=PapersAnswer,
    run=run,
    toolset="scholar",
    in_default_profile=True,
    ttl_seconds=3600,
    cache_version=2,
    has_long_timeout=True,
    is_empty_result=lambda answer: answer.result_count == 0,
    served_by=ToolProviders(
        offer=Offer.PAPERS,
        filters=_FILTERS,
        applied_by_us=frozenset(_FILTERS),
        without_provider="web search of scholarly sites",
    ),
)
