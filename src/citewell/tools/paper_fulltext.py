"""Read the whole text of a paper from its best free copy."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from citewell.model.literature import FullTextAnswer
from citewell.services.scholar.fulltext import LEAST, MOST, FullText, Wish
from citewell.tooling import UNKEYED, Arguments, Call, Tool


def _blank(value: object) -> object:
    return None if value == "" else value


class Args(Arguments):
    """Read a paper's full text from its best free copy (publisher, repository or preprint), with version and licence. Says so when only the abstract could be had (isFullText false). To find papers use academic_search; for other pages, scrape_page."""

    identifier: Annotated[
        str,
        Field(
            min_length=1,
            max_length=2048,
            description="DOI, arXiv id, PMID, PMCID, Semantic Scholar id, address or exact title.",
        ),
    ]
    max_length: Annotated[int, Field(default=50_000, ge=LEAST, le=MOST, description="Bytes.")]
    session_id: Annotated[
        str | None,
        UNKEYED,
        BeforeValidator(_blank),
        Field(default=None, validation_alias="sessionId"),
    ]


async def run(args: Args, call: Call) -> FullTextAnswer:
    wish = Wish(identifier=args.identifier, max_length=args.max_length)
    return await call.service(FullText).read(
        wish, trace=call.trace, tenant=call.owner.tenant, progress=call.progress
    )


TOOL = Tool(
    args=Args,
    result=FullTextAnswer,
    run=run,
    toolset="scholar",
    ttl=3600,
    long=True,
    empty=lambda answer: not answer.is_full_text,
)
