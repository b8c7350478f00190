"""Patents: the query, what patent databases are asked and return, and the answer; names of companies and inventors as offices write them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Annotated, Literal, Protocol, Self, runtime_checkable

from pydantic import BeforeValidator, Field

from citewell.core.errors import InvalidInput
from citewell.core.tooling import CommandOption, SessionId, ToolArguments
from citewell.core.values.argument_types import OptionalName, OptionalQuery
from citewell.core.values.search_results import EmptySearchHints, FilterReport
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, LongText, Spine, WireValue
from citewell.domains.patents.patent_numbers import (
    PatentNumber,
    list_kind_candidates,
    parse_patent_number,
)
from citewell.search.search_request import clean_query_text, normalize_provider_name
from citewell.text.data_tables import load_table

_CLASS_PATTERN = re.compile(r"[A-HY](?:\d\d(?:[A-Z](?:\d{1,4}(?:/\d{1,6})?)?)?)?")
_PADDING_PATTERN = re.compile(r"([A-HY]\d\d[A-Z])0{1,3}(?=\d)")

PatentSearchType = Literal["prior_art", "specific", "landscape"]
PatentOffice = Literal["all", "US", "EP", "WO", "JP", "CN", "KR"]
FilingYear = Annotated[int | None, Field(ge=1790, le=2100)]
_MIN_PLAIN_DIGITS = 6  # fewer digits without a kind may be a year: "US 2020"
MAX_ASSIGNEE_VARIANTS = 8
_MAX_NAME_CHARS = 300
_MIN_ACRONYM_WORDS = 3

# Forms that alone say too little to be dropped: a name may end in them.
_WEAK_FORMS = frozenset({"holding", "holdings", "group", "intl", "se", "as"})
_ASIAN_FORM_PATTERN = re.compile(
    r"株式会社|有限会社|合同会社|\(株\)|㈱|주식회사|\(주\)|㈜|유한회사|股份有限公司|有限责任公司|有限公司"
)
_COUNTRY_PATTERN = re.compile(r"\[[A-Z]{2}\]")  # as the EPO writes it: SIEMENS AG [DE]
_WORD_PATTERN = re.compile(r"[^\W_]+")
_INITIALS_PATTERN = re.compile(r"\b(\w)[./](?=\w\b)")  # B.V., A/S
_VARIANT_FORMS = ("Inc", "LLC", "Ltd", "Corp")


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


def strip_company_form(name: str) -> str:
    """The base name as it is written, without its legal form: "Example Widgets Co., Ltd." gives "Example Widgets"."""
    plain = " ".join(_ASIAN_FORM_PATTERN.sub(" ", name[:_MAX_NAME_CHARS]).split())
    words = plain.split(" ")
    while len(words) > 1 and _is_strong_form(words[-1]):
        words.pop()
    return " ".join(words).rstrip(" ,.;&-") or plain


def list_assignee_variants(name: str) -> tuple[str, ...]:
    """Ways in which a company's name is written, the base name first: spacing, "&", legal forms."""
    base = strip_company_form(name)
    joined, spaced = base.replace(" ", "").replace("-", ""), base.replace("-", " ")
    written = [base, name, spaced, _swap_conjunction(base)]
    if 1 < len(base.split()) <= 3 or "-" in base:
        written.append(joined)
    written += [f"{base} {form}" for form in _VARIANT_FORMS]
    kept = {
        " ".join(spelling.split()).casefold(): " ".join(spelling.split())
        for spelling in reversed(written)
    }
    order = dict.fromkeys(" ".join(spelling.split()).casefold() for spelling in written)
    return tuple(kept[key] for key in order if key)[:MAX_ASSIGNEE_VARIANTS]


def match_assignee(wanted: str, stated: Iterable[str]) -> bool:
    """Whether one of the stated names is the wanted company: its base words in order, or its acronym."""
    words = _list_base_words(wanted)
    return any(_has_company_words(words, _list_base_words(name)) for name in stated)


def match_inventor(wanted: str, stated: Iterable[str]) -> bool:
    """Whether one of the stated people has all wanted names, in any order; initials match names."""
    words = _list_name_words(_COUNTRY_PATTERN.sub("", wanted))
    return any(
        _has_person_words(words, _list_name_words(_COUNTRY_PATTERN.sub("", name)))
        for name in stated
    )


def _swap_conjunction(base: str) -> str:
    if "&" in base:
        return base.replace("&", " and ")
    return re.sub(r"\band\b", "&", base, flags=re.IGNORECASE)


@cache
def _load_legal_forms() -> frozenset[str]:
    """Legal forms at the end of a name, as single words after points are removed."""
    return frozenset(load_table(__package__, "legal_forms"))


def _is_strong_form(word: str) -> bool:
    plain = re.sub(r"[^\w]", "", word).casefold()
    return plain in _load_legal_forms() and plain not in _WEAK_FORMS


def _fold_name(name: str) -> str:
    """The name in lower case without accents, "&" as "and", initials joined."""
    cut = _ASIAN_FORM_PATTERN.sub(" ", _COUNTRY_PATTERN.sub("", name[:_MAX_NAME_CHARS]))
    parts = unicodedata.normalize("NFKD", cut.replace("&", " and ").casefold())
    plain = "".join(letter for letter in parts if not unicodedata.combining(letter))
    return _INITIALS_PATTERN.sub(r"\1", unicodedata.normalize("NFC", plain))


def _list_name_words(name: str) -> list[str]:
    return _WORD_PATTERN.findall(_fold_name(name))


def _list_base_words(name: str) -> list[str]:
    words = _list_name_words(name)
    while len(words) > 1 and words[-1] in _load_legal_forms():
        words.pop()
    return words


def _has_company_words(wanted: list[str], stated: list[str]) -> bool:
    if not wanted or not stated:
        return False
    length = len(wanted)
    if any(stated[at : at + length] == wanted for at in range(len(stated) - length + 1)):
        return True
    if "".join(wanted) == "".join(stated):
        return True
    return _is_acronym(wanted, stated) or _is_acronym(stated, wanted)


def _is_acronym(short: list[str], long: list[str]) -> bool:
    """Whether one word has the initials of several, as IBM of International Business Machines."""
    is_candidate = len(short) == 1 and len(long) >= _MIN_ACRONYM_WORDS
    return is_candidate and short[0] == "".join(word[0] for word in long)


def _has_person_words(wanted: list[str], stated: list[str]) -> bool:
    if not wanted or not stated or not any(len(word) > 1 and word in stated for word in wanted):
        return False  # initials alone prove nothing
    return all(_has_name_word(word, stated) for word in wanted)


def _has_name_word(word: str, stated: list[str]) -> bool:
    if word in stated:
        return True
    if len(word) == 1:
        return any(other.startswith(word) for other in stated)
    return any(len(other) == 1 and word.startswith(other) for other in stated)
