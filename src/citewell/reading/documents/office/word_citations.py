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

from citewell.reading.documents import xml_tree
from citewell.reading.documents.document_packages import ZipDocument
from citewell.reading.documents.document_text import DocumentLimits

MAX_FIELD_CHARS = 5_000_000
# Private characters around the text of a citation; the number of its field is between the first two.
_CITATION_START, _NUMBER_END, CITATION_END_MARK = "\ue0b0", "\ue0b1", "\ue0b2"
CITATION_MARK_PATTERN = re.compile(
    f"{_CITATION_START}(\\d{{1,6}}){_NUMBER_END}|{CITATION_END_MARK}"
)
_CITATION_CODE_PATTERN = re.compile(
    r"\s{0,20}(?:ADDIN\s{1,5})?(?:ZOTERO_ITEM\s|CSL_CITATION|EN\.CITE(?!\.)|Mendeley Citation|CITATION\s)"
)
_MENDELEY_TAG = "MENDELEY_CITATION_v3_"

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
        root = xml_tree.parse_xml_bytes(content)
        for mark in xml_tree.find_descendants(root, "reference-mark-start", "bookmark-start"):
            collect_csl_items(xml_tree.find_xml_attribute(mark, "name"), items)
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
    for citation in cited if isinstance(cited, list) else ():
        item = citation.get("itemData") if isinstance(citation, dict) else None
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


# The fields and content controls in which reference managers keep their citations in Word.


class CitationFields:
    """Collects what citation fields hold, in the order in which their marks are made."""

    def __init__(self) -> None:
        self.codes: list[tuple[str, ...]] = []  # the codes and data of each field

    def open_mark(self, codes: list[str]) -> str:
        """The mark before the text of a citation field; empty for a field of another kind."""
        if not any(_CITATION_CODE_PATTERN.match(code) for code in ("".join(codes), *codes)):
            return ""
        self.codes.append(("".join(codes), *codes))
        return f"{_CITATION_START}{len(self.codes) - 1}{_NUMBER_END}"


def decode_field_data(begin: Element) -> Iterator[str]:
    """The data that stands beside the beginning of a field, as EndNote writes it."""
    data = xml_tree.find_child_element(begin, "fldData")
    if data is not None and data.text:
        yield _decode_base64(data.text)


def decode_control_tag(tag: str) -> Iterator[str]:
    """The citation in the tag of a content control, as newer versions of Mendeley write it."""
    if tag.startswith(_MENDELEY_TAG):
        yield f"CSL_CITATION {_decode_base64(tag.removeprefix(_MENDELEY_TAG))}"


def _decode_base64(text: str) -> str:
    """The decoded text, or empty if it is none; EndNote's data may be UTF-16."""
    try:
        raw = base64.b64decode("".join(text[:MAX_FIELD_CHARS].split()), validate=False)
    except (binascii.Error, ValueError):
        return ""
    return raw.decode("utf-16-le" if raw[1:2] == b"\0" else "utf-8", "replace").rstrip("\0")
