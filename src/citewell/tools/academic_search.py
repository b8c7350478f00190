"""Find papers through whichever scholarly providers are configured."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from citewell.model.paper_results import PapersAnswer
from citewell.services.scholar.literature_search import LiteratureSearch, PaperSearchRequest
from citewell.tooling import BLANK_IS_ABSENT, NOT_IN_CACHE_KEY, Tool, ToolArguments, ToolCall


class Args(ToolArguments):
    """Find scholarly papers: DOI, authors, journal, year, abstract, citation counts, open-access PDF and retraction status. For a paper's text use paper_fulltext; for what cites it, citation_graph; to check a reference, verify_citation."""

    query: Annotated[str, Field(min_length=1, max_length=500)]
    num_results: Annotated[int, Field(default=5, ge=1, le=10)]
    year_from: Annotated[int | None, Field(default=None, ge=1900, le=2030)]
    year_to: Annotated[int | None, Field(default=None, ge=1900, le=2030)]
    source: Annotated[
        Literal["all", "arxiv", "pubmed", "ieee", "nature", "springer"], Field(default="all")
    ]
    pdf_only: Annotated[bool, Field(default=False)]
    sort_by: Annotated[Literal["relevance", "date"], Field(default="relevance")]
    open_access: Annotated[bool, Field(default=False)]
    full_text: Annotated[
        bool, Field(default=False, description="Only papers whose text can be had freely.")
    ]
    provider: Annotated[
        str | None,
        BLANK_IS_ABSENT,
        Field(
            default=None,
            description="Use this one only: openalex, crossref, pubmed, semanticscholar, arxiv, europepmc, core, datacite, exa, or a web provider.",
        ),
    ]
    session_id: Annotated[
        str | None,
        NOT_IN_CACHE_KEY,
        BLANK_IS_ABSENT,
        Field(default=None, validation_alias="sessionId"),
    ]


async def run(args: Args, call: ToolCall) -> PapersAnswer:
    ask = PaperSearchRequest(
        query=args.query,
        count=args.num_results,
        year_from=args.year_from,
        year_to=args.year_to,
        source=args.source,
        pdf_only=args.pdf_only,
        sort=args.sort_by,
        open_access=args.open_access,
        full_text=args.full_text,
        provider=args.provider,
    )
    return await call.require_service(LiteratureSearch).search_literature(ask, trace=call.trace)


TOOL = Tool(
    args=Args,
    result=PapersAnswer,
    run=run,
    toolset="scholar",
    in_default_profile=True,
    ttl_seconds=3600,
    has_long_timeout=True,
    shows_freshness=True,
    is_empty_result=lambda answer: answer.result_count == 0,
)
