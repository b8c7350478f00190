"""The request of one search for papers, and its check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from citewell.errors import InvalidInput
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import (
    OptionalName,
    PaperSort,
    PaperSource,
    PaperYear,
    QueryText,
)
from citewell.model.paper import PaperQuery
from citewell.services.web.search_request import (
    clean_query_text,
    clean_single_line,
    normalize_provider_name,
)

MAX_PAPER_RESULTS = 10


@dataclass(frozen=True, kw_only=True)
class PaperSearchRequest:
    """One search for papers, as the caller wrote it; the arguments of academic_search."""

    query: QueryText
    count: Annotated[int, Field(ge=1, le=MAX_PAPER_RESULTS, validation_alias="num_results")] = 5
    year_from: PaperYear = None
    year_to: PaperYear = None
    source: PaperSource = "all"
    pdf_only: bool = False
    sort: Annotated[PaperSort, Field(validation_alias="sort_by")] = "relevance"
    open_access: bool = False
    full_text: Annotated[bool, Field(description="Only papers with free full text.")] = False
    lens: Annotated[
        OptionalName, Field(description="As in web_search: searches its domains on the web.")
    ] = None
    provider: Annotated[
        OptionalName,
        Field(
            description="Only this one: openalex, crossref, pubmed, semanticscholar, arxiv, europepmc, core, datacite, exa, or a web provider.",
        ),
    ] = None

    def list_constraints(self) -> tuple[str, ...]:
        """The names of the filters that are set, the narrowest first."""
        given = {
            "pdf_only": self.pdf_only,
            "full_text": self.full_text,
            "open_access": self.open_access,
            "source": self.source != "all",
            "lens": self.lens,
            "year_from": self.year_from is not None,
            "year_to": self.year_to is not None,
        }
        return tuple(name for name, value in given.items() if value)


def check_paper_request(ask: PaperSearchRequest) -> PaperSearchRequest:
    """The request with its query and provider cleaned; raises InvalidInput if a value is invalid."""
    check_declared_bounds(ask)
    first, last = ask.year_from, ask.year_to
    if first is not None and last is not None and first > last:
        raise InvalidInput(f"year_from {first} is after year_to {last}.")
    if ask.lens and ask.source != "all":
        raise InvalidInput("source and lens cannot be combined: a lens is a set of sites itself.")
    return replace(
        ask,
        query=clean_query_text(ask.query),
        lens=clean_single_line(ask.lens),
        provider=normalize_provider_name(ask.provider),
    )


def build_paper_query(ask: PaperSearchRequest) -> PaperQuery:
    """A checked request as the query that providers take."""
    return PaperQuery(
        text=ask.query,
        count=ask.count,
        year_from=ask.year_from,
        year_to=ask.year_to,
        source=ask.source,
        sort=ask.sort,
        open_access=ask.open_access,
        full_text=ask.full_text,
    )
