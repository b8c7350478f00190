"""Parses EndNote XML, which Mendeley, Zotero, Papers and Word's EndNote fields write as well."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from citewell.model.reference import BibliographyDocument, Reference
from citewell.text.dates.partial_dates import extract_year, parse_partial_date
from citewell.text.references.formats import tagged_records, xml_records
from citewell.text.references.formats.endnote_tagged import ENDNOTE_KINDS
from citewell.text.references.formats.xml_records import (
    XmlRecord,
    extract_xml_text,
    list_xml_texts,
)

_AUTHOR_PATHS = (
    "contributors/authors/author",
    "contributors/secondary-authors/author",
    "contributors/tertiary-authors/author",
)
_VENUE_PATHS = (
    "periodical/full-title",
    "titles/secondary-title",
    "alt-periodical/full-title",
    "periodical/abbr-1",
    "titles/tertiary-title",
)


def parse_endnote_xml(text: str) -> BibliographyDocument:
    found = xml_records.read_xml_records(text, "record")
    return xml_records.build_xml_document(
        "endnote-xml", found, map(_build_endnote_reference, found.records)
    )


def _build_endnote_reference(record: XmlRecord) -> Reference:
    own = record.element
    names = next(filter(None, (list_xml_texts(own, path) for path in _AUTHOR_PATHS)), [])
    people, and_others = tagged_records.parse_record_people(
        part for name in names for part in name.split(" and ")
    )
    published = _parse_endnote_date(own)
    urls = list_xml_texts(own, "urls//url")
    return Reference(
        raw=record.raw,
        title=extract_xml_text(own, "titles/title"),
        authors=people,
        year=extract_year(published),
        published=published,
        venue=next(filter(None, (extract_xml_text(own, path) for path in _VENUE_PATHS)), ""),
        volume=extract_xml_text(own, "volume"),
        issue=extract_xml_text(own, "number"),
        pages=tagged_records.clean_page_range(extract_xml_text(own, "pages")),
        publisher=extract_xml_text(own, "publisher"),
        url=urls[0] if urls else "",
        ids=tagged_records.collect_field_ids(
            doi=extract_xml_text(own, "electronic-resource-num"),
            pmid=_find_endnote_pmid(own),
            pmcid=extract_xml_text(own, "custom2"),
            isbn=extract_xml_text(own, "isbn"),
            urls=urls,
        ),
        kind=_find_endnote_kind(own),
        key=extract_xml_text(own, "label") or extract_xml_text(own, "rec-number"),
        line=record.line,
        and_others=and_others,
    )


def _find_endnote_pmid(own: Element) -> str:
    """The accession number, if the record comes from PubMed."""
    provider = extract_xml_text(own, "remote-database-name") + extract_xml_text(
        own, "remote-database-provider"
    )
    number = extract_xml_text(own, "accession-num")
    is_pubmed = "pubmed" in provider.lower() or "medline" in provider.lower() or not provider
    return number if is_pubmed and number.isdigit() and len(number) == 8 else ""


def _find_endnote_kind(own: Element) -> str:
    element = own.find("ref-type")
    name = element.get("name", "") if element is not None else ""
    return ENDNOTE_KINDS.get(name.lower(), "")


def _parse_endnote_date(own: Element) -> str:
    year = parse_partial_date(extract_xml_text(own, "dates/year"))
    day = extract_xml_text(own, "dates/pub-dates/date")
    exact = parse_partial_date(day) or parse_partial_date(f"{day} {year[:4]}")
    return exact if exact[:4] == year[:4] or not year else year
