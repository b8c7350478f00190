"""The reader of every format by its name, and the readers of EndNote XML, PubMed, Word and MEDLINE."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from xml.etree.ElementTree import Element

from citewell.citations.references import prose_references, reference_fields
from citewell.citations.references.formats import (
    bibtex_references,
    csl_table_references,
    file_records,
    latex_documents,
    mods_zotero_references,
    tagged_references,
)
from citewell.citations.references.formats.file_records import (
    RecordCollector,
    TaggedRecord,
    XmlRecord,
    extract_xml_text,
    list_xml_texts,
)
from citewell.citations.references.reference_fields import BibliographyDocument, Reference
from citewell.core.values.paper import WorkAuthor
from citewell.text.calendar_dates import extract_year, parse_partial_date
from citewell.text.data_tables import load_table, load_texts


def _build_endnote_reference(record: XmlRecord) -> Reference:
    own = record.element
    table = load_table(__package__, "format_readers")
    paths = table["endnote_author_paths"]
    names = next(filter(None, (list_xml_texts(own, path) for path in paths)), [])
    venues = (extract_xml_text(own, path) for path in table["endnote_venue_paths"])
    people, and_others = file_records.parse_record_people(
        part for name in names for part in name.split(" and ")
    )
    ref_type = own.find("ref-type")
    kind = ref_type.get("name", "") if ref_type is not None else ""
    year = parse_partial_date(extract_xml_text(own, "dates/year"))
    day = extract_xml_text(own, "dates/pub-dates/date")
    exact = parse_partial_date(day) or parse_partial_date(f"{day} {year[:4]}")
    published = exact if exact[:4] == year[:4] or not year else year
    urls = list_xml_texts(own, "urls//url")
    return Reference(
        raw=record.raw,
        title=extract_xml_text(own, "titles/title"),
        authors=people,
        year=extract_year(published),
        published=published,
        venue=next(filter(None, venues), ""),
        volume=extract_xml_text(own, "volume"),
        issue=extract_xml_text(own, "number"),
        pages=file_records.clean_page_range(extract_xml_text(own, "pages")),
        publisher=extract_xml_text(own, "publisher"),
        url=urls[0] if urls else "",
        ids=file_records.collect_field_ids(
            doi=extract_xml_text(own, "electronic-resource-num"),
            pmid=_find_endnote_pmid(own),
            pmcid=extract_xml_text(own, "custom2"),
            isbn=extract_xml_text(own, "isbn"),
            urls=urls,
        ),
        kind=load_texts(__package__, "endnote_tagged", "endnote_kinds").get(kind.lower(), ""),
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


def _build_pubmed_reference(record: XmlRecord) -> Reference:
    own = record.element
    article = own.find("MedlineCitation/Article")
    part = article if article is not None else own.find("BookDocument")
    paths = load_table(__package__, "format_readers")["pubmed_date_paths"]
    published = next(filter(None, (_parse_xml_date(own.find(path)) for path in paths)), "")
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
        authors=tuple(
            person for author in authors if (person := _build_pubmed_person(author)).name
        ),
        year=extract_year(published),
        published=published,
        venue=extract_xml_text(part, "Journal/Title")
        or extract_xml_text(part, "Journal/ISOAbbreviation")
        or extract_xml_text(part, "Book/BookTitle"),
        volume=extract_xml_text(issue, "Volume"),
        issue=extract_xml_text(issue, "Issue"),
        pages=file_records.expand_short_pages(extract_xml_text(part, "Pagination/MedlinePgn")),
        publisher=extract_xml_text(part, "Book/Publisher/PublisherName"),
        ids=file_records.collect_field_ids(
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
        return reference_fields.build_organisation(group)
    return reference_fields.build_person(
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


_ROLE_NAMES = ("Author", "Inventor", "Artist", "Performer", "Editor", "Interviewee", "Director")


def _build_source_reference(record: XmlRecord) -> Reference:
    own = record.element
    year = extract_xml_text(own, "Year")
    published = parse_partial_date(
        " ".join((year, extract_xml_text(own, "Month"), extract_xml_text(own, "Day")))
    )
    url = extract_xml_text(own, "URL")
    table = load_table(__package__, "format_readers")
    venues = (extract_xml_text(own, name) for name in table["word_venue_names"])
    return Reference(
        raw=record.raw,
        title=extract_xml_text(own, "Title"),
        authors=_list_source_people(own),
        year=extract_year(published),
        published=published,
        venue=next(filter(None, venues), ""),
        volume=extract_xml_text(own, "Volume"),
        issue=extract_xml_text(own, "Issue"),
        pages=file_records.clean_page_range(extract_xml_text(own, "Pages")),
        publisher=extract_xml_text(own, "Publisher") or extract_xml_text(own, "Institution"),
        url=url,
        ids=file_records.collect_field_ids(
            doi=extract_xml_text(own, "DOI") or extract_xml_text(own, "StandardNumber"),
            isbn=extract_xml_text(own, "StandardNumber"),
            urls=[url],
        ),
        kind=table["word_kinds"].get(extract_xml_text(own, "SourceType"), ""),
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
            return (reference_fields.build_organisation(group),)
        people = tuple(
            reference_fields.build_person(
                family=extract_xml_text(person, "Last"),
                given=f"{extract_xml_text(person, 'First')} {extract_xml_text(person, 'Middle')}",
            )
            for person in holder.iterfind("NameList/Person")
        )
        if people:
            return people
    return ()


_TAG_LINE_PATTERN = re.compile(r"([A-Z]{2,4}) {0,2}-(?: (.*)|[ \t]{0,5})")
_IDENTIFIER_LABEL_PATTERN = re.compile(r"(.{1,300}?)\s{0,3}\[(doi|pii|pmc|pubmed|bookaccession)\]")


def parse_nbib_document(text: str) -> BibliographyDocument:
    return file_records.collect_tagged_records(
        text,
        RecordCollector(format="nbib", build=_build_nbib_reference),
        match_line=_TAG_LINE_PATTERN.fullmatch,
        begins_record=lambda tag, _: tag == "PMID",
    )


def _build_nbib_reference(record: TaggedRecord) -> Reference:
    published = parse_partial_date(record.first_value("DP", "DEP", "DCOM"))
    stated = map(
        _IDENTIFIER_LABEL_PATTERN.fullmatch, record.list_values("AID") + record.list_values("LID")
    )
    labelled = {match[2]: match[1] for match in stated if match}
    known = load_texts(__package__, "format_readers", "medline_kinds")
    kinds = (known.get(kind.lower()) for kind in record.list_values("PT"))
    return Reference(
        raw="\n".join(record.lines),
        title=record.first_value("TI", "BTI", "TT").rstrip("."),
        authors=_list_nbib_people(record),
        year=extract_year(published),
        published=published,
        venue=record.first_value("JT", "TA", "BTI", "CTI"),
        volume=record.first_value("VI"),
        issue=record.first_value("IP"),
        pages=file_records.expand_short_pages(record.first_value("PG")),
        publisher=record.first_value("PB"),
        ids=file_records.collect_field_ids(
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
        [reference_fields.parse_whole_name(name) for name in full]
        if full
        else [file_records.parse_initials_name(name) for name in record.list_values("AU", "ED")]
    )
    return (*people, *map(reference_fields.build_organisation, record.list_values("CN")))


_XML_READERS: dict[str, tuple[tuple[str, ...], Callable[[XmlRecord], Reference]]] = {
    "endnote-xml": (("record",), _build_endnote_reference),
    "pubmed-xml": (("PubmedArticle", "PubmedBookArticle"), _build_pubmed_reference),
    "mods": (("mods",), mods_zotero_references.build_mods_reference),
    "word-xml": (("Source",), _build_source_reference),
}
FORMAT_READERS: dict[str, Callable[[str], BibliographyDocument]] = {
    "csl-json": csl_table_references.parse_csl_document,
    "ris": tagged_references.parse_ris_document,
    "bibtex": bibtex_references.parse_bibtex_document,
    "prose": prose_references.parse_prose_document,
    "wos": tagged_references.parse_wos_document,
    "enw": tagged_references.parse_enw_document,
    "nbib": parse_nbib_document,
    "zotero-rdf": mods_zotero_references.parse_zotero_rdf,
    "csv": csl_table_references.parse_table_document,
    "latex": latex_documents.parse_latex_document,
    **{
        form: partial(file_records.parse_xml_bibliography, form=form, names=names, build=build)
        for form, (names, build) in _XML_READERS.items()
    },
}
