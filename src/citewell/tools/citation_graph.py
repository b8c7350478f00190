"""What cites a paper, and what it cites."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from citewell.model.literature import GraphAnswer
from citewell.services.scholar.graph import MOST, Citations, Wish
from citewell.tooling import UNKEYED, Arguments, Call, Tool


def _blank(value: object) -> object:
    return None if value == "" else value


class Args(Arguments):
    """List the works that cite a paper (cited_by) and those it cites (references), one hop. Semantic Scholar adds citation intents and influence; OpenAlex counts only. To find a seed use academic_search."""

    paper: Annotated[
        str,
        Field(min_length=1, max_length=1000, description="DOI, arXiv id, PMID or exact title."),
    ]
    direction: Annotated[Literal["cited_by", "references", "both"], Field(default="both")]
    num_results: Annotated[int, Field(default=10, ge=1, le=MOST, description="In each direction.")]
    influential_only: Annotated[
        bool, Field(default=False, description="Where the provider tells influence.")
    ]
    provider: Annotated[
        str | None,
        BeforeValidator(_blank),
        Field(default=None, description="Use this one only: semanticscholar or openalex."),
    ]
    session_id: Annotated[
        str | None,
        UNKEYED,
        BeforeValidator(_blank),
        Field(default=None, validation_alias="sessionId"),
    ]


async def run(args: Args, call: Call) -> GraphAnswer:
    wish = Wish(
        paper=args.paper,
        direction=args.direction,
        count=args.num_results,
        influential_only=args.influential_only,
        provider=args.provider,
    )
    return await call.service(Citations).around(wish, trace=call.trace)


TOOL = Tool(
    args=Args,
    result=GraphAnswer,
    run=run,
    toolset="scholar",
    ttl=86_400,
    long=True,
    empty=lambda answer: not (answer.cited_by or answer.references),
)
