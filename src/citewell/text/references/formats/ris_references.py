"""Parses RIS as databases export it: records from TY to ER, with tolerance for deviations."""

from __future__ import annotations

import re

from citewell.model.paper import PaperId
from citewell.model.reference import BibliographyDocument, MalformedEntry, Reference
from citewell.text.dates.partial_dates import extract_year, parse_partial_date
from citewell.text.references import reference_identifiers, reference_people
from citewell.text.references.field_cleaning import (
    MAX_RECORDS,
    RECORDS_LIMIT_REASON,
    extract_damage_excerpt,
)
from citewell.text.references.formats.tagged_records import TaggedRecord

_RIS_TAG_LINE_PATTERN = re.compile(r"[ \t]{0,8}([A-Z][A-Z0-9])[ \t]{0,3}[-–](?:[ \t]|$)(.*)")
_RIS_LINK_PATTERN = re.compile(r"https?://[^\s;]+")
_RIS_KINDS = {
    "JOUR": "article-journal", "EJOU": "article-journal", "JFULL": "article-journal",
    "ABST": "article-journal", "INPR": "article-journal", "MGZN": "article-magazine",
    "NEWS": "article-newspaper", "BOOK": "book", "EBOOK": "book", "EDBOOK": "book",
    "WHOLE": "book", "CHAP": "chapter", "ECHAP": "chapter", "CONF": "paper-conference",
    "CPAPER": "paper-conference", "THES": "thesis", "RPRT": "report", "GOVDOC": "report",
    "ELEC": "webpage", "WEB": "webpage", "BLOG": "post-weblog", "DATA": "dataset",
    "COMP": "software", "PAT": "patent", "CASE": "legal_case", "STAT": "legislation",
    "ENCYC": "entry-encyclopedia", "DICT": "entry-dictionary", "BILL": "bill", "SLIDE": "speech",
    "UNPB": "manuscript", "STAND": "standard", "VIDEO": "motion_picture",
}  # fmt: skip
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
            self._end_record(number)
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

    def _end_record(self, number: int) -> None:
        if self._record is None:
            self._report_record_damage(number, "This ER line ends no record.", [])
        else:
            self._close_record()

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
        reference_people.parse_whole_name(name)
        for name in names
        if name.lower() not in reference_people.AND_OTHERS_NAMES
    ]
    return Reference(
        raw="\n".join(record.lines),
        title=record.first_value("TI", "T1", "CT", "BT", "ST"),
        authors=tuple(people),
        year=extract_year(year),
        published=published if published[:4] == year[:4] else year,
        venue=record.first_value(*_RIS_VENUE_TAGS),
        volume=record.first_value("VL"),
        issue=record.first_value("IS", "CP"),
        pages=_format_ris_pages(record),
        publisher=record.first_value("PB"),
        url=urls[0] if urls else "",
        ids=_collect_ris_ids(record, urls),
        kind=_choose_ris_kind(record),
        key=record.first_value("ID", "LB"),
        line=record.line,
        and_others=len(people) < len(names),
    )


def _choose_ris_kind(record: TaggedRecord) -> str:
    kind = _RIS_KINDS.get(record.first_value("TY").upper(), "")
    # What has a DOI and is called unpublished is a preprint.
    return "article" if kind == "manuscript" and record.first_value("DO", "DI") else kind


def _format_ris_pages(record: TaggedRecord) -> str:
    first, last = record.first_value("SP"), record.first_value("EP")
    if first and last and "-" not in first and first != last:
        return f"{first}-{last}"
    return (first or last).replace("–", "-")


def _collect_ris_ids(record: TaggedRecord, urls: list[str]) -> tuple[PaperId, ...]:
    notes = " ".join(record.list_values("N1") + record.list_values("M3") + record.list_values("C7"))
    return reference_identifiers.order_paper_ids(
        reference_identifiers.parse_doi_id(record.first_value("DO", "DI")),
        *reference_identifiers.find_ids_in_addresses(urls),
        reference_identifiers.parse_doi_id(notes),
        reference_identifiers.parse_arxiv_id(notes) if "arxiv" in notes.lower() else None,
        reference_identifiers.parse_pmid_id(record.first_value("AN"))
        if "pubmed" in record.first_value("DB").lower()
        else None,
        reference_identifiers.parse_pmcid_id(record.first_value("C2")),
        reference_identifiers.parse_isbn_id(record.first_value("SN", "BN")),
    )
