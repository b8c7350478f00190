"""Parses MODS, the XML that libraries and bibutils exchange: one mods element or a collection."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from citewell.model.paper import WorkAuthor
from citewell.model.reference import BibliographyDocument, Reference
from citewell.text.dates.partial_dates import extract_year, parse_partial_date
from citewell.text.references import reference_people
from citewell.text.references.formats import tagged_records, xml_records
from citewell.text.references.formats.xml_records import (
    XmlRecord,
    extract_xml_text,
    list_xml_texts,
)

_AUTHOR_ROLES = frozenset({"author", "aut", "creator", "cre", ""})
_EDITOR_ROLES = frozenset({"editor", "edt"})
_DATE_NAMES = ("dateIssued", "copyrightDate", "dateCreated", "dateOther")
_MODS_KINDS = {
    "journal article": "article-journal", "article": "article-journal",
    "academic journal": "article-journal", "book": "book", "conference publication": "paper-conference",
    "thesis": "thesis", "ph.d. thesis": "thesis", "masters thesis": "thesis", "report": "report",
    "technical report": "report", "web site": "webpage", "web page": "webpage", "patent": "patent",
    "dataset": "dataset", "newspaper": "article-newspaper", "magazine": "article-magazine",
    "instruction": "report", "book chapter": "chapter",
    # as Zotero names them
    "journalarticle": "article-journal", "booksection": "chapter", "webpage": "webpage",
    "conferencepaper": "paper-conference", "magazinearticle": "article-magazine",
    "newspaperarticle": "article-newspaper", "preprint": "article",
}  # fmt: skip


def parse_mods_document(text: str) -> BibliographyDocument:
    found = xml_records.read_xml_records(text, "mods")
    return xml_records.build_xml_document("mods", found, map(_build_mods_reference, found.records))


def _build_mods_reference(record: XmlRecord) -> Reference:
    own = record.element
    host = next(_iterate_related(own, "host"), None)
    parts = [part for item in (own, host) if item is not None for part in item.findall("part")]
    published = _find_mods_date(own, host, parts)
    urls = list_xml_texts(own, "location/url") + list_xml_texts(own, "identifier[@type='uri']")
    authors = tuple(_iterate_people(own, _AUTHOR_ROLES)) or tuple(
        _iterate_people(own, _EDITOR_ROLES)
    )
    return Reference(
        raw=record.raw,
        title=_read_mods_title(own),
        authors=authors,
        year=extract_year(published),
        published=published,
        venue=_read_mods_title(host) if host is not None else "",
        volume=_find_part_number(parts, "volume"),
        issue=_find_part_number(parts, "issue") or _find_part_number(parts, "number"),
        pages=_find_part_pages(parts),
        publisher=extract_xml_text(own, "originInfo/publisher")
        or extract_xml_text(host, "originInfo/publisher"),
        url=urls[0] if urls else "",
        ids=tagged_records.collect_field_ids(
            doi=_find_mods_identifier(own, "doi"),
            pmid=_find_mods_identifier(own, "pubmed") or _find_mods_identifier(own, "pmid"),
            pmcid=_find_mods_identifier(own, "pmc") or _find_mods_identifier(own, "pmcid"),
            isbn=_find_mods_identifier(own, "isbn") or _find_mods_identifier(host, "isbn"),
            urls=urls,
        ),
        kind=_choose_mods_kind(own, host),
        key=own.get("ID", "") or _find_mods_identifier(own, "citekey"),
        line=record.line,
    )


def _read_mods_title(item: Element) -> str:
    """The title that is no translation or abbreviation; with its article and subtitle."""
    for info in item.findall("titleInfo"):
        if info.get("type"):
            continue
        first = extract_xml_text(info, "nonSort")
        title = extract_xml_text(info, "title")
        subtitle = extract_xml_text(info, "subTitle")
        whole = f"{first} {title}".strip().replace("' ", "'")
        if whole:
            return f"{whole}: {subtitle}" if subtitle else whole
    return extract_xml_text(item, "titleInfo/title")


def _iterate_related(item: Element, kind: str) -> Iterator[Element]:
    for related in item.findall("relatedItem"):
        if related.get("type") == kind:
            yield related


def _iterate_people(item: Element, roles: frozenset[str]) -> Iterator[WorkAuthor]:
    for name in item.findall("name"):
        told = {role.lower().rstrip(".") for role in list_xml_texts(name, "role/roleTerm")}
        if not (told or {""}) & roles:
            continue
        person = _build_mods_person(name)
        if person.name:
            yield person


def _build_mods_person(name: Element) -> WorkAuthor:
    family = " ".join(list_xml_texts(name, "namePart[@type='family']"))
    given = list_xml_texts(name, "namePart[@type='given']")
    if family:
        return reference_people.build_person(
            family=family,
            given=" ".join(f"{one}." if len(one) == 1 and len(given) > 1 else one for one in given),
            suffix=extract_xml_text(name, "namePart[@type='termsOfAddress']"),
        )
    plain = [
        part for element in name.findall("namePart") if not element.get("type")
        for part in [extract_xml_text(element)] if part
    ]  # fmt: skip
    whole = " ".join(plain) or extract_xml_text(name, "displayForm")
    if name.get("type") == "corporate":
        return reference_people.build_organisation(whole)
    return reference_people.parse_whole_name(whole)


def _find_mods_date(own: Element, host: Element | None, parts: list[Element]) -> str:
    for item in (own, host):
        for name in _DATE_NAMES:
            if date := parse_partial_date(extract_xml_text(item, f"originInfo/{name}")):
                return date
    return next(
        filter(None, (parse_partial_date(extract_xml_text(part, "date")) for part in parts)), ""
    )


def _find_part_number(parts: list[Element], kind: str) -> str:
    found = (extract_xml_text(part, f"detail[@type='{kind}']/number") for part in parts)
    return next(filter(None, found), "")


def _find_part_pages(parts: list[Element]) -> str:
    for part in parts:
        for extent in part.findall("extent"):
            if extent.get("unit", "page").startswith("page"):
                listed = tagged_records.clean_page_range(extract_xml_text(extent, "list"))
                return listed or tagged_records.join_page_numbers(
                    extract_xml_text(extent, "start"), extract_xml_text(extent, "end")
                )
        if pages := _find_part_number([part], "page"):
            return pages
    return ""


def _find_mods_identifier(item: Element | None, kind: str) -> str:
    return extract_xml_text(item, f"identifier[@type='{kind}']")


def _choose_mods_kind(own: Element, host: Element | None) -> str:
    genres = [genre.lower() for genre in list_xml_texts(own, "genre")]
    for genre in genres:
        if kind := _MODS_KINDS.get(genre):
            return "chapter" if kind == "book" and host is not None else kind
    if host is None:
        return ""
    around = {genre.lower() for genre in list_xml_texts(host, "genre")}
    if around & {"academic journal", "periodical", "journal"}:
        return "article-journal"
    if "conference publication" in around:
        return "paper-conference"
    return "chapter" if "book" in around or "collection" in around else ""
