"""The USPTO's Open Data Portal: US applications with their status; needs a key."""

from __future__ import annotations

from typing import Annotated

from pydantic import AliasChoices, Field

from citewell.domains.patents import patent_records
from citewell.domains.patents.patent_numbers import (
    PatentNumber,
    parse_patent_number,
    require_patent_number,
)
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects import google_patent_results
from citewell.routing.ports import KitProvider, Offer, ProviderSpec, require_key
from citewell.routing.upstream_refusals import read_stated_json
from citewell.text.language.word_forms import drop_query_stopwords
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="uspto",
    title="USPTO Open Data Portal",
    homepage="https://data.uspto.gov/apis/getting-started",
    base_url="https://api.uspto.gov/api/v1/patent/applications",
    offers=frozenset({Offer.PATENTS}),
    options=(
        require_key(
            "USPTO_API_KEY",
            "Key of the Open Data Portal; needs an account with ID.me.",
            "X-API-KEY",
        ),
    ),
    max_results=50,
    per_second=0.75,
    burst=1,
    rank=30,
    covers_whole_web=False,
    terms="US applications only; one request at a time; no abstracts.",
    test_evidence=(
        "recorded answers of its predecessor beta-api.uspto.gov, which is retired like ped.uspto.gov"
        " and assignment-api.uspto.gov; the present shape is from the documentation; ppubs.uspto.gov"
        " and developer.uspto.gov are not called"
    ),
)

_APPLICATION_PAGE = "https://patentcenter.uspto.gov/applications/"
_MAX_QUERY_WORDS = 6
_NO_MATCH, _STATED = 404, (400, 404, 413)


class _UsptoParty(wire.CamelCasePart):
    inventor_name_text: wire.OptionalField[str] = None
    applicant_name_text: wire.OptionalField[str] = None


class _UsptoMetaData(wire.CamelCasePart):
    invention_title: wire.OptionalField[str] = None
    patent_number: wire.OptionalField[str] = None
    earliest_publication_number: wire.OptionalField[str] = None
    filing_date: wire.OptionalField[str] = None
    grant_date: wire.OptionalField[str] = None
    application_status_description_text: wire.OptionalField[str] = None
    first_applicant_name: wire.OptionalField[str] = None
    first_inventor_name: wire.OptionalField[str] = None
    applicant_bag: wire.OptionalField[wire.TolerantItems[_UsptoParty]] = None
    inventor_bag: wire.OptionalField[wire.TolerantItems[_UsptoParty]] = None
    cpc_classification_bag: wire.OptionalField[wire.TolerantItems[str]] = None


class _UsptoAssignee(wire.CamelCasePart):
    assignee_name_text: str


class _UsptoAssignment(wire.CamelCasePart):
    conveyance_text: wire.OptionalField[str] = None
    assignee_bag: wire.OptionalField[wire.TolerantItems[_UsptoAssignee]] = None


class _UsptoFile(_UsptoMetaData):
    """One application; the portal's first version had the metadata beside the number."""

    application_number_text: Annotated[str, Field(pattern=r"^(?:\d{8}|PCT/?[A-Z0-9/]{9,20})$")]
    application_meta_data: wire.OptionalField[_UsptoMetaData] = None
    assignment_bag: wire.OptionalField[wire.TolerantItems[_UsptoAssignment]] = None


class _UsptoResponse(wire.JsonResponse):
    files: Annotated[
        wire.TolerantItems[_UsptoFile],
        Field(validation_alias=AliasChoices("patentFileWrapperDataBag", "patentBag")),
    ]
    count: wire.OptionalField[int] = None


