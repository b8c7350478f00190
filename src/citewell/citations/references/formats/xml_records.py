"""Reads the records of XML bibliographies without namespaces; damaged XML is read as far as possible."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from citewell.citations.reference import BibliographyDocument, MalformedEntry, Reference
from citewell.citations.references.reference_fields import (
    MAX_RECORDS,
    RECORDS_LIMIT_REASON,
    LineIndex,
    clean_reference_value,
)
from citewell.text.safety.xml_trees import ExcessiveXml, UnusableXml, parse_xml_tree

_MAX_RECORD_DEPTH = 60
_MAX_RECORD_ELEMENTS = 2_000_000
_ROOT_TAG_PATTERN = re.compile(r"<(?![?!])[^<>]{1,5000}>")
_TAG_NAME_PATTERN = re.compile(r"<([^\s<>/]{1,200})")
_DECLARATION_PATTERN = re.compile(r"\s{0,100}<\?xml[^<>]{0,300}\?>")
_XML_FORBIDDEN_PATTERN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class XmlRecord:
    element: Element
    line: int
    raw: str = ""


@dataclass(frozen=True, slots=True)
class XmlRecords:
    """The records that could be read, and the damage."""

    records: tuple[XmlRecord, ...]
    malformed: tuple[MalformedEntry, ...] = ()


def read_xml_records(text: str, *names: str) -> XmlRecords:
    """The elements with one of these names; those inside another one belong to it.

    If the XML is damaged, every record is parsed on its own, and the damage is reported by line.
    """
    spans = _find_record_spans(text, names)
    lines = LineIndex(text)
    try:
        root = parse_plain_tree(text)
    except UnusableXml as error:
        if isinstance(error, ExcessiveXml):
            return XmlRecords((), (MalformedEntry(line=1, reason=str(error)),))
        damage = MalformedEntry(line=find_error_line(error), reason=describe_xml_error(error))
        whole = tuple(_salvage_records(text, spans, lines))
        return XmlRecords(whole, (damage,))
    elements = list(_iterate_outermost(root, frozenset(names)))
    places = [lines.find_line_number(start) for start, _ in spans]
    if len(places) != len(elements):
        places = [1] * len(elements)
    raws = [text[start:end] for start, end in spans] if len(spans) == len(elements) else []
    records = [
        XmlRecord(element, line, raws[place] if raws else "")
        for place, (element, line) in enumerate(zip(elements, places, strict=True))
    ]
    too_many = len(records) > MAX_RECORDS
    return XmlRecords(
        tuple(records[:MAX_RECORDS]),
        (MalformedEntry(line=records[MAX_RECORDS].line, reason=RECORDS_LIMIT_REASON),)
        if too_many
        else (),
    )


def parse_plain_tree(text: str) -> Element:
    """The root, with names and attributes without their namespaces; raises UnusableXml."""
    # The text is decoded already, whatever its declaration says.
    body = _XML_FORBIDDEN_PATTERN.sub(" ", _DECLARATION_PATTERN.sub("", text, count=1))
    skipped = text[: len(text) - len(body)].count("\n") if len(body) < len(text) else 0
    root = parse_xml_tree(
        ("\n" * skipped + body).encode("utf-8", "replace"),
        charset="utf-8",
        max_depth=_MAX_RECORD_DEPTH,
        max_elements=_MAX_RECORD_ELEMENTS,
    )
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        if any("}" in key for key in element.attrib):
            element.attrib = {
                key.rpartition("}")[2]: value for key, value in element.attrib.items()
            }
    return root


def build_xml_document(
    form: str, found: XmlRecords, references: Iterable[Reference]
) -> BibliographyDocument:
    read = tuple(references)
    damage = found.malformed
    if not read and not damage:
        damage = (MalformedEntry(line=1, reason="No record was found."),)
    return BibliographyDocument(format=form, references=read, malformed=damage)


def extract_xml_text(element: Element | None, path: str = ".") -> str:
    """The cleaned text of the first element at the path that has any; empty if there is none."""
    if element is None:
        return ""
    return next(iter(list_xml_texts(element, path)), "")


def list_xml_texts(element: Element | None, path: str) -> list[str]:
    """The cleaned non-empty texts of all elements at the path."""
    if element is None:
        return []
    texts = (clean_reference_value("".join(child.itertext())) for child in element.iterfind(path))
    return [text for text in texts if text]


def find_error_line(error: UnusableXml) -> int:
    """The line at which the XML stops being well formed; 1 if it is not known."""
    line = getattr(error.__cause__, "lineno", 1)
    return line if isinstance(line, int) and line > 0 else 1


def describe_xml_error(error: UnusableXml) -> str:
    reason = str(error.__cause__ or "").partition(":")[0]
    shown = f" ({reason})" if reason else ""
    return f"The XML is not well formed in line {find_error_line(error)}{shown}; whole records before and after were read."


def _iterate_outermost(root: Element, names: frozenset[str]) -> Iterator[Element]:
    if root.tag in names:
        yield root
        return
    for child in root:
        yield from _iterate_outermost(child, names)


def _find_record_spans(text: str, names: Sequence[str]) -> list[tuple[int, int]]:
    """The offsets of records in the text, from the start tag to the end tag of the same name."""
    tag_pattern = re.compile(
        rf"<(/?)(?:[\w.-]{{1,40}}:)?(?:{'|'.join(map(re.escape, names))})(?=[\s>/])[^<>]{{0,5000}}>"
    )
    spans: list[tuple[int, int]] = []
    start, depth = 0, 0
    for match in tag_pattern.finditer(text):
        if match[1]:
            depth -= 1
            if depth == 0:
                spans.append((start, match.end()))
            depth = max(depth, 0)
        elif not match[0].endswith("/>"):
            if depth == 0:
                start = match.start()
            depth += 1
    return spans


def _salvage_records(
    text: str, spans: Iterable[tuple[int, int]], lines: LineIndex
) -> Iterator[XmlRecord]:
    """Every record that is well formed on its own, in the namespaces of the root."""
    opening = _ROOT_TAG_PATTERN.search(text[:100_000])
    name = _TAG_NAME_PATTERN.match(opening[0]) if opening else None
    for number, (start, end) in enumerate(spans):
        if number >= MAX_RECORDS or opening is None or name is None:
            return
        raw = text[start:end]
        head, tail = (opening[0], f"</{name[1]}>") if start > opening.start() else ("", "")
        try:
            root = parse_plain_tree(f"{head}{raw}{tail}")
        except UnusableXml:
            continue
        yield XmlRecord(root[0] if head else root, lines.find_line_number(start), raw)
