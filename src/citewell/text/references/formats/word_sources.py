"""Parses the sources that Word keeps in a document or in Sources.xml (b:Sources)."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from citewell.model.paper import WorkAuthor
from citewell.model.reference import BibliographyDocument, Reference
from citewell.text.dates.partial_dates import extract_year, parse_partial_date
from citewell.text.references import reference_people
from citewell.text.references.formats import tagged_records, xml_records
from citewell.text.references.formats.xml_records import XmlRecord, extract_xml_text

_SOURCE_KINDS = {
    "JournalArticle": "article-journal", "ArticleInAPeriodical": "article-magazine",
    "Book": "book", "BookSection": "chapter", "ConferenceProceedings": "paper-conference",
    "Report": "report", "InternetSite": "webpage", "DocumentFromInternetSite": "webpage",
    "ElectronicSource": "webpage", "Patent": "patent", "Case": "legal_case",
    "Film": "motion_picture", "SoundRecording": "song", "Interview": "interview",
}  # fmt: skip
_VENUE_NAMES = [
    "JournalName",
    "PeriodicalTitle",
    "BookTitle",
    "ConferenceName",
    "PublicationTitle",
    "InternetSiteTitle",
    "Reporter",
]
_ROLE_NAMES = ("Author", "Inventor", "Artist", "Performer", "Editor", "Interviewee", "Director")


def parse_word_sources(text: str) -> BibliographyDocument:
    found = xml_records.read_xml_records(text, "Source")
    return xml_records.build_xml_document(
        "word-xml", found, map(_build_source_reference, found.records)
    )


def _build_source_reference(record: XmlRecord) -> Reference:
    own = record.element
    year = extract_xml_text(own, "Year")
    published = parse_partial_date(
        " ".join((year, extract_xml_text(own, "Month"), extract_xml_text(own, "Day")))
    )
    url = extract_xml_text(own, "URL")
    return Reference(
        raw=record.raw,
        title=extract_xml_text(own, "Title"),
        authors=_list_source_people(own),
        year=extract_year(published),
        published=published,
        venue=next(filter(None, (extract_xml_text(own, name) for name in _VENUE_NAMES)), ""),
        volume=extract_xml_text(own, "Volume"),
        issue=extract_xml_text(own, "Issue"),
        pages=tagged_records.clean_page_range(extract_xml_text(own, "Pages")),
        publisher=extract_xml_text(own, "Publisher") or extract_xml_text(own, "Institution"),
        url=url,
        ids=tagged_records.collect_field_ids(
            doi=extract_xml_text(own, "DOI") or extract_xml_text(own, "StandardNumber"),
            isbn=extract_xml_text(own, "StandardNumber"),
            urls=[url],
        ),
        kind=_SOURCE_KINDS.get(extract_xml_text(own, "SourceType"), ""),
        key=extract_xml_text(own, "Tag"),
        line=record.line,
    )


def _list_source_people(own: Element) -> tuple[WorkAuthor, ...]:
    for role in _ROLE_NAMES:
        holder = own.find(f"Author/{role}")
        if holder is None:
            continue
        group = extract_xml_text(holder, "Corporate")
        if group:
            return (reference_people.build_organisation(group),)
        people = tuple(
            reference_people.build_person(
                family=extract_xml_text(person, "Last"),
                given=f"{extract_xml_text(person, 'First')} {extract_xml_text(person, 'Middle')}",
            )
            for person in holder.iterfind("NameList/Person")
        )
        if people:
            return people
    return ()
