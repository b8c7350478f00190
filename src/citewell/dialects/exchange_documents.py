"""Reads the EPO's exchange documents: bibliographic data of publications in XML."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote
from xml.etree.ElementTree import Element

from citewell.dialects.patent_records import (
    MAX_CLASS_CODES,
    clean_party_names,
    clean_patent_abstract,
    clean_patent_title,
    parse_patent_day,
)
from citewell.dialects.xml_responses import extract_element_text
from citewell.errors import MalformedResponse
from citewell.model.domains.patent import PatentRecord
from citewell.text.patents.kind_codes import is_granted_kind
from citewell.text.patents.patent_numbers import format_docdb_number, parse_patent_number

EXCHANGE_NAMESPACE = "{http://www.epo.org/exchange}"
OPS_NAMESPACE = "{http://ops.epo.org}"
_X, _OPS = EXCHANGE_NAMESPACE, OPS_NAMESPACE
_ESPACENET = "https://worldwide.espacenet.com/patent/search?q=pn%3D"


def parse_exchange_documents(root: Element, *, source: str) -> Iterator[PatentRecord]:
    """The publications in a response; those without a readable number are left out."""
    documents = root.findall(f".//{_X}exchange-document")
    parsed = (_parse_exchange_document(document, source) for document in documents)
    records = [record for record in parsed if record]
    if documents and not records:
        message = "None of the publications in the response has a number."
        raise MalformedResponse(message, provider=source)
    return iter(records)


def list_family_numbers(root: Element) -> list[str]:
    """The publications of a family, as the service for families and legal events lists them."""
    path = f".//{_OPS}family-member/{_X}publication-reference/{_X}document-id"
    found = (one for one in root.findall(path) if one.get("document-id-type") == "docdb")
    names = (f"{_X}country", f"{_X}doc-number", f"{_X}kind")
    return ["".join(extract_element_text(one, name) for name in names) for one in found]


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
    ordered = sorted(found, key=lambda one: one.get("lang") != "en")
    return next((text for text in map(extract_element_text, ordered) if text), "")


def _collect_exchange_parties(data: Element | None, role: str) -> tuple[str, ...]:
    """Names in the office's own spelling; in the EPO's upper-case form if there is no other."""
    found = data.findall(f".//{_X}parties//{_X}{role}") if data is not None else []
    chosen = [one for one in found if one.get("data-format") == "original"] or found
    return clean_party_names(extract_element_text(one, f".//{_X}name") for one in chosen)


def _find_document_day(data: Element | None, reference: str) -> str | None:
    found = data.findall(f"{_X}{reference}/{_X}document-id/{_X}date") if data is not None else []
    return next((day for one in found if (day := parse_patent_day(one.text))), None)


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
