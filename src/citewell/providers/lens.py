"""Lens.org: patents of many offices with their families; needs a token."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from pydantic import Field

from citewell.dialects.json_responses import (
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
    drop_negative_count,
    read_json_response,
)
from citewell.dialects.patent_records import (
    MAX_CLASS_CODES,
    clean_party_names,
    clean_patent_abstract,
    clean_patent_title,
    normalize_family_numbers,
    parse_patent_day,
    select_applied_filters,
)
from citewell.dialects.stated_refusals import build_stated_refusal
from citewell.errors import MalformedResponse
from citewell.model.domains.patent import PatentHits, PatentQuery, PatentRecord
from citewell.ports import Offer, ProviderKit, ProviderOption, ProviderSpec
from citewell.text.patents.class_codes import normalize_class_code
from citewell.text.patents.patent_numbers import (
    format_docdb_number,
    parse_patent_number,
    require_patent_number,
)
from citewell.text.safety.markup_cleaning import clean_markup

_APPLIED = frozenset({"patent_office", "assignee", "inventor"})
SPEC = ProviderSpec(
    name="lens",
    title="Lens.org",
    homepage="https://www.lens.org/lens/user/subscriptions",
    base_url="https://api.lens.org/patent",
    offers=frozenset({Offer.PATENTS}),
    options=(
        ProviderOption(
            env="LENS_API_TOKEN",
            help="Access token for the patent API of lens.org.",
            secret=True,
            required=True,
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
_BAD_REQUEST = 400


class _LensText(ResponsePart):
    text: str
    lang: OptionalField[str] = None


class _LensName(ResponsePart):
    value: str


class _LensParty(ResponsePart):
    extracted_name: _LensName


class _LensParties(ResponsePart):
    applicants: OptionalField[TolerantItems[_LensParty]] = None
    inventors: OptionalField[TolerantItems[_LensParty]] = None


class _LensFiling(ResponsePart):
    date: OptionalField[str] = None


class _LensClass(ResponsePart):
    symbol: str


class _LensClasses(ResponsePart):
    classifications: OptionalField[TolerantItems[_LensClass]] = None


class _LensBiblio(ResponsePart):
    invention_title: OptionalField[TolerantItems[_LensText]] = None
    parties: OptionalField[_LensParties] = None
    application_reference: OptionalField[_LensFiling] = None
    classifications_cpc: OptionalField[_LensClasses] = None


class _LensStatus(ResponsePart):
    granted: OptionalField[bool] = None
    grant_date: OptionalField[str] = None
    patent_status: OptionalField[str] = None


class _LensDocument(ResponsePart):
    jurisdiction: str
    doc_number: str
    kind: OptionalField[str] = None


class _LensMember(ResponsePart):
    document_id: _LensDocument


class _LensFamily(ResponsePart):
    members: OptionalField[TolerantItems[_LensMember]] = None


class _LensFamilies(ResponsePart):
    simple_family: OptionalField[_LensFamily] = None


class _LensPatent(ResponsePart):
    lens_id: Annotated[str, Field(pattern=r"^[0-9X-]{15,20}$")]
    jurisdiction: Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
    doc_number: Annotated[str, Field(min_length=1, max_length=30)]
    kind: OptionalField[Annotated[str, Field(pattern=r"^[A-Z]\d?$")]] = None
    abstract: OptionalField[TolerantItems[_LensText] | str] = None
    biblio: OptionalField[_LensBiblio] = None
    legal_status: OptionalField[_LensStatus] = None
    families: OptionalField[_LensFamilies] = None


class _LensResponse(JsonResponse):
    data: TolerantItems[_LensPatent]
    total: OptionalField[int] = None


class Provider:
    def __init__(self, kit: ProviderKit) -> None:
        self._upstream = kit.upstream
        self._token = {"Authorization": f"Bearer {kit.find_option('LENS_API_TOKEN') or ''}"}

    async def search_patents(self, query: PatentQuery) -> PatentHits:
        response = await self._upstream.send_post(
            "/search",
            json={
                "query": {"bool": {"must": _build_lens_conditions(query)}},
                "size": min(query.count, SPEC.max_results),
                "from": 0,
                "include": list(_FIELDS),
            },
            secret_headers=self._token,
            accept=(_BAD_REQUEST,),
        )
        if response.status == _BAD_REQUEST:
            raise build_stated_refusal(response)
        page = read_json_response(_LensResponse, response)
        records = tuple(record for item in page.data if (record := _parse_lens_patent(item)))
        if page.data and not records:
            message = "None of the publications in the response has a number."
            raise MalformedResponse(message, provider=SPEC.name)
        return PatentHits(
            patents=records[: query.count],
            total=drop_negative_count(page.total),
            applied=select_applied_filters(query, _APPLIED),
        )


def _build_lens_conditions(query: PatentQuery) -> list[dict[str, Any]]:
    if query.numbers:
        return [_build_any_condition([_build_number_condition(one) for one in query.numbers])]
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


def _parse_lens_patent(item: _LensPatent) -> PatentRecord | None:
    number = parse_patent_number(f"{item.jurisdiction}{item.doc_number}{item.kind or ''}")
    if number is None or number.is_filing:
        return None
    biblio, status = item.biblio or _LensBiblio(), item.legal_status or _LensStatus()
    parties, filing = biblio.parties or _LensParties(), biblio.application_reference
    abstract = item.abstract
    codes = (biblio.classifications_cpc or _LensClasses()).classifications or ()
    return PatentRecord(
        number=number.normalized,
        title=clean_patent_title(_choose_lens_text(biblio.invention_title or ()), number),
        url=_LENS_PAGE + quote(item.lens_id),
        source=SPEC.name,
        office=number.office,
        kind_code=number.kind,
        abstract=clean_patent_abstract(
            abstract if isinstance(abstract, str) else _choose_lens_text(abstract or ())
        ),
        assignees=clean_party_names(one.extracted_name.value for one in parties.applicants or ()),
        inventors=clean_party_names(one.extracted_name.value for one in parties.inventors or ()),
        filed=parse_patent_day(filing.date if filing else None),
        granted=parse_patent_day(status.grant_date),
        status=clean_markup(status.patent_status) or None,
        also_published_as=normalize_family_numbers(_list_member_numbers(item), own=number.normalized),
        cpc_codes=tuple(
            code for one in codes if (code := normalize_class_code(one.symbol[:30]))
        )[:MAX_CLASS_CODES],
    )  # fmt: skip


def _choose_lens_text(texts: tuple[_LensText, ...]) -> str:
    """The English text, else the first."""
    ordered = sorted(texts, key=lambda one: one.lang != "en")
    return next((text for one in ordered if (text := clean_markup(one.text))), "")


def _list_member_numbers(item: _LensPatent) -> list[str]:
    family = (item.families or _LensFamilies()).simple_family or _LensFamily()
    documents = [member.document_id for member in family.members or ()]
    return [f"{one.jurisdiction}{one.doc_number}{one.kind or ''}" for one in documents]
