"""Open Patent Services of the European Patent Office: bibliographic data of all offices; needs a key."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from urllib.parse import quote
from xml.etree.ElementTree import Element

from pydantic import Field

from citewell.core import errors
from citewell.domains.patents.patent_answers import is_granted_kind
from citewell.domains.patents.patent_numbers import (
    PatentNumber,
    format_docdb_number,
    parse_patent_number,
    require_patent_number,
)
from citewell.domains.patents.patent_records import PatentHits, PatentQuery, PatentRecord
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.net.upstream.xml_responses import extract_element_text, read_xml_tree
from citewell.providers.dialects.google_patent_results import (
    MAX_CLASS_CODES,
    clean_party_names,
    clean_patent_abstract,
    clean_patent_title,
    normalize_family_numbers,
    parse_patent_day,
    select_applied_filters,
)
from citewell.routing.ports import Offer, ProviderKit, ProviderSpec, require_key
from citewell.text.safety.secret_masking import mask_secrets

EXCHANGE_NAMESPACE = "{http://www.epo.org/exchange}"
OPS_NAMESPACE = "{http://ops.epo.org}"
_X, _OPS = EXCHANGE_NAMESPACE, OPS_NAMESPACE
_ESPACENET = "https://worldwide.espacenet.com/patent/search?q=pn%3D"

_APPLIED = frozenset({"patent_office", "assignee", "inventor", "cpc_code"})
SPEC = ProviderSpec(
    name="epo",
    title="EPO Open Patent Services",
    homepage="https://developers.epo.org",
    base_url="https://ops.epo.org/3.2",
    offers=frozenset({Offer.PATENTS}),
    options=(
        require_key("EPO_OPS_CONSUMER_KEY", "Consumer key of an app at developers.epo.org."),
        require_key("EPO_OPS_CONSUMER_SECRET", "Consumer secret of the same app."),
    ),
    applied_arguments={Offer.PATENTS: _APPLIED},
    max_results=25,
    per_second=0.5,
    burst=3,
    rank=20,
    covers_whole_web=False,
    terms="Free registration; 4 GB a week; the EPO is to be named as the source.",
    test_evidence="recorded lookups by number; the search and faults in their documented shape",
)

_TOKEN_SPARE_SECONDS = 60.0
_DEFAULT_TOKEN_SECONDS = 900.0
_MAX_QUERY_WORDS = 10  # OPS takes at most 20 conditions
_MAX_FAULT_CHARS = 300
_STATED = (400, 401, 403, 404, 413)


class _TokenResponse(wire.JsonResponse):
    access_token: str = Field(min_length=1)
    expires_in: wire.OptionalField[float] = None  # seconds, sent as a string


class Provider:
    def __init__(self, kit: ProviderKit, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._upstream = kit.upstream
        key = kit.find_option("EPO_OPS_CONSUMER_KEY") or ""
        secret = kit.find_option("EPO_OPS_CONSUMER_SECRET") or ""
        self._basic = base64.b64encode(f"{key}:{secret}".encode()).decode()
        self._clock = clock
        self._token: str | None = None
        self._expires_at = 0.0

    async def search_patents(self, query: PatentQuery) -> PatentHits:
        if query.numbers:
            return PatentHits(patents=await self._look_up_numbers(query))
        response = await self._fetch_service(
            "/rest-services/published-data/search/biblio",
            {"q": _build_cql_query(query)},
            {"X-OPS-Range": f"1-{min(query.count, SPEC.max_results)}"},
        )
        if response is None:
            return PatentHits(applied=select_applied_filters(query, _APPLIED))
        root = read_epo_tree(response)
        return PatentHits(
            patents=tuple(parse_exchange_documents(root, source=SPEC.name))[: query.count],
            total=_read_total_count(root),
            applied=select_applied_filters(query, _APPLIED),
        )

    async def _look_up_numbers(self, query: PatentQuery) -> tuple[PatentRecord, ...]:
        found: dict[str, PatentRecord] = {}
        for text in query.numbers:
            place = _build_docdb_path(require_patent_number(text))
            response = await self._fetch_service(
                f"/rest-services/published-data/publication/docdb/{place}/biblio", {}, {}
            )
            if response:
                for record in parse_exchange_documents(read_epo_tree(response), source=SPEC.name):
                    found.setdefault(record.number, record)
            if found:
                break
        return await self._add_family(tuple(found.values())[: query.count])

    async def _add_family(self, records: tuple[PatentRecord, ...]) -> tuple[PatentRecord, ...]:
        """The records with the other publications of their family; without, if that request fails."""
        place = _build_docdb_path(require_patent_number(records[0].number)) if records else ""
        try:
            response = place and await self._fetch_service(
                f"/rest-services/family/publication/docdb/{place}", {}, {}
            )
            numbers = list_family_numbers(read_xml_tree(response)) if response else []
        except errors.UpstreamError:  # the publication itself was found
            return records
        return tuple(
            replace(record, also_published_as=normalize_family_numbers(numbers, own=record.number))
            for record in records
        )

    async def _fetch_service(
        self, path: str, params: dict[str, str], headers: dict[str, str]
    ) -> HttpResponse | None:
        """The response; None if the service has no such publication. An old token is renewed once."""
        for may_renew in (True, False):
            response = await self._upstream.send_get(
                path,
                params=params,
                headers={"Accept": "application/xml", **headers},
                secret_headers={"Authorization": f"Bearer {await self._require_token()}"},
                accept=_STATED,
            )
            if may_renew and (
                response.status == 401
                or (response.status == 400 and b"access_token" in response.body[:2000].lower())
            ):
                self._token = None
                continue
            break
        return None if response.status == 404 else _check_fault(response)

    async def _require_token(self) -> str:
        if self._token is None or self._clock() >= self._expires_at:
            response = await self._upstream.send_post(
                "/auth/accesstoken",
                form={"grant_type": "client_credentials"},
                secret_headers={"Authorization": f"Basic {self._basic}"},
            )
            answer = wire.read_json_response(_TokenResponse, response)
            lifetime = min(answer.expires_in or _DEFAULT_TOKEN_SECONDS, 86400.0)
            self._expires_at = self._clock() + lifetime - _TOKEN_SPARE_SECONDS
            self._token = answer.access_token
        return self._token


def _check_fault(response: HttpResponse) -> HttpResponse:
    """The response if it is no fault; else the error that its status and its XML mean."""
    status = response.status
    if 200 <= status < 300:
        return response
    detail = f"HTTP {status}"
    if status == 401:
        message = "The upstream rejected the access token."
        raise errors.AuthRequired(message, provider=SPEC.name, detail=detail, http_status=status)
    if status == 403:
        why = mask_secrets(response.headers.get("x-rejection-reason", ""))[:80]
        message = f"The quota of Open Patent Services is used up{f' ({why})' if why else ''}."
        raise errors.RateLimited(message, provider=SPEC.name, detail=detail, http_status=status)
    words = mask_secrets(_read_fault_words(response)).rstrip(". ")
    message = (
        f"The upstream refused this request: {words}." if words else "The upstream refused this."
    )
    raise errors.RejectedRequest(message, provider=SPEC.name, detail=detail, http_status=status)


def _read_fault_words(response: HttpResponse) -> str:
    try:
        root = read_xml_tree(response)
    except errors.MalformedResponse:
        return ""
    words = (
        extract_element_text(element) for element in root.iter() if element.tag.endswith("message")
    )
    return next((text for text in words if text), "")[:_MAX_FAULT_CHARS]


def read_epo_tree(response: HttpResponse) -> Element:
    """The tree of a response; raises UpstreamUnavailable for a fault, which may have status 200."""
    root = read_xml_tree(response)
    if root.tag != f"{OPS_NAMESPACE}world-patent-data":
        if root.tag.endswith("fault"):
            message = "The upstream returned a fault instead of results."
            raise errors.UpstreamUnavailable(message, provider=SPEC.name)
        message = "The response has none of the documented elements."
        raise errors.MalformedResponse(message, provider=SPEC.name)
    known = (f".//{EXCHANGE_NAMESPACE}exchange-documents", f".//{OPS_NAMESPACE}biblio-search")
    if all(root.find(path) is None for path in known):
        message = "The response holds no publications and no search result."
        raise errors.MalformedResponse(message, provider=SPEC.name)
    return root


def _build_cql_query(query: PatentQuery) -> str:
    """The query in OPS's language; `ta` is title and abstract, because the full text is noisy."""
    text = _quote_cql_words(query.text or "")
    parts = [f'ta="{text}"'] if text and query.is_phrase else [
        f'ta="{word}"' for word in text.split()[:_MAX_QUERY_WORDS]
    ]  # fmt: skip
    names = dict.fromkeys(_quote_cql_words(name) for name in query.assignees[:4])
    if names:
        parts.append("(" + " OR ".join(f'pa="{name}"' for name in names if name) + ")")
    if query.inventor:
        parts.append(f'in="{_quote_cql_words(query.inventor)}"')
    if query.office:
        parts.append(f"pn={query.office}")
    if query.cpc_code:
        parts.append(f'cpc="{query.cpc_code}"')
    if query.year_from:
        # Nothing is published before it is filed; the filing year is checked afterwards.
        parts.append(f"pd>={query.year_from}")
    return " AND ".join(parts)


