"""Parses tagged EndNote files (.enw), also called refer: %0 for the type, %A, %T, %J and so on."""

from __future__ import annotations

import re

from citewell.model.reference import BibliographyDocument, Reference
from citewell.text.dates.partial_dates import extract_year, parse_partial_date
from citewell.text.references.formats import tagged_records
from citewell.text.references.formats.tagged_records import RecordCollector, TaggedRecord

_TAG_LINE_PATTERN = re.compile(r"[ \t]{0,8}%([0-9A-Z@!?+~^$&()\[\]<>*#|=])(?:[ \t](.*)|$)")
# CSL types by the name of the type in %0 and in EndNote XML.
ENDNOTE_KINDS = {
    "journal article": "article-journal", "electronic article": "article-journal",
    "magazine article": "article-magazine", "newspaper article": "article-newspaper",
    "book": "book", "edited book": "book", "electronic book": "book", "book section": "chapter",
    "electronic book section": "chapter", "conference proceedings": "paper-conference",
    "conference paper": "paper-conference", "thesis": "thesis", "report": "report",
    "government document": "report", "web page": "webpage", "online database": "webpage",
    "blog": "post-weblog", "dataset": "dataset", "computer program": "software",
    "patent": "patent", "case": "legal_case", "legal rule or regulation": "regulation",
    "statute": "legislation", "bill": "bill", "manuscript": "manuscript",
    "unpublished work": "manuscript", "standard": "standard", "film or broadcast": "motion_picture",
    "encyclopedia": "entry-encyclopedia", "dictionary": "entry-dictionary",
}  # fmt: skip


def parse_enw_document(text: str) -> BibliographyDocument:
    collector = RecordCollector(format="enw", build=_build_enw_reference)
    record: TaggedRecord | None = None
    was_blank = False
    for number, line in enumerate(text.split("\n"), start=1):
        match = _TAG_LINE_PATTERN.match(line)
        if match is None:
            was_blank = was_blank or not line.strip()
            if record is not None and line.strip():
                record.lines.append(line)
                record.open_value.append(line)
            elif line.strip():
                collector.report_damage(number, "This is not part of any record.", line)
            continue
        # A blank line may also be inside an abstract, so only what can start a record ends one.
        begins = match[1] == "0" or (was_blank and match[1] in {"A", "T"})
        if record is not None and begins:
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


def _build_enw_reference(record: TaggedRecord) -> Reference:
    people, and_others = tagged_records.parse_record_people(record.list_values("A", "E", "Q", "Y"))
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
        pages=tagged_records.clean_page_range(record.first_value("P")),
        publisher=record.first_value("I"),
        url=urls[0] if urls else "",
        ids=tagged_records.collect_field_ids(
            doi=record.first_value("R"), isbn=record.first_value("@"), urls=urls
        ),
        kind=ENDNOTE_KINDS.get(record.first_value("0").lower(), ""),
        key=record.first_value("F"),
        line=record.line,
        and_others=and_others,
    )
