"""The request of one search for cases and texts of law, and its check."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import OptionalName, QueryText
from citewell.model.domains.court_case import CaseQuery
from citewell.services.domains.routing.day_ranges import check_day_range
from citewell.services.web.search_request import clean_query_text, normalize_provider_name
from citewell.text.law.court_celex import ECLI_PATTERN, find_celex_numbers
from citewell.text.law.court_regulations import find_cfr_place, find_register_page

_MAX_CITING_WORDS = 6
_NEUTRAL_CITATION_PATTERN = re.compile(r"\[\d{4}\]\s{0,3}(?:UK|EW|EAT)")


@dataclass(frozen=True, kw_only=True)
class CaseSearchRequest:
    """One search for cases, as the caller wrote it; the arguments of legal_search."""

    query: Annotated[QueryText, Field(description="Topic, case name, citation or statute.")]
    jurisdiction: Annotated[
        OptionalName,
        Field(description="Court id or name (scotus, ca9, ny, uksc, cjeu), uk, eu, cfr."),
    ] = None
    date_from: Annotated[OptionalName, Field(description="Decided from YYYY-MM-DD.")] = None
    date_to: OptionalName = None
    count: Annotated[int, Field(ge=1, le=20, validation_alias="num_results")] = 10
    provider: OptionalName = None

    def list_constraints(self) -> tuple[str, ...]:
        """The names of the filters that are set, the narrowest first."""
        given = {
            "jurisdiction": self.jurisdiction,
            "date_from": self.date_from,
            "date_to": self.date_to,
        }
        return tuple(name for name, value in given.items() if value)


def check_case_request(ask: CaseSearchRequest) -> CaseSearchRequest:
    """The request with its texts cleaned; raises InvalidInput if a value is invalid."""
    check_declared_bounds(ask)
    first, last = check_day_range(ask.date_from, ask.date_to)
    return replace(
        ask,
        query=clean_query_text(ask.query),
        date_from=first,
        date_to=last,
        provider=normalize_provider_name(ask.provider),
    )


def build_case_query(ask: CaseSearchRequest, *, court: str | None) -> CaseQuery:
    """A checked request as the query that providers take; `court` is the provider's id."""
    return CaseQuery(
        text=ask.query,
        count=ask.count,
        court=court,
        date_from=ask.date_from,
        date_to=ask.date_to,
    )


def choose_by_citation(query: str) -> str | None:
    """The registry for a query that cites a text by its number; None for any other query."""
    if _NEUTRAL_CITATION_PATTERN.search(query):
        return "findcaselaw"
    # Longer queries that cite a regulation are about cases under it.
    if len(query.split()) <= _MAX_CITING_WORDS:
        if find_cfr_place(query):
            return "ecfr"
        if find_register_page(query):
            return "federalregister"
    if ECLI_PATTERN.search(query) or find_celex_numbers(query):
        return "eurlex"
    return None