def _quote_cql_words(text: str) -> str:
    return " ".join("".join(" " if sign in '"\\=<>()/' else sign for sign in text).split())


def _build_docdb_path(number: PatentNumber) -> str:
    written = f"{number.office}.{format_docdb_number(number)}"
    return quote(f"{written}.{number.kind}" if number.kind else written, safe="")


def _read_total_count(root: Element) -> int | None:
    search = root.find(f".//{OPS_NAMESPACE}biblio-search")
    stated = search.get("total-result-count", "") if search is not None else ""
    return int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 12 else None


# Reads the EPO's exchange documents: bibliographic data of publications in XML.


def parse_exchange_documents(root: Element, *, source: str) -> Iterator[PatentRecord]:
    """The publications in a response; those without a readable number are left out."""
    documents = root.findall(f".//{_X}exchange-document")
    parsed = (_parse_exchange_document(document, source) for document in documents)
    records = [record for record in parsed if record]
    if documents and not records:
        message = "None of the publications in the response has a number."
        raise errors.MalformedResponse(message, provider=source)
    return iter(records)


def list_family_numbers(root: Element) -> list[str]:
    """The publications of a family, as the service for families and legal events lists them."""
    path = f".//{_OPS}family-member/{_X}publication-reference/{_X}document-id"
    found = (
        document for document in root.findall(path) if document.get("document-id-type") == "docdb"
    )
    names = (f"{_X}country", f"{_X}doc-number", f"{_X}kind")
    return ["".join(extract_element_text(document, name) for name in names) for document in found]


