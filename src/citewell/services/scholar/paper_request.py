"""The request of one search for papers, and its check."""

from __future__ import annotations

from dataclasses import dataclass, replace

from citewell.errors import InvalidInput
from citewell.model.paper import PaperQuery
from citewell.services.web import search_request as web

MAX_PAPER_RESULTS = 10
PAPER_SOURCES = ("all", "arxiv", "pubmed", "ieee", "nature", "springer")
PAPER_SORTS = ("relevance", "date")
FIRST_YEAR, LAST_YEAR = 1900, 2030


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperSearchRequest:
    """One search for papers, as the caller wrote it."""

    query: str
    count: int = 5
    year_from: int | None = None
    year_to: int | None = None
    source: str = "all"
    pdf_only: bool = False
    sort: str = "relevance"
    open_access: bool = False
    full_text: bool = False
    provider: str | None = None

    def list_constraints(self) -> tuple[str, ...]:
        """The names of the filters that are set, the narrowest first."""
        given = {
            "pdf_only": self.pdf_only,
            "full_text": self.full_text,
            "open_access": self.open_access,
            "source": self.source != "all",
            "year_from": self.year_from is not None,
            "year_to": self.year_to is not None,
        }
        return tuple(name for name, value in given.items() if value)


def check_paper_request(ask: PaperSearchRequest) -> PaperSearchRequest:
    """The request with its query and provider cleaned; raises InvalidInput if a value is invalid."""
    if not 1 <= ask.count <= MAX_PAPER_RESULTS:
        raise InvalidInput(f"num_results must be between 1 and {MAX_PAPER_RESULTS}.")
    for name, value, allowed in (
        ("source", ask.source, PAPER_SOURCES),
        ("sort_by", ask.sort, PAPER_SORTS),
    ):
        if value not in allowed:
            raise InvalidInput(f"{name} {value!r} is not known. It takes: {', '.join(allowed)}.")
    _check_year_range(ask.year_from, ask.year_to)
    plain = web.normalize_request(web.SearchRequest(query=ask.query, provider=ask.provider))
    return replace(ask, query=plain.query, provider=plain.provider)


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


def _check_year_range(first: int | None, last: int | None) -> None:
    for name, year in (("year_from", first), ("year_to", last)):
        if year is not None and not FIRST_YEAR <= year <= LAST_YEAR:
            raise InvalidInput(f"{name} must be between {FIRST_YEAR} and {LAST_YEAR}.")
    if first is not None and last is not None and first > last:
        raise InvalidInput(f"year_from {first} is after year_to {last}.")
