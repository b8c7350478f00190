"""Parses formats whose lines begin with a tag: RIS, EndNote (.enw) and Web of Science."""

from __future__ import annotations

import re

from citewell.citations.references import reference_fields
from citewell.citations.references.formats import csl_table_references, file_records
from citewell.citations.references.formats.file_records import RecordCollector, TaggedRecord
from citewell.citations.references.reference_fields import (
    MAX_RECORDS,
    RECORDS_LIMIT_REASON,
    BibliographyDocument,
    MalformedEntry,
    Reference,
    extract_damage_excerpt,
)
from citewell.core.values.paper import PaperId
from citewell.text.calendar_dates import extract_year, parse_partial_date
from citewell.text.data_tables import load_texts

_WOS_TAG_PATTERN = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|[ \t]{0,5})")
_FILE_TAGS = frozenset({"FN", "VR", "EF"})  # of the file, not of a record
_PUBLICATION_KINDS = {"J": "article-journal", "B": "book", "S": "chapter", "P": "patent"}
_DOCUMENT_KINDS = {
    "proceedings paper": "paper-conference", "book chapter": "chapter", "book": "book",
    "data set": "dataset", "data paper": "article-journal", "software": "software",
    "dissertation/thesis": "thesis",
}  # fmt: skip

_TAG_LINE_PATTERN = re.compile(r"[ \t]{0,8}%([0-9A-Z@!?+~^$&()\[\]<>*#|=])(?:[ \t](.*)|$)")

_RIS_TAG_LINE_PATTERN = re.compile(r"[ \t]{0,8}([A-Z][A-Z0-9])[ \t]{0,3}[-–](?:[ \t]|$)(.*)")
_RIS_LINK_PATTERN = re.compile(r"https?://[^\s;]+")
# Only the first of these that a record has is used.
_RIS_AUTHOR_TAGS = ("AU", "A1", "A2", "A3", "ED")
_RIS_VENUE_TAGS = ("JF", "JO", "T2", "BT", "J2", "JA", "J1")


class _RisReader:
    """Reads a document line by line; lines outside records are reported as damage."""

    def __init__(self) -> None:
        self.references: list[Reference] = []
        self.malformed: list[MalformedEntry] = []
        self._record: TaggedRecord | None = None
        self._stray: list[str] = []
        self._stray_line = 0

    def read_line(self, number: int, line: str) -> None:
        match = _RIS_TAG_LINE_PATTERN.match(line)
        if match is None:
            self._read_untagged_line(number, line)
            return
        self._report_stray_lines()
        if match[1] == "ER":
            if self._record is None:
                self._report_record_damage(number, "This ER line ends no record.", [])
            else:
                self._close_record()
            return
        if match[1] == "TY" and self._record is not None:
            self._close_record(damage="This record has no ER line.")
        if self._record is None:
            self._record = TaggedRecord(line=number)
        self._record.lines.append(line)
        self._record.add_value(match[1], match[2])

    def finish_document(self) -> None:
        self._report_stray_lines()
        if self._record is not None:
            self._close_record(damage="This record has no ER line.")

    def _read_untagged_line(self, number: int, line: str) -> None:
        if not line.strip():
            return
        if self._record is not None:
            self._record.lines.append(line)
            self._record.open_value.append(line)
            return
        self._stray_line = self._stray_line or number
        self._stray.append(line)

    def _report_stray_lines(self) -> None:
        """Reports the collected lines that belong to no record."""
        if self._stray:
            self._report_record_damage(
                self._stray_line, "This is not part of any record.", self._stray
            )
        self._stray, self._stray_line = [], 0

    def _close_record(self, *, damage: str = "") -> None:
        record, self._record = self._record, None
        if record is None:
            return
        if "TY" not in record.values:
            damage = "This record has no TY line."
        if damage:
            self._report_record_damage(record.line, damage, record.lines)
        self.references.append(_build_ris_reference(record))

    def _report_record_damage(self, line: int, reason: str, lines: list[str]) -> None:
        shown = extract_damage_excerpt(" ".join(lines[:20]))
        self.malformed.append(MalformedEntry(line=line, reason=reason, excerpt=shown))


def parse_ris_document(text: str) -> BibliographyDocument:
    reader = _RisReader()
    for number, line in enumerate(text.split("\n"), start=1):
        reader.read_line(number, line)
        if len(reader.references) + len(reader.malformed) >= MAX_RECORDS:
            reader.malformed.append(MalformedEntry(line=number, reason=RECORDS_LIMIT_REASON))
            break
    reader.finish_document()
    return BibliographyDocument(
        format="ris", references=tuple(reader.references), malformed=tuple(reader.malformed)
    )


def _build_ris_reference(record: TaggedRecord) -> Reference:
    published = parse_partial_date(record.first_value("DA", "PY", "Y1"))
    year = parse_partial_date(record.first_value("PY", "Y1", "DA"))
    urls = [
        link
        for value in record.list_values("UR", "L2", "L1", "LK")
        for link in _RIS_LINK_PATTERN.findall(value)
    ]
    names = record.list_values(*_RIS_AUTHOR_TAGS)
    people = [
        reference_fields.parse_whole_name(name)
        for name in names
        if name.lower() not in reference_fields.AND_OTHERS_NAMES
    ]
    kind = load_texts(__package__, "ris_references", "ris_kinds").get(
        record.first_value("TY").upper(), ""
    )
    # What has a DOI and is called unpublished is a preprint.
    ris_kind = "article" if kind == "manuscript" and record.first_value("DO", "DI") else kind
    first, last = record.first_value("SP"), record.first_value("EP")
    return Reference(
        raw="\n".join(record.lines),
        title=record.first_value("TI", "T1", "CT", "BT", "ST"),
        authors=tuple(people),
        year=extract_year(year),
        published=published if published[:4] == year[:4] else year,
        venue=record.first_value(*_RIS_VENUE_TAGS),
        volume=record.first_value("VL"),
        issue=record.first_value("IS", "CP"),
        pages=f"{first}-{last}"
        if first and last and "-" not in first and first != last
        else (first or last).replace("–", "-"),
        publisher=record.first_value("PB"),
        url=urls[0] if urls else "",
        ids=_collect_ris_ids(record, urls),
        kind=ris_kind,
        key=record.first_value("ID", "LB"),
        line=record.line,
        and_others=len(people) < len(names),
    )


