"""The request of one search for patents, its check, and the queries that providers get for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from citewell.errors import InvalidInput
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import OptionalName, OptionalQuery
from citewell.model.domains.patent import PatentFilter, PatentQuery
from citewell.services.web.search_request import clean_query_text, normalize_provider_name
from citewell.text.patents.class_codes import normalize_class_code
from citewell.text.patents.party_names import list_assignee_variants
from citewell.text.patents.patent_numbers import (
    PatentNumber,
    list_kind_candidates,
    parse_patent_number,
)

PatentSearchType = Literal["prior_art", "specific", "landscape"]
PatentOffice = Literal["all", "US", "EP", "WO", "JP", "CN", "KR"]
FilingYear = Annotated[int | None, Field(ge=1790, le=2100)]
_MIN_PLAIN_DIGITS = 6  # fewer digits without a kind may be a year: "US 2020"


def _fold_office(value: object) -> object:
    if not isinstance(value, str):
        return value
    return value.lower() if value.lower() == "all" else value.upper()


@dataclass(frozen=True, kw_only=True)
class PatentSearchRequest:
    """One search for patents, as the caller wrote it; the arguments of patent_search."""

    query: Annotated[OptionalQuery, Field(description="Words, a title or a patent number.")] = None
    count: Annotated[int, Field(ge=1, le=10, validation_alias="num_results")] = 5
    search_type: Annotated[
        PatentSearchType,
        Field(description="specific: one number or title; landscape: a field's assignees."),
    ] = "prior_art"
    patent_office: Annotated[PatentOffice, BeforeValidator(_fold_office)] = "all"
    assignee: Annotated[OptionalQuery, Field(description="Company; Inc, Ltd etc. are ignored.")] = (
        None
    )
    inventor: OptionalQuery = None
    cpc_code: Annotated[OptionalName, Field(description="CPC class, such as G06F.")] = None
    year_from: Annotated[FilingYear, Field(description="First year of filing.")] = None
    year_to: Annotated[FilingYear, Field(description="Last year of filing.")] = None
    provider: Annotated[
        OptionalName, Field(description="searchapi, epo, lens, uspto or a web provider; no other is asked.")
    ] = None  # fmt: skip

    def list_constraints(self) -> tuple[PatentFilter, ...]:
        """The filters that are set, the narrowest first."""
        given = {
            PatentFilter.CPC: self.cpc_code,
            PatentFilter.YEAR_FROM: self.year_from,
            PatentFilter.YEAR_TO: self.year_to,
            PatentFilter.INVENTOR: self.inventor,
            PatentFilter.ASSIGNEE: self.assignee,
            PatentFilter.OFFICE: self.patent_office != "all",
        }
        return tuple(name for name, value in given.items() if value)

    @property
    def office(self) -> str | None:
        return None if self.patent_office == "all" else self.patent_office

    def describe_request(self) -> str:
        """The query, or what was asked for in its place."""
        parts = (self.query, self.assignee, self.inventor)
        return ", ".join(part for part in parts if part)


def check_patent_request(ask: PatentSearchRequest) -> PatentSearchRequest:
    """The request with its texts cleaned; raises InvalidInput if a value is invalid or all are missing."""
    check_declared_bounds(ask)
    if not any((ask.query, ask.assignee, ask.inventor)):
        raise InvalidInput("Give query, assignee or inventor.")
    if ask.year_from and ask.year_to and ask.year_from > ask.year_to:
        raise InvalidInput(
            f"year_from ({ask.year_from}) is after year_to ({ask.year_to}); exchange them."
        )
    return replace(
        ask,
        query=_clean_patent_words(ask.query, "query"),
        assignee=_clean_patent_words(ask.assignee, "assignee"),
        inventor=_clean_patent_words(ask.inventor, "inventor"),
        cpc_code=_check_class_code(ask.cpc_code),
        provider=normalize_provider_name(ask.provider),
    )


def find_asked_number(ask: PatentSearchRequest) -> PatentNumber | None:
    """The number that the whole query is; None if it is words, or digits that may be a year."""
    found = parse_patent_number(ask.query, office=ask.office) if ask.query else None
    if found is None or ask.search_type == "specific" or found.kind or found.is_filing:
        return found
    digits = sum(map(str.isdigit, found.serial))
    return found if digits >= _MIN_PLAIN_DIGITS else None


def build_patent_query(
    ask: PatentSearchRequest, number: PatentNumber | None, *, count: int
) -> PatentQuery:
    """A checked request as the query that providers take; with a number, the lookup of it."""
    is_lookup = number is not None and not number.is_filing
    if number is not None and is_lookup:
        wanted = (number, *(one for one in list_kind_candidates(number) if one != number))
        return PatentQuery(numbers=tuple(one.normalized for one in wanted), count=count)
    return PatentQuery(
        text=ask.query,
        assignees=list_assignee_variants(ask.assignee) if ask.assignee else (),
        inventor=ask.inventor,
        office=ask.office,
        cpc_code=ask.cpc_code,
        year_from=ask.year_from,
        year_to=ask.year_to,
        is_phrase=ask.search_type == "specific",
        count=count,
    )


def _clean_patent_words(words: str | None, argument: str) -> str | None:
    return clean_query_text(words, argument=argument) if words else None


def _check_class_code(code: str | None) -> str | None:
    if not code:
        return None
    normalized = normalize_class_code(code[:60])
    if normalized is None:
        raise InvalidInput(
            f"cpc_code {code[:60]!r} is not a class of the CPC; write one such as G06F or G06F16/9535."
        )
    return normalized
