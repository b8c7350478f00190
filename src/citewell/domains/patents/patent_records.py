"""Patents: the query, what patent databases are asked and return, and the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Literal, Protocol, Self, runtime_checkable

from pydantic import BeforeValidator, Field

from citewell.core.errors import InvalidInput
from citewell.core.tooling import CommandOption, SessionId, ToolArguments
from citewell.core.values.argument_types import OptionalName, OptionalQuery
from citewell.core.values.search_results import EmptySearchHints, FilterReport
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, LongText, Spine, WireValue
from citewell.domains.patents.party_names import list_assignee_variants
from citewell.domains.patents.patent_numbers import (
    PatentNumber,
    list_kind_candidates,
    parse_patent_number,
)
from citewell.search.search_request import clean_query_text, normalize_provider_name

_CLASS_PATTERN = re.compile(r"[A-HY](?:\d\d(?:[A-Z](?:\d{1,4}(?:/\d{1,6})?)?)?)?")
_PADDING_PATTERN = re.compile(r"([A-HY]\d\d[A-Z])0{1,3}(?=\d)")

PatentSearchType = Literal["prior_art", "specific", "landscape"]
PatentOffice = Literal["all", "US", "EP", "WO", "JP", "CN", "KR"]
FilingYear = Annotated[int | None, Field(ge=1790, le=2100)]
_MIN_PLAIN_DIGITS = 6  # fewer digits without a kind may be a year: "US 2020"


def _fold_office(value: object) -> object:
    if not isinstance(value, str):
        return value
    return value.lower() if value.lower() == "all" else value.upper()


class PatentFilter(StrEnum):
    """A condition on patents, which a provider applies itself or we apply afterwards."""

    ASSIGNEE = "assignee"
    INVENTOR = "inventor"
    CPC = "cpc_code"
    OFFICE = "patent_office"
    YEAR_FROM = "year_from"
    YEAR_TO = "year_to"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatentQuery:
    """One query to one patent database, already validated.

    With `numbers` these publications are looked up, and nothing else is searched.
    """

    text: str | None = None
    numbers: tuple[str, ...] = ()  # in the form of PatentNumber.normalized
    assignees: tuple[str, ...] = ()  # ways to write one company's name, the base name first
    inventor: str | None = None
    office: str | None = None  # US, EP, WO, JP, CN or KR
    cpc_code: str | None = None
    year_from: int | None = None  # of filing
    year_to: int | None = None
    is_phrase: bool = False  # the text is a title or an exact phrase
    count: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PatentRecord:
    """A publication, or a filing that is not published yet, as a database describes it."""

    number: str
    title: str
    url: str
    source: str  # the provider's name
    office: str
    kind_code: str | None = None
    abstract: str | None = None
    assignees: tuple[str, ...] = ()
    inventors: tuple[str, ...] = ()
    filed: str | None = None  # YYYY-MM-DD
    granted: str | None = None
    pdf: str | None = None
    status: str | None = None
    family_id: str | None = None
    also_published_as: tuple[str, ...] = ()  # other publications of the same filing or family
    cpc_codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PatentHits:
    patents: tuple[PatentRecord, ...] = ()
    total: int | None = None
    applied: frozenset[PatentFilter] = field(default_factory=frozenset)  # by the provider itself
    notes: tuple[str, ...] = ()


@runtime_checkable
class PatentSearch(Protocol):
    async def search_patents(self, query: PatentQuery) -> PatentHits:
        """Publications that fit the query; those with its numbers, if it has any."""
        ...


class PatentArguments(ToolArguments):
    """Find patents by words, number, assignee, inventor or CPC class: number with its kind explained, assignee, inventor, filing and grant dates, family. Give query, assignee or inventor. Matching is by words: check the returned fields. scrape_page of a Google Patents url reads claims and description."""

    query: Annotated[
        OptionalQuery, Field(description="Words, a title or a patent number."), CommandOption()
    ] = None
    count: Annotated[
        int, Field(ge=1, le=10, validation_alias="num_results"), CommandOption("How many patents.")
    ] = 5
    search_type: Annotated[
        PatentSearchType,
        Field(description="specific: one number or title; landscape: a field's assignees."),
        CommandOption(
            "prior_art, specific or landscape.",
            flag="--type",
            fold=lambda text: text.lower().replace("-", "_"),
        ),
    ] = "prior_art"
    patent_office: Annotated[
        PatentOffice,
        BeforeValidator(_fold_office),
        CommandOption("US, EP, WO, JP, CN, KR or all.", flag="--office"),
    ] = "all"
    assignee: Annotated[
        OptionalQuery,
        Field(description="Company; Inc, Ltd etc. are ignored."),
        CommandOption("The company that owns it."),
    ] = None
    inventor: Annotated[OptionalQuery, CommandOption("A person who invented it.")] = None
    cpc_code: Annotated[
        OptionalName,
        Field(description="CPC class, such as G06F."),
        CommandOption("A CPC class, such as G06F.", flag="--cpc"),
    ] = None
    year_from: Annotated[
        FilingYear,
        Field(description="First year of filing."),
        CommandOption("The first year of filing."),
    ] = None
    year_to: Annotated[
        FilingYear,
        Field(description="Last year of filing."),
        CommandOption("The last year of filing."),
    ] = None
    provider: Annotated[
        OptionalName,
        Field(description="searchapi, epo, lens, uspto or a web provider; no other is asked."),
        CommandOption("Use only this provider."),
    ] = None
    session_id: SessionId = None

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

    def clean_values(self) -> Self:
        """The query with its texts cleaned; raises InvalidInput if a value is invalid or all are missing."""
        if not any((self.query, self.assignee, self.inventor)):
            raise InvalidInput("Give query, assignee or inventor.")
        if self.year_from and self.year_to and self.year_from > self.year_to:
            raise InvalidInput(
                f"year_from ({self.year_from}) is after year_to ({self.year_to}); exchange them."
            )
        return self.with_changes(
            query=_clean_patent_words(self.query, "query"),
            assignee=_clean_patent_words(self.assignee, "assignee"),
            inventor=_clean_patent_words(self.inventor, "inventor"),
            cpc_code=_check_class_code(self.cpc_code),
            provider=normalize_provider_name(self.provider),
        )


class PatentResult(WireValue):
    """One publication; fields that the source does not state are absent."""

    title: str
    number: str
    url: str
    abstract: LongText | None = None
    assignee: str | None = None
    inventor: str | None = None  # the first one
    filed: str | None = None
    granted: str | None = None
    pdf: str | None = None
    status: str | None = None
    office: str
    kind_code: str | None = None
    kind: str | None = None  # the kind code in words
    family_id: str | None = None
    also_published_as: tuple[str, ...] | None = None


class PatentsAnswer(WireValue):
    """What patent_search returns."""

    patents: Body[tuple[PatentResult, ...]]
    query: str
    search_type: str
    result_count: int
    source: str
    search_url: str
    assignee_clusters: dict[str, int] | None = None  # of a landscape: patents by assignee
    hints: EmptySearchHints | None = None
    filters: Spine[tuple[FilterReport, ...]] | None = None
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)


def find_asked_number(request: PatentArguments) -> PatentNumber | None:
    """The number that the whole query is; None if it is words, or digits that may be a year."""
    found = parse_patent_number(request.query, office=request.office) if request.query else None
    if found is None or request.search_type == "specific" or found.kind or found.is_filing:
        return found
    digits = sum(map(str.isdigit, found.serial))
    return found if digits >= _MIN_PLAIN_DIGITS else None


def build_patent_query(
    request: PatentArguments, number: PatentNumber | None, *, count: int
) -> PatentQuery:
    """A checked request as the query that providers take; with a number, the lookup of it."""
    is_lookup = number is not None and not number.is_filing
    if number is not None and is_lookup:
        wanted = (
            number,
            *(candidate for candidate in list_kind_candidates(number) if candidate != number),
        )
        return PatentQuery(numbers=tuple(candidate.normalized for candidate in wanted), count=count)
    return PatentQuery(
        text=request.query,
        assignees=list_assignee_variants(request.assignee) if request.assignee else (),
        inventor=request.inventor,
        office=request.office,
        cpc_code=request.cpc_code,
        year_from=request.year_from,
        year_to=request.year_to,
        is_phrase=request.search_type == "specific",
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


# Normalizes codes of the Cooperative Patent Classification, and says which codes are below another.


def normalize_class_code(text: str) -> str | None:
    """A code such as G06F or G06F16/9535, without spaces; None if the text is no code."""
    plain = _PADDING_PATTERN.sub(r"\1", "".join(text.upper().split()))
    return plain if _CLASS_PATTERN.fullmatch(plain) else None


def match_class_code(wanted: str, stated: Iterable[str]) -> bool:
    """Whether a stated code is the wanted one or below it; G06F1 does not cover G06F16/00."""
    return any(_is_below_code(wanted, "".join(code.upper().split())) for code in stated)


def _is_below_code(wanted: str, code: str) -> bool:
    if not code.startswith(wanted):
        return False
    ends_in_group = len(wanted) > 4 and "/" not in wanted
    following = code[len(wanted) : len(wanted) + 1]
    return not (ends_in_group and following.isdigit())
