"""Finds the works that citation programs keep in a document: Zotero, Mendeley, EndNote, Word itself."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import DocumentLimits
from citewell.fetch.documents.zip_archive import ZipDocument

_TEXT_PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_SOURCE_PARTS = tuple(f"customXml/item{number}.xml" for number in range(1, 21))
_SOURCE_NAMESPACE = b"officeDocument/2006/bibliography"
_CSL_FIELD_PATTERN = re.compile(r"\s{0,20}(?:ADDIN )?(?:ZOTERO_ITEM )?CSL_CITATION\s{0,20}")
_MENDELEY_TAG = "MENDELEY_CITATION_v3_"
_ENDNOTE_START = "<EndNote>"
_MAX_FIELD_CHARS = 5_000_000
_RECORD_START, _RECORD_END = "<record>", "</record>"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCitations:
    """Works that a program has stored in a document, in a format of bibliographies."""

    program: str
    format: str
    text: str


def read_docx_citations(body: bytes, limits: DocumentLimits) -> tuple[StoredCitations, ...]:
    """The works of every program, each work once; raises the errors of the document readers."""
    archive = ZipDocument(body, limits)
    items: dict[str, Any] = {}
    records: dict[str, None] = {}
    for name in _TEXT_PARTS:
        part = archive.find_member(name)
        if part is not None:
            for field in _iterate_field_texts(xml_tree.parse_xml_bytes(part)):
                _collect_csl_items(field, items)
                records.update(dict.fromkeys(_iterate_endnote_records(field)))
    stored = [*_wrap_csl_items(items), *_wrap_endnote_records(list(records))]
    for name in _SOURCE_PARTS:
        part = archive.find_member(name)
        if part is not None and _SOURCE_NAMESPACE in part[:5000]:
            text = part.decode("utf-8", "replace").removeprefix("\ufeff")
            stored.append(StoredCitations(program="Word", format="word-xml", text=text))
    return tuple(stored)


def read_odt_citations(body: bytes, limits: DocumentLimits) -> tuple[StoredCitations, ...]:
    """The works that Zotero keeps in the names of reference marks."""
    items: dict[str, Any] = {}
    content = ZipDocument(body, limits).find_member("content.xml")
    if content is not None:
        for element in xml_tree.parse_xml_bytes(content).iter():
            if xml_tree.strip_namespace(element) in {"reference-mark-start", "bookmark-start"}:
                _collect_csl_items(xml_tree.find_xml_attribute(element, "name"), items)
    return tuple(_wrap_csl_items(items))


def _iterate_field_texts(root: Element) -> Iterator[str]:
    """The codes and the data of fields, and the tags of content controls."""
    open_fields: list[list[str]] = []
    for element in root.iter():
        name = xml_tree.strip_namespace(element)
        if name == "fldChar":
            kind = xml_tree.find_xml_attribute(element, "fldCharType")
            if kind == "begin":
                open_fields.append([])
                yield from _decode_field_data(element)
            elif kind == "end" and open_fields:
                yield "".join(open_fields.pop())
        elif name == "instrText" and open_fields:
            open_fields[-1].append(element.text or "")
        elif name == "fldSimple":
            yield xml_tree.find_xml_attribute(element, "instr")
        elif name == "tag":
            yield from _decode_mendeley_tag(xml_tree.find_xml_attribute(element, "val"))
    yield from map("".join, open_fields)


def _decode_field_data(begin: Element) -> Iterator[str]:
    data = xml_tree.find_child_element(begin, "fldData")
    if data is not None and data.text:
        yield _decode_base64(data.text)


def _decode_mendeley_tag(tag: str) -> Iterator[str]:
    if tag.startswith(_MENDELEY_TAG):
        yield f"CSL_CITATION {_decode_base64(tag.removeprefix(_MENDELEY_TAG))}"


def _decode_base64(text: str) -> str:
    """The decoded text, or empty if it is none; EndNote's data may be UTF-16."""
    try:
        raw = base64.b64decode("".join(text[:_MAX_FIELD_CHARS].split()), validate=False)
    except (binascii.Error, ValueError):
        return ""
    return raw.decode("utf-16-le" if raw[1:2] == b"\0" else "utf-8", "replace").rstrip("\0")


def _collect_csl_items(field: str, items: dict[str, Any]) -> None:
    """Adds the works of a field with CSL-JSON, each under what identifies it."""
    match = _CSL_FIELD_PATTERN.match(field)
    if match is None or len(field) > _MAX_FIELD_CHARS:
        return
    try:
        value, _ = json.JSONDecoder().raw_decode(field, match.end())
    except (ValueError, RecursionError):
        return
    cited = value.get("citationItems") if isinstance(value, dict) else None
    for one in cited if isinstance(cited, list) else ():
        item = one.get("itemData") if isinstance(one, dict) else None
        if isinstance(item, dict) and (item.get("title") or item.get("DOI")):
            key = item.get("DOI") or f"{item.get('title')} {item.get('issued')}"
            items.setdefault(str(key).lower(), item)


def _iterate_endnote_records(field: str) -> Iterator[str]:
    start = field.find(_ENDNOTE_START)
    if start < 0:
        return
    at = start
    while (begin := field.find(_RECORD_START, at)) >= 0:
        end = field.find(_RECORD_END, begin)
        if end < 0:
            return
        at = end + len(_RECORD_END)
        yield field[begin:at]


def _wrap_csl_items(items: dict[str, Any]) -> Iterator[StoredCitations]:
    if items:
        text = json.dumps(list(items.values()), ensure_ascii=False)
        yield StoredCitations(program="Zotero or Mendeley", format="csl-json", text=text)


def _wrap_endnote_records(records: list[str]) -> Iterator[StoredCitations]:
    if records:
        text = f"<xml><records>{''.join(records)}</records></xml>"
        yield StoredCitations(program="EndNote", format="endnote-xml", text=text)