class Provider(KitProvider):
    def _set_up(self) -> None:
        self._upstream.limit_concurrency(1)

    async def search_patents(self, query: patent_records.PatentQuery) -> patent_records.PatentHits:
        response = await self._upstream.send_get(
            "/search",
            params={
                "q": _build_uspto_query(query),
                "offset": "0",
                "limit": str(min(query.count, SPEC.max_results)),
            },
            accept=_STATED,
        )
        if response.status == _NO_MATCH:
            return patent_records.PatentHits()
        page = read_stated_json(_UsptoResponse, response)
        records = [record for file in page.files if (record := _parse_uspto_file(file))]
        if query.numbers:
            wanted = {require_patent_number(number).base for number in query.numbers}
            records = [record for record in records if wanted & _list_bases(record)]
        return patent_records.PatentHits(
            patents=tuple(records[: query.count]), total=wire.drop_negative_count(page.count)
        )


def _build_uspto_query(query: patent_records.PatentQuery) -> str:
    """Quoted words and phrases: the portal's search by field is unreliable."""
    if query.numbers:
        serials = dict.fromkeys(require_patent_number(number).serial for number in query.numbers)
        return " OR ".join(f'"{_write_serial(serial)}"' for serial in serials)
    text = _drop_quotes(query.text or "")
    words = [text] if query.is_phrase else drop_query_stopwords(text, language=None).split()
    parts = [*words[:_MAX_QUERY_WORDS], *query.assignees[:1], query.inventor or ""]
    return " AND ".join(f'"{_drop_quotes(part)}"' for part in parts if part)


def _write_serial(serial: str) -> str:
    """A publication of an application as the portal writes it: US 2014-0131102."""
    is_application = len(serial) == 11 and serial.isdigit()
    return f"US {serial[:4]}-{serial[4:]}" if is_application else serial


def _drop_quotes(text: str) -> str:
    return " ".join(text.replace('"', " ").replace("\\", " ").split())


def _parse_uspto_file(file: _UsptoFile) -> patent_records.PatentRecord | None:
    about = file.application_meta_data or file
    granted = _read_portal_number(about.patent_number)
    published = _read_portal_number(about.earliest_publication_number)
    number = granted or published or _read_us_filing(file.application_number_text)
    if number is None:
        return None
    return patent_records.PatentRecord(
        number=number.normalized,
        title=google_patent_results.clean_patent_title(about.invention_title, number),
        url=_APPLICATION_PAGE + file.application_number_text.replace("/", ""),
        source=SPEC.name,
        office="US",
        kind_code=number.kind,
        assignees=google_patent_results.clean_party_names(
            [about.first_applicant_name]
            + [party.applicant_name_text for party in about.applicant_bag or ()]
            + _list_assigned_names(file)
        ),
        inventors=google_patent_results.clean_party_names(
            [about.first_inventor_name]
            + [party.inventor_name_text for party in about.inventor_bag or ()]
        ),
        filed=google_patent_results.parse_patent_day(about.filing_date),
        granted=google_patent_results.parse_patent_day(about.grant_date),
        status=clean_markup(about.application_status_description_text) or None,
        also_published_as=(published.normalized,) if granted and published else (),
        cpc_codes=tuple(
            code
            for text in about.cpc_classification_bag or ()
            if (code := patent_records.normalize_class_code(text[:40]))
        )[: google_patent_results.MAX_CLASS_CODES],
    )


def _read_portal_number(text: str | None) -> PatentNumber | None:
    found = parse_patent_number((text or "")[:40], office="US")
    return found if found and found.office == "US" and not found.is_filing else None


def _read_us_filing(text: str) -> PatentNumber | None:
    if text.isdigit():
        return PatentNumber(office="US", serial=f"{text[:2]}/{text[2:]}", is_filing=True)
    return parse_patent_number(text)


def _list_assigned_names(file: _UsptoFile) -> list[str | None]:
    """Names of those the invention was assigned to; a bank's security interest is no assignment."""
    return [
        assignee.assignee_name_text
        for assignment in file.assignment_bag or ()
        if (assignment.conveyance_text or "").upper().startswith("ASSIGNMENT")
        for assignee in assignment.assignee_bag or ()
    ]


def _list_bases(record: patent_records.PatentRecord) -> set[str]:
    numbers = map(parse_patent_number, (record.number, *record.also_published_as))
    return {number.base for number in numbers if number}