def _parse_exchange_document(document: Element, source: str) -> PatentRecord | None:
    written = "".join(document.get(name, "") for name in ("country", "doc-number", "kind"))
    number = parse_patent_number(written)
    if number is None or number.is_filing or document.get("status") == "not found":
        return None
    data = document.find(f"{_X}bibliographic-data")
    published = _find_document_day(data, "publication-reference")
    family = document.get("family-id", "")
    return PatentRecord(
        number=number.normalized,
        title=clean_patent_title(_choose_language_text(data, "invention-title"), number),
        url=_ESPACENET + quote(number.office + format_docdb_number(number) + (number.kind or "")),
        source=source,
        office=number.office,
        kind_code=number.kind,
        abstract=clean_patent_abstract(_choose_language_text(document, "abstract")),
        assignees=_collect_exchange_parties(data, "applicant"),
        inventors=_collect_exchange_parties(data, "inventor"),
        filed=_find_document_day(data, "application-reference"),
        granted=published if is_granted_kind(number.office, number.kind) else None,
        family_id=family if family.isascii() and family.isdigit() else None,
        cpc_codes=tuple(dict.fromkeys(_list_class_codes(data)))[:MAX_CLASS_CODES],
    )


def _choose_language_text(parent: Element | None, name: str) -> str:
    """The English text among those in several languages, else the first."""
    found = parent.findall(f"{_X}{name}") if parent is not None else []
    ordered = sorted(found, key=lambda element: element.get("lang") != "en")
    return next((text for text in map(extract_element_text, ordered) if text), "")


def _collect_exchange_parties(data: Element | None, role: str) -> tuple[str, ...]:
    """Names in the office's own spelling; in the EPO's upper-case form if there is no other."""
    found = data.findall(f".//{_X}parties//{_X}{role}") if data is not None else []
    chosen = [party for party in found if party.get("data-format") == "original"] or found
    return clean_party_names(extract_element_text(party, f".//{_X}name") for party in chosen)


def _find_document_day(data: Element | None, reference: str) -> str | None:
    found = data.findall(f"{_X}{reference}/{_X}document-id/{_X}date") if data is not None else []
    return next((day for element in found if (day := parse_patent_day(element.text))), None)


def _list_class_codes(data: Element | None) -> Iterator[str]:
    path = f"{_X}patent-classifications/{_X}patent-classification"
    for code in data.findall(path) if data is not None else ():
        scheme = code.find(f"{_X}classification-scheme")
        if scheme is not None and not (scheme.get("scheme") or "").startswith("CPC"):
            continue
        names = ("section", "class", "subclass", "main-group")
        head = "".join(extract_element_text(code, f"{_X}{name}") for name in names)
        below = extract_element_text(code, f"{_X}subgroup")
        if head:
            yield f"{head}/{below}" if below else head