def _collect_ris_ids(record: TaggedRecord, urls: list[str]) -> tuple[PaperId, ...]:
    notes = " ".join(record.list_values("N1") + record.list_values("M3") + record.list_values("C7"))
    return reference_fields.order_paper_ids(
        reference_fields.parse_doi_id(record.first_value("DO", "DI")),
        *reference_fields.find_ids_in_addresses(urls),
        reference_fields.parse_doi_id(notes),
        reference_fields.parse_arxiv_id(notes) if "arxiv" in notes.lower() else None,
        reference_fields.parse_pmid_id(record.first_value("AN"))
        if "pubmed" in record.first_value("DB").lower()
        else None,
        reference_fields.parse_pmcid_id(record.first_value("C2")),
        reference_fields.parse_isbn_id(record.first_value("SN", "BN")),
    )


# Parses tagged EndNote files (.enw), also called refer: %0 for the type, %A, %T, %J and so on.


def parse_enw_document(text: str) -> BibliographyDocument:
    # A blank line may also be inside an abstract, so only what can start a record ends one.
    return file_records.collect_tagged_records(
        text,
        RecordCollector(format="enw", build=_build_enw_reference),
        match_line=_TAG_LINE_PATTERN.match,
        begins_record=lambda tag, was_blank: tag == "0" or (was_blank and tag in {"A", "T"}),
    )


def _build_enw_reference(record: TaggedRecord) -> Reference:
    people, and_others = file_records.parse_record_people(record.list_values("A", "E", "Q", "Y"))
    published = parse_partial_date(record.first_value("D"))
    exact = parse_partial_date(f"{record.first_value('8')} {published[:4]}")
    urls = record.list_values("U")
    return Reference(
        raw="\n".join(record.lines),
        title=record.first_value("T", "!"),
        authors=people,
        year=extract_year(published or exact),
        published=exact if exact[:4] == published[:4] or not published else published,
        venue=record.first_value("J", "B", "S"),
        volume=record.first_value("V"),
        issue=record.first_value("N"),
        pages=file_records.clean_page_range(record.first_value("P")),
        publisher=record.first_value("I"),
        url=urls[0] if urls else "",
        ids=file_records.collect_field_ids(
            doi=record.first_value("R"), isbn=record.first_value("@"), urls=urls
        ),
        kind=load_texts(__package__, "endnote_tagged", "endnote_kinds").get(
            record.first_value("0").lower(), ""
        ),
        key=record.first_value("F"),
        line=record.line,
        and_others=and_others,
    )


# Parses Web of Science exports: "plain text" with two-letter tags, and tab-delimited tables.


def parse_wos_document(text: str) -> BibliographyDocument:
    if "\t" in text[: text.find("\n") + 1 or len(text)]:
        return csl_table_references.parse_table_document(text, form="wos")
    collector = RecordCollector(format="wos", build=_build_wos_reference)
    record: TaggedRecord | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        match = _WOS_TAG_PATTERN.fullmatch(line)
        tag, value = (match[1], match[2] or "") if match else ("", "")
        if tag == "ER" or (tag == "PT" and record is not None):
            if tag == "PT" and record is not None:
                collector.report_damage(record.line, "This record has no ER line.", record.lines[0])
            collector.add_record(record)
            record = None
            if collector.is_full(number):
                break
        if tag and tag not in _FILE_TAGS and tag != "ER":
            record = record or TaggedRecord(line=number)
            record.lines.append(line)
            record.add_value(tag, value)
        elif not tag and record is not None and line.strip():
            record.lines.append(line)
            record.open_value.append(line)
    if record is not None:
        collector.report_damage(record.line, "This record has no ER line.", record.lines[0])
    collector.add_record(record)
    return collector.build_document()


def _build_wos_reference(record: TaggedRecord) -> Reference:
    people, and_others = file_records.parse_record_people(
        record.list_lines("AF", "AU", "BF", "BA", "CA", "GP", "BE")
    )
    published = parse_partial_date(
        f"{record.first_value('PD')} {record.first_value('PY')}"
    ) or parse_partial_date(record.first_value("PY", "EA"))
    kinds = record.first_value("DT").lower().split(";")
    return Reference(
        raw="\n".join(record.lines),
        title=record.first_value("TI"),
        authors=people,
        year=extract_year(published),
        published=published,
        venue=record.first_value("SO", "SE", "CT"),
        volume=record.first_value("VL"),
        issue=record.first_value("IS"),
        pages=file_records.join_page_numbers(record.first_value("BP"), record.first_value("EP"))
        or record.first_value("AR"),
        publisher=record.first_value("PU"),
        ids=file_records.collect_field_ids(
            doi=record.first_value("DI", "D2"),
            pmid=record.first_value("PM"),
            isbn=record.first_value("BN"),
        ),
        kind=next(
            (_DOCUMENT_KINDS[kind.strip()] for kind in kinds if kind.strip() in _DOCUMENT_KINDS),
            _PUBLICATION_KINDS.get(record.first_value("PT"), ""),
        ),
        key=record.first_value("UT"),
        line=record.line,
        and_others=and_others,
    )
