"""The Federal Register of the United States since 1994: rules, proposed rules and notices; no key."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from citewell.core.errors import MalformedResponse
from citewell.core.values.court_case import (
    CaseHits,
    CaseQuery,
    CitationMatch,
    CourtCase,
    LegalCitation,
)
from citewell.domains.law.bluebook import find_register_page
from citewell.net.upstream import json_responses as wire
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.providers.dialects.remembered_matches import LawRegistry
from citewell.routing.ports import Offer, ProviderSpec
from citewell.routing.upstream_refusals import read_stated_json
from citewell.text.calendar_dates import parse_partial_date
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="federalregister",
    title="Federal Register",
    homepage="https://www.federalregister.gov/developers/documentation/api/v1",
    base_url="https://www.federalregister.gov/api/v1",
    offers=frozenset({Offer.CASES, Offer.CITATIONS}),
    applied_arguments={Offer.CASES: frozenset({"date_from", "date_to"})},
    max_results=50,
    per_second=1.0,
    burst=5,
    rank=50,
    covers_whole_web=False,
    terms="Works of the US government; no key and no stated limit.",
)

_FIELDS = (
    "title", "type", "abstract", "document_number", "html_url", "publication_date", "agencies",
    "citation", "docket_ids", "start_page", "end_page", "volume",
)  # fmt: skip
_FIRST_VOLUME = 59  # of 1994; older ones are not in the API
_MAX_DOCUMENTS = 20
_KINDS = {"rule": "regulation", "proposed rule": "regulation"}


class _IssuingAgency(wire.ResponsePart):
    name: wire.OptionalField[str] = None
    raw_name: wire.OptionalField[str] = None


class _RegisterDocument(wire.ResponsePart):
    title: str
    html_url: wire.HttpLink
    document_number: wire.OptionalField[str] = None
    type: wire.OptionalField[str] = None
    abstract: wire.OptionalField[str] = None
    publication_date: wire.OptionalField[str] = None
    agencies: wire.OptionalField[wire.TolerantItems[_IssuingAgency]] = None
    citation: wire.OptionalField[str] = None
    docket_ids: wire.OptionalField[wire.TolerantItems[str]] = None


class _DocumentPage(wire.JsonResponse):
    count: wire.OptionalField[int] = None
    results: wire.OptionalField[wire.TolerantItems[_RegisterDocument]] = (
        None  # missing if nothing was found
    )


class _SingleDocument(wire.JsonResponse, _RegisterDocument):
    pass


class _CitedPage(wire.ResponsePart):
    document_numbers: wire.TolerantItems[Annotated[str, Field(pattern=r"^[\w-]{3,30}$")]]


class _SearchSuggestions(wire.ResponsePart):
    citation: wire.OptionalField[_CitedPage] = None


class _SearchDetails(wire.JsonResponse):
    suggestions: _SearchSuggestions


class Provider(LawRegistry):
    citation_kinds: ClassVar[frozenset[str]] = frozenset({"us_register"})

    async def search_cases(self, query: CaseQuery) -> CaseHits:
        page = find_register_page(query.text)
        if page is not None and page[0] >= _FIRST_VOLUME:
            return CaseHits(cases=(await self._list_cited_documents(*page))[: query.count])
        params = [
            ("conditions[term]", query.text),
            ("conditions[publication_date][gte]", query.date_from),
            ("conditions[publication_date][lte]", query.date_to),
            ("order", "relevance"),
            ("per_page", str(query.count)),
        ]
        response = await self._upstream.send_get(
            "/documents.json",
            params=[(name, value) for name, value in params if value] + _list_field_params(),
            accept=(400,),
        )
        found = read_stated_json(_DocumentPage, response)
        if found.results is None and found.count != 0:
            raise MalformedResponse("The documents are missing.", provider=SPEC.name)
        return CaseHits(
            cases=tuple(map(_parse_document, (found.results or ())[: query.count])),
            total=wire.drop_negative_count(found.count),
        )

    async def _find_citation(self, citation: LegalCitation) -> CitationMatch:
        page = find_register_page(citation.normalized)
        if page is None or page[0] < _FIRST_VOLUME:
            return CitationMatch(provider=SPEC.name, is_reporter_known=False)
        return CitationMatch(provider=SPEC.name, cases=await self._list_cited_documents(*page))

    async def _list_cited_documents(self, volume: int, page: int) -> tuple[CourtCase, ...]:
        """The documents on this page; one that only continues there counts as well."""
        response = await self._upstream.send_get(
            "/documents/search-details", params={"conditions[term]": f"{volume} FR {page}"}
        )
        cited = wire.read_json_response(_SearchDetails, response).suggestions.citation
        if cited is None or not cited.document_numbers:
            return ()
        numbers = cited.document_numbers[:_MAX_DOCUMENTS]
        response = await self._upstream.send_get(
            f"/documents/{','.join(numbers)}.json", params=_list_field_params()
        )
        if len(numbers) == 1:
            document = parse_json_response(_SingleDocument, response)
            return (_parse_document(document),)
        found = wire.read_json_response(_DocumentPage, response).results
        return tuple(map(_parse_document, found or ()))


def _list_field_params() -> list[tuple[str, str]]:
    return [("fields[]", field) for field in _FIELDS]


def _parse_document(document: _RegisterDocument) -> CourtCase:
    agencies = (clean_markup(agency.name or agency.raw_name) for agency in document.agencies or ())
    dockets = (clean_markup(number) for number in document.docket_ids or ())
    kind = clean_markup(document.type)
    number = clean_markup(document.document_number)
    citation = clean_markup(document.citation)
    return CourtCase(
        name=clean_markup(document.title).replace("<", "") or document.html_url,
        url=document.html_url,
        source=SPEC.name,
        kind=_KINDS.get(kind.lower(), "notice"),
        citations=(citation,) if citation else (),
        court=", ".join(dict.fromkeys(filter(None, agencies))) or None,
        date_filed=parse_partial_date(document.publication_date or "") or None,
        docket_number=", ".join(filter(None, dockets)) or None,
        status=kind or None,
        snippet=clean_markup(document.abstract),
        ids={"document": number} if number else {},
    )
