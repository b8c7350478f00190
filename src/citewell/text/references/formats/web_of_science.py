"""Parses Web of Science exports: "plain text" with two-letter tags, and tab-delimited tables."""

from __future__ import annotations

import re

from citewell.model.reference import BibliographyDocument, Reference
from citewell.text.dates.partial_dates import extract_year, parse_partial_date
from citewell.text.references.formats import table_references, tagged_records
from citewell.text.references.formats.tagged_records import RecordCollector, TaggedRecord

_TAG_LINE_PATTERN = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|[ \t]{0,5})")
_FILE_TAGS = frozenset({"FN", "VR", "EF"})  # of the file, not of a record
_PUBLICATION_KINDS = {"J": "article-journal", "B": "book", "S": "chapter", "P": "patent"}
_DOCUMENT_KINDS = {
    "proceedings paper": "paper-conference", "book chapter": "chapter", "book": "book",
    "data set": "dataset", "data paper": "article-journal", "software": "software",
    "dissertation/thesis": "thesis",
}  # fmt: skip


def parse_wos_document(text: str) -> BibliographyDocument:
    if "\t" in text[: text.find("\n") + 1 or len(text)]:
        return table_references.parse_table_document(text, form="wos")
    collector = RecordCollector(format="wos", build=_build_wos_reference)
    record: TaggedRecord | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        tag, value = _split_tag_line(line)
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


def _split_tag_line(line: str) -> tuple[str, str]:
    match = _TAG_LINE_PATTERN.fullmatch(line)
    return (match[1], match[2] or "") if match else ("", "")


def _build_wos_reference(record: TaggedRecord) -> Reference:
    people, and_others = tagged_records.parse_record_people(
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
        pages=tagged_records.join_page_numbers(record.first_value("BP"), record.first_value("EP"))
        or record.first_value("AR"),
        publisher=record.first_value("PU"),
        ids=tagged_records.collect_field_ids(
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
