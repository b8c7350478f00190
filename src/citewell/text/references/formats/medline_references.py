"""Parses PubMed's own text formats: .nbib files and MEDLINE display ("PMID- ", "TI  - ")."""

from __future__ import annotations

import re

from citewell.model.paper import WorkAuthor
from citewell.model.reference import BibliographyDocument, Reference
from citewell.text.dates.partial_dates import extract_year, parse_partial_date
from citewell.text.references import reference_people
from citewell.text.references.formats import tagged_records
from citewell.text.references.formats.tagged_records import RecordCollector, TaggedRecord

_TAG_LINE_PATTERN = re.compile(r"([A-Z]{2,4}) {0,2}-(?: (.*)|[ \t]{0,5})")
_IDENTIFIER_LABEL_PATTERN = re.compile(r"(.{1,300}?)\s{0,3}\[(doi|pii|pmc|pubmed|bookaccession)\]")
_MEDLINE_KINDS = {
    "journal article": "article-journal", "review": "article-journal", "letter": "article-journal",
    "editorial": "article-journal", "preprint": "article", "news": "article-journal",
    "book": "book", "dataset": "dataset", "technical report": "report",
}  # fmt: skip


def parse_nbib_document(text: str) -> BibliographyDocument:
    collector = RecordCollector(format="nbib", build=_build_nbib_reference)
    record: TaggedRecord | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        match = _TAG_LINE_PATTERN.fullmatch(line)
        if match is None:
            if record is not None and line.strip():
                record.lines.append(line)
                record.open_value.append(line)
            elif line.strip():
                collector.report_damage(number, "This is not part of any record.", line)
            continue
        if record is not None and match[1] == "PMID" and record.values:
            collector.add_record(record)
            record = None
            if collector.is_full(number):
                break
        record = record or TaggedRecord(line=number)
        record.lines.append(line)
        record.add_value(match[1], match[2] or "")
    collector.add_record(record)
    return collector.build_document()


def _build_nbib_reference(record: TaggedRecord) -> Reference:
    published = parse_partial_date(record.first_value("DP", "DEP", "DCOM"))
    stated = map(
        _IDENTIFIER_LABEL_PATTERN.fullmatch, record.list_values("AID") + record.list_values("LID")
    )
    labelled = {match[2]: match[1] for match in stated if match}
    kinds = (_MEDLINE_KINDS.get(kind.lower()) for kind in record.list_values("PT"))
    return Reference(
        raw="\n".join(record.lines),
        title=record.first_value("TI", "BTI", "TT").rstrip("."),
        authors=_list_nbib_people(record),
        year=extract_year(published),
        published=published,
        venue=record.first_value("JT", "TA", "BTI", "CTI"),
        volume=record.first_value("VI"),
        issue=record.first_value("IP"),
        pages=tagged_records.expand_short_pages(record.first_value("PG")),
        publisher=record.first_value("PB"),
        ids=tagged_records.collect_field_ids(
            doi=labelled.get("doi", ""),
            pmid=record.first_value("PMID"),
            pmcid=record.first_value("PMC") or labelled.get("pmc", ""),
            isbn=record.first_value("ISBN"),
        ),
        kind=next(filter(None, kinds), "article-journal" if record.values.get("TA") else ""),
        key=record.first_value("PMID"),
        line=record.line,
    )


def _list_nbib_people(record: TaggedRecord) -> tuple[WorkAuthor, ...]:
    full = record.list_values("FAU", "FED")
    people = (
        [reference_people.parse_whole_name(name) for name in full]
        if full
        else [tagged_records.parse_initials_name(name) for name in record.list_values("AU", "ED")]
    )
    return (*people, *map(reference_people.build_organisation, record.list_values("CN")))
