"""Requests and results of the google_patents engine, as resellers of Google's results offer it."""

from __future__ import annotations

from collections.abc import Iterable

from citewell.dialects.json_responses import (
    HttpLink,
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
)
from citewell.dialects.patent_records import (
    build_google_page,
    clean_party_names,
    clean_patent_abstract,
    clean_patent_title,
    parse_patent_day,
    select_applied_filters,
)
from citewell.errors import MalformedResponse
from citewell.model.domains.patent import PatentFilter, PatentHits, PatentQuery, PatentRecord
from citewell.text.patents.patent_numbers import parse_patent_number
from citewell.text.safety.markup_cleaning import clean_markup

GOOGLE_PATENT_FILTERS: frozenset[str] = frozenset(PatentFilter)  # all of them
_RESULTS_PER_PAGE = 10


class GooglePatentResult(ResponsePart):
    patent_id: OptionalField[str] = None  # patent/US10165245B2/en
    publication_number: OptionalField[str] = None
    title: OptionalField[str] = None
    snippet: OptionalField[str] = None
    assignee: OptionalField[str] = None
    inventor: OptionalField[str] = None
    filing_date: OptionalField[str] = None
    grant_date: OptionalField[str] = None
    pdf: OptionalField[HttpLink] = None


class GooglePatentResponse(JsonResponse):
    search_metadata: OptionalField[dict[str, object]] = None
    organic_results: TolerantItems[GooglePatentResult] = ()  # absent when nothing was found


def build_google_patent_params(query: PatentQuery) -> dict[str, str]:
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
    results: Iterable[GooglePatentResult], query: PatentQuery, *, source: str
) -> PatentHits:
    """The publications among the results; raises MalformedResponse if none of several has a number."""
    given = tuple(results)
    records = [record for one in given if (record := _build_google_record(one, source))]
    if given and not records:
        raise MalformedResponse("None of the results has a patent number.", provider=source)
    if query.numbers:
        records = [record for record in records if record.number in query.numbers]
    applied = select_applied_filters(query, GOOGLE_PATENT_FILTERS)
    return PatentHits(patents=tuple(records[: query.count]), applied=applied)


def _build_google_record(result: GooglePatentResult, source: str) -> PatentRecord | None:
    in_path = (result.patent_id or "").removeprefix("patent/").partition("/")[0]
    written = clean_markup(result.publication_number) or clean_markup(in_path)
    number = parse_patent_number(written)
    if number is None or number.is_filing:
        return None
    return PatentRecord(
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
