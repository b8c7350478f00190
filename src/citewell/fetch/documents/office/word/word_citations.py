"""Finds the works that citation programs keep in a document: Zotero, Mendeley, EndNote, Word itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import DocumentLimits
from citewell.fetch.documents.office.word.word_fields import (
    MAX_FIELD_CHARS,
    decode_control_tag,
    decode_field_data,
)
from citewell.fetch.documents.zip_archive import ZipDocument

_TEXT_PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_SOURCE_PARTS = tuple(f"customXml/item{number}.xml" for number in range(1, 21))
_SOURCE_NAMESPACE = b"officeDocument/2006/bibliography"
_CSL_FIELD_PATTERN = re.compile(r"\s{0,20}(?:ADDIN )?(?:ZOTERO_ITEM )?CSL_CITATION\s{0,20}")
_ENDNOTE_START = "<EndNote>"
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
                collect_csl_items(field, items)
                records.update(dict.fromkeys(iterate_endnote_records(field)))
    stored = [*wrap_csl_items(items), *wrap_endnote_records(list(records))]
    return (*stored, *iterate_word_sources(archive))


def iterate_word_sources(archive: ZipDocument) -> Iterator[StoredCitations]:
    """The lists of sources that Word itself keeps."""
    for name in _SOURCE_PARTS:
        part = archive.find_member(name)
        if part is not None and _SOURCE_NAMESPACE in part[:5000]:
            text = part.decode("utf-8", "replace").removeprefix("\ufeff")
            yield StoredCitations(program="Word", format="word-xml", text=text)


def read_odt_citations(body: bytes, limits: DocumentLimits) -> tuple[StoredCitations, ...]:
    """The works that Zotero keeps in the names of reference marks."""
    items: dict[str, Any] = {}
    content = ZipDocument(body, limits).find_member("content.xml")
    if content is not None:
        for element in xml_tree.parse_xml_bytes(content).iter():
            if xml_tree.strip_namespace(element) in {"reference-mark-start", "bookmark-start"}:
                collect_csl_items(xml_tree.find_xml_attribute(element, "name"), items)
    return tuple(wrap_csl_items(items))


def _iterate_field_texts(root: Element) -> Iterator[str]:
    """The codes and the data of fields, and the tags of content controls."""
    open_fields: list[list[str]] = []
    for element in root.iter():
        name = xml_tree.strip_namespace(element)
        if name == "fldChar":
            kind = xml_tree.find_xml_attribute(element, "fldCharType")
            if kind == "begin":
                open_fields.append([])
                yield from decode_field_data(element)
            elif kind == "end" and open_fields:
                yield "".join(open_fields.pop())
        elif name == "instrText" and open_fields:
            open_fields[-1].append(element.text or "")
        elif name == "fldSimple":
            yield xml_tree.find_xml_attribute(element, "instr")
        elif name == "tag":
            yield from decode_control_tag(xml_tree.find_xml_attribute(element, "val"))
    yield from map("".join, open_fields)


def collect_csl_items(field: str, items: dict[str, Any]) -> None:
    """Adds the works of a field with CSL-JSON, each under what identifies it."""
    match = _CSL_FIELD_PATTERN.match(field)
    if match is None or len(field) > MAX_FIELD_CHARS:
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


def iterate_endnote_records(field: str) -> Iterator[str]:
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


def wrap_csl_items(items: dict[str, Any]) -> Iterator[StoredCitations]:
    if items:
        text = json.dumps(list(items.values()), ensure_ascii=False)
        yield StoredCitations(program="Zotero or Mendeley", format="csl-json", text=text)


def wrap_endnote_records(records: list[str]) -> Iterator[StoredCitations]:
    if records:
        text = f"<xml><records>{''.join(records)}</records></xml>"
        yield StoredCitations(program="EndNote", format="endnote-xml", text=text)
