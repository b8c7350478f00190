"""Requests and results of the google_patents engine, as resellers of Google's results offer it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date

from citewell.core.errors import MalformedResponse
from citewell.domains.patents import patent_records
from citewell.domains.patents.patent_numbers import PatentNumber, parse_patent_number
from citewell.net.upstream import json_responses as wire
from citewell.text.safety.text_cleaning import clean_markup

GOOGLE_PATENTS_PAGES = "https://patents.google.com/patent"
MAX_PARTY_NAMES = 20
_MAX_NAME_CHARS = 200
_MAX_TITLE_CHARS = 500
_MAX_ABSTRACT_CHARS = 4000
MAX_FAMILY_NUMBERS = 30
MAX_CLASS_CODES = 40

GOOGLE_PATENT_FILTERS: frozenset[str] = frozenset(patent_records.PatentFilter)  # all of them
_RESULTS_PER_PAGE = 10


class GooglePatentResult(wire.ResponsePart):
    patent_id: wire.OptionalField[str] = None  # patent/US10165245B2/en
    publication_number: wire.OptionalField[str] = None
    title: wire.OptionalField[str] = None
    snippet: wire.OptionalField[str] = None
    assignee: wire.OptionalField[str] = None
    inventor: wire.OptionalField[str] = None
    filing_date: wire.OptionalField[str] = None
    grant_date: wire.OptionalField[str] = None
    pdf: wire.OptionalField[wire.HttpLink] = None


class GooglePatentResponse(wire.JsonResponse):
    search_metadata: wire.OptionalField[dict[str, object]] = None
    organic_results: wire.TolerantItems[GooglePatentResult] = ()  # absent when nothing was found


def build_google_patent_params(query: patent_records.PatentQuery) -> dict[str, str]:
    """The parameters of one request; "*" stands for any words."""
    words = " OR ".join(query.numbers) if query.numbers else (query.text or "*")
    if query.is_phrase and query.text and not query.numbers:
        words = '"{}"'.format(query.text.replace('"', " ").strip())
    if query.cpc_code:
        words = f"{words} CPC={query.cpc_code}"
    optional = {
        "assignee": query.assignees[0] if query.assignees else None,
        "inventor": query.inventor,
        "countries": query.office,
        "after": f"filing:{query.year_from}0101" if query.year_from else None,
        "before": f"filing:{query.year_to}1231" if query.year_to else None,
    }
    asked = {"engine": "google_patents", "q": words, "num": str(_RESULTS_PER_PAGE)}
    return asked | {name: value for name, value in optional.items() if value}


def read_google_patents(
    results: Iterable[GooglePatentResult], query: patent_records.PatentQuery, *, source: str
) -> patent_records.PatentHits:
    """The publications among the results; raises MalformedResponse if none of several has a number."""
    given = tuple(results)
    records = [record for result in given if (record := _build_google_record(result, source))]
    if given and not records:
        raise MalformedResponse("None of the results has a patent number.", provider=source)
    if query.numbers:
        records = [record for record in records if record.number in query.numbers]
    applied = select_applied_filters(query, GOOGLE_PATENT_FILTERS)
    return patent_records.PatentHits(patents=tuple(records[: query.count]), applied=applied)


def _build_google_record(
    result: GooglePatentResult, source: str
) -> patent_records.PatentRecord | None:
    in_path = (result.patent_id or "").removeprefix("patent/").partition("/")[0]
    written = clean_markup(result.publication_number) or clean_markup(in_path)
    number = parse_patent_number(written)
    if number is None or number.is_filing:
        return None
    return patent_records.PatentRecord(
        number=number.normalized,
        title=clean_patent_title(result.title, number),
        url=build_google_page(number),
        source=source,
        office=number.office,
        kind_code=number.kind,
        abstract=clean_patent_abstract(result.snippet),
        assignees=clean_party_names([result.assignee]),
        inventors=clean_party_names([result.inventor]),
        filed=parse_patent_day(result.filing_date),
        granted=parse_patent_day(result.grant_date),
        pdf=result.pdf,
    )


# Builds patent records from what databases send: numbers parsed, texts cleaned, dates checked.


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
    found = dict.fromkeys(number.normalized for number in parsed if number and not number.is_filing)
    return tuple(number for number in found if number != own)[:MAX_FAMILY_NUMBERS]


def select_applied_filters(
    query: patent_records.PatentQuery, declared: Collection[str]
) -> frozenset[patent_records.PatentFilter]:
    """The filters set in the query that a provider declares to apply itself."""
    given = {
        patent_records.PatentFilter.ASSIGNEE: query.assignees,
        patent_records.PatentFilter.INVENTOR: query.inventor,
        patent_records.PatentFilter.CPC: query.cpc_code,
        patent_records.PatentFilter.OFFICE: query.office,
        patent_records.PatentFilter.YEAR_FROM: query.year_from,
        patent_records.PatentFilter.YEAR_TO: query.year_to,
    }
    return frozenset(name for name, value in given.items() if value and name in declared)
