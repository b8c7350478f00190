"""Unpaywall: where a work can be read freely and legally; asks for an e-mail address."""

from __future__ import annotations

from citewell.citations import record_fields
from citewell.citations import record_fields as publisher_markup
from citewell.core.errors import InvalidInput, Misconfigured, NotFound, RejectedRequest
from citewell.core.values.paper import IdentifierScheme, OpenCopy, Paper, PaperId, WorkAuthor
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects import csl_works
from citewell.routing.ports import KitProvider, Offer, ProviderOption, ProviderSpec
from citewell.text.calendar_dates import extract_year
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="unpaywall",
    title="Unpaywall",
    homepage="https://unpaywall.org/products/api",
    base_url="https://api.unpaywall.org/v2",
    offers=frozenset({Offer.COPIES, Offer.LOOKUP}),
    options=(
        ProviderOption(
            env="UNPAYWALL_EMAIL",
            help="Your address, which Unpaywall asks for; OPENALEX_EMAIL serves when it is unset.",
        ),
        ProviderOption(env="OPENALEX_EMAIL", help="Your address, so that OpenAlex can reach you."),
    ),
    requires_any=("UNPAYWALL_EMAIL", "OPENALEX_EMAIL"),
    per_second=10.0,
    burst=10,
    rank=90,
    terms="A true address; at most 100,000 calls a day.",
    test_evidence="recorded answers",
)


class _UnpaywallLocation(wire.ResponsePart):
    url: wire.OptionalField[wire.HttpLink] = None
    url_for_pdf: wire.OptionalField[wire.HttpLink] = None
    url_for_landing_page: wire.OptionalField[wire.HttpLink] = None
    license: wire.OptionalField[str] = None
    version: wire.OptionalField[str] = None
    host_type: wire.OptionalField[str] = None


class _UnpaywallAuthor(csl_works.CslName):
    raw_author_name: wire.OptionalField[str] = None


class _UnpaywallRecord(wire.JsonResponse):
    doi: str
    title: wire.OptionalField[str] = None
    genre: wire.OptionalField[str] = None
    year: wire.OptionalField[int] = None
    published_date: wire.OptionalField[str] = None
    journal_name: wire.OptionalField[str] = None
    journal_is_in_doaj: wire.OptionalField[bool] = None
    publisher: wire.OptionalField[str] = None
    is_oa: wire.OptionalField[bool] = None
    best_oa_location: wire.OptionalField[_UnpaywallLocation] = None
    oa_locations: wire.TolerantItems[_UnpaywallLocation] = ()
    z_authors: wire.OptionalField[wire.TolerantItems[_UnpaywallAuthor]] = None


class Provider(KitProvider):
    schemes = frozenset({IdentifierScheme.DOI})

    def _set_up(self) -> None:
        self._email = (
            self._kit.find_option("UNPAYWALL_EMAIL")
            or self._kit.find_option("OPENALEX_EMAIL")
            or ""
        )

    async def list_open_copies(self, doi: str) -> tuple[OpenCopy, ...] | None:
        record = await self._fetch_unpaywall_record(doi)
        return None if record is None else _list_unpaywall_copies(record)

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        if paper_id.scheme is not IdentifierScheme.DOI:
            raise InvalidInput("Unpaywall can look up works by DOI only.", provider=SPEC.name)
        record = await self._fetch_unpaywall_record(paper_id.value)
        return None if record is None else _parse_unpaywall_record(record, paper_id.value.lower())

    async def _fetch_unpaywall_record(self, doi: str) -> _UnpaywallRecord | None:
        params = {"email": self._email}
        try:
            response = await self._upstream.send_get(
                csl_works.encode_doi_segment(doi), params=params, accept=(422,)
            )
        except NotFound:
            return None
        if response.status == 422:
            raise _build_email_error(response)
        return wire.read_json_response(_UnpaywallRecord, response)


def _build_email_error(response: HttpResponse) -> Misconfigured | RejectedRequest:
    """The error for a 422, which Unpaywall documents only for an invalid e-mail address."""
    if "email" in response.decode_text().lower():
        message = "Unpaywall rejected the e-mail address in UNPAYWALL_EMAIL or OPENALEX_EMAIL."
        return Misconfigured(message, provider=SPEC.name)
    message = "The upstream refused this request."
    return RejectedRequest(message, provider=SPEC.name, detail="HTTP 422")


def _list_unpaywall_copies(record: _UnpaywallRecord) -> tuple[OpenCopy, ...]:
    places = (record.best_oa_location, *record.oa_locations)
    copies = (_parse_unpaywall_location(place) for place in places if place is not None)
    return tuple({copy.url: copy for copy in copies if copy.url}.values())


def _parse_unpaywall_location(place: _UnpaywallLocation) -> OpenCopy:
    return OpenCopy(
        url=place.url_for_pdf or place.url or place.url_for_landing_page or "",
        pdf=place.url_for_pdf is not None,
        version=clean_markup(place.version) or None,
        license=clean_markup(place.license) or None,
        host=clean_markup(place.host_type) or None,
        source=SPEC.name,
    )


def _parse_unpaywall_record(record: _UnpaywallRecord, asked: str) -> Paper:
    copies = _list_unpaywall_copies(record)
    doi = record_fields.normalize_doi_field(record.doi) or asked
    published = record_fields.parse_issued_date(
        record.published_date
    ) or record_fields.parse_issued_date(str(record.year))
    return Paper(
        title=record_fields.clean_title_field(publisher_markup.clean_markup_line(record.title)),
        source=SPEC.name,
        url=csl_works.build_doi_url(doi),
        ids={IdentifierScheme.DOI: doi},
        authors=_list_unpaywall_authors(record),
        kind=csl_works.choose_csl_kind(record.genre),
        year=extract_year(record_fields.parse_issued_date(str(record.year)) or published),
        published=published,
        venue=publisher_markup.clean_markup_line(record.journal_name) or None,
        publisher=publisher_markup.clean_markup_line(record.publisher) or None,
        open_access=record.is_oa,
        in_doaj=record.journal_is_in_doaj,
        pdf_url=next((copy.url for copy in copies if copy.pdf), None),
        copies=copies,
    )


def _list_unpaywall_authors(record: _UnpaywallRecord) -> tuple[WorkAuthor, ...]:
    """The authors: one full name each in current records, given and family names before 2025."""
    found: list[WorkAuthor] = []
    for author in record.z_authors or ():
        name = publisher_markup.clean_markup_line(author.raw_author_name)
        found += [WorkAuthor(name=name)] if name else csl_works.build_authors((author,))
    return tuple(found)
