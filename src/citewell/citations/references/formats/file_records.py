"""Records of bibliography files: of tagged lines (RIS, MEDLINE, EndNote, Web of Science) and of XML.

Damaged XML is read as far as possible.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from citewell.citations.references import reference_fields
from citewell.citations.references.reference_fields import (
    MAX_RECORDS,
    RECORDS_LIMIT_REASON,
    BibliographyDocument,
    LineIndex,
    MalformedEntry,
    Reference,
    clean_reference_value,
)
from citewell.core.values.paper import PaperId, WorkAuthor
from citewell.text.safety.xml_trees import ExcessiveXml, UnusableXml, parse_xml_tree

_PAGE_DASHES = str.maketrans("–—‐‑", "----")


@dataclass(slots=True)
class TaggedRecord:
    """The values of one record by tag; a value has the lines that it was written on."""

    line: int
    lines: list[str] = field(default_factory=list)
    values: dict[str, list[list[str]]] = field(default_factory=lambda: defaultdict(list))
    # The lines of the value that an untagged line continues.
    open_value: list[str] = field(default_factory=list)

    def add_value(self, tag: str, value: str) -> None:
        self.open_value = [value]
        self.values[tag].append(self.open_value)

    def list_values(self, *tags: str) -> list[str]:
        """All non-empty values of the first of these tags that has any."""
        for tag in tags:
            found = [
                clean_reference_value("\n".join(pieces)) for pieces in self.values.get(tag, ())
            ]
            if any(found):
                return [value for value in found if value]
        return []

    def list_lines(self, *tags: str) -> list[str]:
        """Like `list_values`, for tags whose every line is a value of its own."""
        for tag in tags:
            found = [
                clean_reference_value(line)
                for pieces in self.values.get(tag, ())
                for line in pieces
            ]
            if any(found):
                return [value for value in found if value]
        return []

    def first_value(self, *tags: str) -> str:
        return next(iter(self.list_values(*tags)), "")


@dataclass(slots=True)
class RecordCollector:
    """Collects records until the limit of one document, and builds the document."""

    format: str
    build: Callable[[TaggedRecord], Reference]
    references: list[Reference] = field(default_factory=list)
    malformed: list[MalformedEntry] = field(default_factory=list)

    def add_record(self, record: TaggedRecord | None) -> None:
        if record is not None and record.values:
            self.references.append(self.build(record))

    def report_damage(self, line: int, reason: str, excerpt: str = "") -> None:
        self.malformed.append(
            MalformedEntry(line=line, reason=reason, excerpt=clean_reference_value(excerpt)[:120])
        )

    def is_full(self, line: int) -> bool:
        """Whether no more records are read; if so, the report says it."""
        if len(self.references) + len(self.malformed) < MAX_RECORDS:
            return False
        self.report_damage(line, RECORDS_LIMIT_REASON)
        return True

    def build_document(self) -> BibliographyDocument:
        if not self.references and not self.malformed:
            self.report_damage(1, "No record was found.")
        return BibliographyDocument(
            format=self.format, references=tuple(self.references), malformed=tuple(self.malformed)
        )


def collect_tagged_records(
    text: str,
    collector: RecordCollector,
    *,
    match_line: Callable[[str], re.Match[str] | None],
    begins_record: Callable[[str, bool], bool],
) -> BibliographyDocument:
    """The document of lines with a tag and a value; a line without a tag continues the value before.

    `begins_record` is given a tag, and whether there was a blank line since the last one.
    """
    record: TaggedRecord | None = None
    was_blank = False
    for number, line in enumerate(text.split("\n"), start=1):
        match = match_line(line)
        if match is None:
            was_blank = was_blank or not line.strip()
            if record is not None and line.strip():
                record.lines.append(line)
                record.open_value.append(line)
            elif line.strip():
                collector.report_damage(number, "This is not part of any record.", line)
            continue
        if record is not None and begins_record(match[1], was_blank):
            collector.add_record(record)
            record = None
            if collector.is_full(number):
                break
        record = record or TaggedRecord(line=number)
        record.lines.append(line)
        record.add_value(match[1], match[2] or "")
        was_blank = False
    collector.add_record(record)
    return collector.build_document()


def parse_record_people(names: Iterable[str]) -> tuple[tuple[WorkAuthor, ...], bool]:
    """The people, and whether the list ends in "et al."."""
    named = [name for name in names if name.strip(" ,;.")]
    people = tuple(
        reference_fields.parse_whole_name(name)
        for name in named
        if name.lower() not in reference_fields.AND_OTHERS_NAMES
    )
    return people, len(people) < len(named)


def parse_initials_name(name: str) -> WorkAuthor:
    """A person written as "Smith JA" or "van der Berg J Jr", the way MEDLINE does it."""
    words = name.replace(",", " ").split()
    suffix = words.pop() if len(words) > 2 and words[-1] in {"Jr", "Sr", "2nd", "3rd"} else ""
    if len(words) > 1 and words[-1].isalpha() and words[-1].isupper() and len(words[-1]) < 5:
        return reference_fields.build_person(
            family=" ".join(words[:-1]), given=" ".join(words[-1]), suffix=suffix
        )
    return reference_fields.parse_whole_name(name)


def join_page_numbers(first: str, last: str) -> str:
    """A range of pages; the second number may be missing, or already be part of the first."""
    first, last = (clean_page_range(part) for part in (first, last))
    if first and last and "-" not in first and first != last:
        return f"{first}-{last}"
    return first or last


def clean_page_range(pages: str) -> str:
    """The pages with plain hyphens and without "pp."."""
    plain = pages.translate(_PAGE_DASHES).replace("--", "-").strip(" .")
    for label in ("pp.", "pp ", "p.", "p "):
        plain = plain.removeprefix(label).strip()
    return plain.replace(" - ", "-")


def collect_field_ids(
    *, doi: str = "", pmid: str = "", pmcid: str = "", isbn: str = "", urls: Iterable[str] = ()
) -> tuple[PaperId, ...]:
    """The identifiers that separate fields of a record state."""
    return reference_fields.order_paper_ids(
        reference_fields.parse_doi_id(doi),
        reference_fields.parse_pmid_id(pmid),
        reference_fields.parse_pmcid_id(pmcid),
        reference_fields.parse_isbn_id(isbn),
        *reference_fields.find_ids_in_addresses(urls),
    )


def expand_short_pages(pages: str) -> str:
    """Pages as PubMed shortens them, in full: 436-44 is 436-444."""
    plain = clean_page_range(pages)
    first, dash, last = plain.partition("-")
    if dash and first.isdigit() and last.isdigit() and len(last) < len(first):
        return f"{first}-{first[: len(first) - len(last)]}{last}"
    return plain


# Reads the records of XML bibliographies, without namespaces.

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


def parse_xml_bibliography(
    text: str, *, form: str, names: Sequence[str], build: Callable[[XmlRecord], Reference]
) -> BibliographyDocument:
    """A reference, made by `build`, for every element with one of these names."""
    found = read_xml_records(text, *names)
    read = tuple(map(build, found.records))
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
