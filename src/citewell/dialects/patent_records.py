"""Builds patent records from what databases send: numbers parsed, texts cleaned, dates checked."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date

from citewell.model.domains.patent import PatentFilter, PatentQuery
from citewell.text.patents.patent_numbers import PatentNumber, parse_patent_number
from citewell.text.safety.markup_cleaning import clean_markup

GOOGLE_PATENTS_PAGES = "https://patents.google.com/patent"
MAX_PARTY_NAMES = 20
_MAX_NAME_CHARS = 200
_MAX_TITLE_CHARS = 500
_MAX_ABSTRACT_CHARS = 4000
MAX_FAMILY_NUMBERS = 30
MAX_CLASS_CODES = 40


def build_google_page(number: PatentNumber) -> str:
    """The address of a publication's page on Google Patents."""
    return f"{GOOGLE_PATENTS_PAGES}/{number.normalized}/en"


def parse_patent_day(text: object) -> str | None:
    """A day written as 2019-07-09 or 20190709, with or without a time; None if it is no day."""
    if not isinstance(text, str):
        return None
    day = text.strip()[:10]
    if len(day) >= 8 and day[:8].isascii() and day[:8].isdigit():
        day = f"{day[:4]}-{day[4:6]}-{day[6:8]}"
    try:
        return date.fromisoformat(day).isoformat()
    except ValueError:
        return None


def clean_patent_title(markup: str | None, number: PatentNumber) -> str:
    """The title as one line; the number if there is none."""
    return clean_markup(markup)[:_MAX_TITLE_CHARS].strip() or number.normalized


def clean_patent_abstract(markup: str | None) -> str | None:
    """The abstract as one line of at most 4000 characters; None if there is none."""
    return clean_markup(markup)[:_MAX_ABSTRACT_CHARS].strip() or None


def clean_party_names(names: Iterable[str | None]) -> tuple[str, ...]:
    """Distinct names without markup; what stands after them in brackets, a country, is dropped."""
    cleaned = [
        clean_markup(name).partition(" [")[0].strip(" ,;")[:_MAX_NAME_CHARS] for name in names
    ]
    distinct = {name.casefold(): name for name in reversed(cleaned) if name}
    return tuple(distinct[key] for key in dict.fromkeys(map(str.casefold, cleaned)) if key)[
        :MAX_PARTY_NAMES
    ]


def normalize_family_numbers(numbers: Iterable[str], *, own: str) -> tuple[str, ...]:
    """Publication numbers in one form, each once, without the record's own."""
    parsed = (parse_patent_number(number) for number in numbers)
    found = dict.fromkeys(one.normalized for one in parsed if one and not one.is_filing)
    return tuple(number for number in found if number != own)[:MAX_FAMILY_NUMBERS]


def select_applied_filters(
    query: PatentQuery, declared: Collection[str]
) -> frozenset[PatentFilter]:
    """The filters set in the query that a provider declares to apply itself."""
    given = {
        PatentFilter.ASSIGNEE: query.assignees,
        PatentFilter.INVENTOR: query.inventor,
        PatentFilter.CPC: query.cpc_code,
        PatentFilter.OFFICE: query.office,
        PatentFilter.YEAR_FROM: query.year_from,
        PatentFilter.YEAR_TO: query.year_to,
    }
    return frozenset(name for name, value in given.items() if value and name in declared)
