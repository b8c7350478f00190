"""Parses PubMed XML: the articles and book chapters of a PubmedArticleSet."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from citewell.model.paper import WorkAuthor
from citewell.model.reference import BibliographyDocument, Reference
from citewell.text.dates.partial_dates import extract_year, parse_partial_date
from citewell.text.references import reference_people
from citewell.text.references.formats import tagged_records, xml_records
from citewell.text.references.formats.xml_records import XmlRecord, extract_xml_text

_DATE_PATHS = (
    "MedlineCitation/Article/Journal/JournalIssue/PubDate",
    "MedlineCitation/Article/ArticleDate",
    "BookDocument/Book/PubDate",
)


def parse_pubmed_xml(text: str) -> BibliographyDocument:
    found = xml_records.read_xml_records(text, "PubmedArticle", "PubmedBookArticle")
    return xml_records.build_xml_document(
        "pubmed-xml", found, map(_build_pubmed_reference, found.records)
    )


def _build_pubmed_reference(record: XmlRecord) -> Reference:
    own = record.element
    article = own.find("MedlineCitation/Article")
    part = article if article is not None else own.find("BookDocument")
    published = next(filter(None, (_parse_xml_date(own.find(path)) for path in _DATE_PATHS)), "")
    pmid = extract_xml_text(own, "MedlineCitation/PMID") or extract_xml_text(
        own, "BookDocument/PMID"
    )
    authors = part.findall("AuthorList/Author") if part is not None else []
    issue = part.find("Journal/JournalIssue") if part is not None else None
    return Reference(
        raw=record.raw,
        title=(
            extract_xml_text(part, "ArticleTitle") or extract_xml_text(part, "Book/BookTitle")
        ).rstrip("."),
        authors=tuple(person for one in authors if (person := _build_pubmed_person(one)).name),
        year=extract_year(published),
        published=published,
        venue=extract_xml_text(part, "Journal/Title")
        or extract_xml_text(part, "Journal/ISOAbbreviation")
        or extract_xml_text(part, "Book/BookTitle"),
        volume=extract_xml_text(issue, "Volume"),
        issue=extract_xml_text(issue, "Issue"),
        pages=tagged_records.expand_short_pages(extract_xml_text(part, "Pagination/MedlinePgn")),
        publisher=extract_xml_text(part, "Book/Publisher/PublisherName"),
        ids=tagged_records.collect_field_ids(
            doi=_find_pubmed_id(own, "doi")
            or extract_xml_text(part, "ELocationID[@EIdType='doi']"),
            pmid=pmid,
            pmcid=_find_pubmed_id(own, "pmc"),
            isbn=extract_xml_text(part, "Book/Isbn"),
        ),
        kind="article-journal" if article is not None else "chapter",
        key=pmid,
        line=record.line,
        and_others=part is not None and part.find("AuthorList[@CompleteYN='N']") is not None,
    )


def _find_pubmed_id(own: Element, kind: str) -> str:
    """An identifier of the article itself; those of its references are elsewhere."""
    return extract_xml_text(own, f"PubmedData/ArticleIdList/ArticleId[@IdType='{kind}']")


def _build_pubmed_person(author: Element) -> WorkAuthor:
    group = extract_xml_text(author, "CollectiveName")
    if group:
        return reference_people.build_organisation(group)
    return reference_people.build_person(
        family=extract_xml_text(author, "LastName"),
        given=extract_xml_text(author, "ForeName") or extract_xml_text(author, "Initials"),
        suffix=extract_xml_text(author, "Suffix"),
    )


def _parse_xml_date(date: Element | None) -> str:
    if date is None:
        return ""
    parts = (extract_xml_text(date, name) for name in ("Year", "Month", "Day"))
    year, month, day = parts
    if month.isdigit():
        return parse_partial_date("-".join(part for part in (year, month, day) if part))
    return parse_partial_date(f"{year} {month} {day}") or parse_partial_date(
        extract_xml_text(date, "MedlineDate")
    )
