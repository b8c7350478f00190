"""Lens.org: patents of many offices with their families; needs a token."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from pydantic import AliasPath, Field

from citewell.core.errors import MalformedResponse
from citewell.domains.patents import patent_records
from citewell.domains.patents.patent_numbers import (
    format_docdb_number,
    parse_patent_number,
    require_patent_number,
)
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects.google_patent_results import (
    MAX_CLASS_CODES,
    clean_party_names,
    clean_patent_abstract,
    clean_patent_title,
    normalize_family_numbers,
    parse_patent_day,
    select_applied_filters,
)
from citewell.routing.ports import KitProvider, Offer, ProviderSpec, require_key
from citewell.routing.upstream_refusals import read_stated_json
from citewell.text.safety.text_cleaning import clean_markup

_APPLIED = frozenset({"patent_office", "assignee", "inventor"})
SPEC = ProviderSpec(
    name="lens",
    title="Lens.org",
    homepage="https://www.lens.org/lens/user/subscriptions",
    base_url="https://api.lens.org/patent",
    offers=frozenset({Offer.PATENTS}),
    options=(
        require_key(
            "LENS_API_TOKEN",
            "Access token for the patent API of lens.org.",
            "Authorization: Bearer {}",
        ),
    ),
    applied_arguments={Offer.PATENTS: _APPLIED},
    max_results=50,
    per_second=0.15,  # ten a minute on the free plan
    burst=5,
    rank=25,
    covers_whole_web=False,
    terms="Free for trials and public institutions on request; results carry a link to lens.org.",
)

_LENS_PAGE = "https://www.lens.org/lens/patent/"
_FIELDS = (
    "lens_id", "jurisdiction", "doc_number", "kind", "date_published", "abstract", "biblio",
    "legal_status", "families",
)  # fmt: skip


class _LensText(wire.ResponsePart):
    text: str
    lang: wire.OptionalField[str] = None


class _LensParty(wire.ResponsePart):
    name: Annotated[str, Field(validation_alias=AliasPath("extracted_name", "value"))]


class _LensClass(wire.ResponsePart):
    symbol: str


class _LensDocument(wire.ResponsePart):
    jurisdiction: str
    doc_number: str
    kind: wire.OptionalField[str] = None


class _LensMember(wire.ResponsePart):
    document_id: _LensDocument


class _LensPatent(wire.ResponsePart):
    lens_id: Annotated[str, Field(pattern=r"^[0-9X-]{15,20}$")]
    jurisdiction: Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
    doc_number: Annotated[str, Field(min_length=1, max_length=30)]
    kind: wire.OptionalField[Annotated[str, Field(pattern=r"^[A-Z]\d?$")]] = None
    abstract: wire.OptionalField[wire.TolerantItems[_LensText] | str] = None
    titles: wire.OptionalField[wire.TolerantItems[_LensText]] = wire.nested_field(
        "biblio.invention_title"
    )
    applicants: wire.OptionalField[wire.TolerantItems[_LensParty]] = wire.nested_field(
        "biblio.parties.applicants"
    )
    inventors: wire.OptionalField[wire.TolerantItems[_LensParty]] = wire.nested_field(
        "biblio.parties.inventors"
    )
    filed: wire.OptionalField[str] = wire.nested_field("biblio.application_reference.date")
    classes: wire.OptionalField[wire.TolerantItems[_LensClass]] = wire.nested_field(
        "biblio.classifications_cpc.classifications"
    )
    granted: wire.OptionalField[str] = wire.nested_field("legal_status.grant_date")
    status: wire.OptionalField[str] = wire.nested_field("legal_status.patent_status")
    members: wire.OptionalField[wire.TolerantItems[_LensMember]] = wire.nested_field(
        "families.simple_family.members"
    )


class _LensResponse(wire.JsonResponse):
    data: wire.TolerantItems[_LensPatent]
    total: wire.OptionalField[int] = None


class Provider(KitProvider):
    async def search_patents(self, query: patent_records.PatentQuery) -> patent_records.PatentHits:
        response = await self._upstream.send_post(
            "/search",
            json={
                "query": {"bool": {"must": _build_lens_conditions(query)}},
                "size": min(query.count, SPEC.max_results),
                "from": 0,
                "include": list(_FIELDS),
            },
            accept=(400,),
        )
        page = read_stated_json(_LensResponse, response)
        records = tuple(record for item in page.data if (record := _parse_lens_patent(item)))
        if page.data and not records:
            message = "None of the publications in the response has a number."
            raise MalformedResponse(message, provider=SPEC.name)
        return patent_records.PatentHits(
            patents=records[: query.count],
            total=wire.drop_negative_count(page.total),
            applied=select_applied_filters(query, _APPLIED),
        )


def _build_lens_conditions(query: patent_records.PatentQuery) -> list[dict[str, Any]]:
    if query.numbers:
        return [_build_any_condition([_build_number_condition(number) for number in query.numbers])]
    conditions: list[dict[str, Any]] = []
    if query.text:
        match = "match_phrase" if query.is_phrase else "match"
        fields = ("title",) if query.is_phrase else ("title", "abstract")
        conditions.append(_build_any_condition([{match: {name: query.text}} for name in fields]))
    if query.assignees:
        names = [{"match_phrase": {"applicant.name": name}} for name in query.assignees[:4]]
        conditions.append(_build_any_condition(names))
    if query.inventor:
        conditions.append(
            {"match": {"inventor.name": {"query": query.inventor, "operator": "and"}}}
        )
    if query.office:
        conditions.append({"term": {"jurisdiction": query.office}})
    if query.cpc_code:
        conditions.append({"prefix": {"class_cpc.symbol": query.cpc_code}})
    if query.year_from:
        # Nothing is published before it is filed; the filing year is checked afterwards.
        conditions.append({"range": {"date_published": {"gte": f"{query.year_from}-01-01"}}})
    return conditions


def _build_any_condition(conditions: list[dict[str, Any]]) -> dict[str, Any]:
    return conditions[0] if len(conditions) == 1 else {"bool": {"should": conditions}}


def _build_number_condition(text: str) -> dict[str, Any]:
    number = require_patent_number(text)
    parts = {"jurisdiction": number.office, "doc_number": format_docdb_number(number)}
    if number.kind:
        parts["kind"] = number.kind
    return {"bool": {"must": [{"term": {name: value}} for name, value in parts.items()]}}


def _parse_lens_patent(item: _LensPatent) -> patent_records.PatentRecord | None:
    number = parse_patent_number(f"{item.jurisdiction}{item.doc_number}{item.kind or ''}")
    if number is None or number.is_filing:
        return None
    abstract = item.abstract
    codes = (patent_records.normalize_class_code(entry.symbol[:30]) for entry in item.classes or ())
    documents = (member.document_id for member in item.members or ())
    family = [
        f"{document.jurisdiction}{document.doc_number}{document.kind or ''}"
        for document in documents
    ]
    return patent_records.PatentRecord(
        number=number.normalized,
        title=clean_patent_title(_choose_lens_text(item.titles or ()), number),
        url=_LENS_PAGE + quote(item.lens_id),
        source=SPEC.name,
        office=number.office,
        kind_code=number.kind,
        abstract=clean_patent_abstract(
            abstract if isinstance(abstract, str) else _choose_lens_text(abstract or ())
        ),
        assignees=clean_party_names(party.name for party in item.applicants or ()),
        inventors=clean_party_names(party.name for party in item.inventors or ()),
        filed=parse_patent_day(item.filed),
        granted=parse_patent_day(item.granted),
        status=clean_markup(item.status) or None,
        also_published_as=normalize_family_numbers(family, own=number.normalized),
        cpc_codes=tuple(filter(None, codes))[:MAX_CLASS_CODES],
    )


def _choose_lens_text(texts: tuple[_LensText, ...]) -> str:
    """The English text, else the first."""
    ordered = sorted(texts, key=lambda text: text.lang != "en")
    return next((text for translation in ordered if (text := clean_markup(translation.text))), "")
