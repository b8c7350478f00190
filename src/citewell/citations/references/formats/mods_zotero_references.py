"""Parses MODS, the XML that libraries exchange, and Zotero RDF."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from citewell.citations.references import reference_fields
from citewell.citations.references.formats import file_records
from citewell.citations.references.formats.file_records import (
    XmlRecord,
    extract_xml_text,
    list_xml_texts,
)
from citewell.citations.references.reference_fields import (
    MAX_RECORDS,
    RECORDS_LIMIT_REASON,
    BibliographyDocument,
    MalformedEntry,
    Reference,
)
from citewell.core.values.paper import WorkAuthor
from citewell.text.calendar_dates import extract_year, parse_partial_date
from citewell.text.data_tables import load_texts, load_words
from citewell.text.safety.xml_trees import ExcessiveXml, UnusableXml

_ASIDE_ELEMENTS = frozenset({"Attachment", "Memo", "Collection", "Journal", "Series", "Periodical"})
_PEOPLE_PATHS = ("authors//Person", "contributors//Person", "editors//Person")

_AUTHOR_ROLES = frozenset({"author", "aut", "creator", "cre", ""})
_EDITOR_ROLES = frozenset({"editor", "edt"})
_DATE_NAMES = ("dateIssued", "copyrightDate", "dateCreated", "dateOther")


def build_mods_reference(record: XmlRecord) -> Reference:
    own = record.element
    host = own.find("relatedItem[@type='host']")
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
        ids=file_records.collect_field_ids(
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


def _iterate_people(item: Element, roles: frozenset[str]) -> Iterator[WorkAuthor]:
    for name in item.findall("name"):
        own_roles = {role.lower().rstrip(".") for role in list_xml_texts(name, "role/roleTerm")}
        if not (own_roles or {""}) & roles:
            continue
        person = _build_mods_person(name)
        if person.name:
            yield person


def _build_mods_person(name: Element) -> WorkAuthor:
    family = " ".join(list_xml_texts(name, "namePart[@type='family']"))
    given = list_xml_texts(name, "namePart[@type='given']")
    if family:
        return reference_fields.build_person(
            family=family,
            given=" ".join(
                f"{part}." if len(part) == 1 and len(given) > 1 else part for part in given
            ),
            suffix=extract_xml_text(name, "namePart[@type='termsOfAddress']"),
        )
    plain = [
        part for element in name.findall("namePart") if not element.get("type")
        for part in [extract_xml_text(element)] if part
    ]  # fmt: skip
    whole = " ".join(plain) or extract_xml_text(name, "displayForm")
    if name.get("type") == "corporate":
        return reference_fields.build_organisation(whole)
    return reference_fields.parse_whole_name(whole)


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
                listed = file_records.clean_page_range(extract_xml_text(extent, "list"))
                return listed or file_records.join_page_numbers(
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
        if kind := load_texts(__package__, "mods_references", "mods_kinds").get(genre):
            return "chapter" if kind == "book" and host is not None else kind
    if host is None:
        return ""
    around = {genre.lower() for genre in list_xml_texts(host, "genre")}
    if around & {"academic journal", "periodical", "journal"}:
        return "article-journal"
    if "conference publication" in around:
        return "paper-conference"
    return "chapter" if "book" in around or "collection" in around else ""


# Parses Zotero RDF: items, and the journals, books and series that they refer to.


def parse_zotero_rdf(text: str) -> BibliographyDocument:
    try:
        root = file_records.parse_plain_tree(text)
    except UnusableXml as error:
        is_bomb = isinstance(error, ExcessiveXml)
        reason = str(error) if is_bomb else file_records.describe_xml_error(error)
        damage = MalformedEntry(line=file_records.find_error_line(error), reason=reason)
        return BibliographyDocument(format="zotero-rdf", references=(), malformed=(damage,))
    described = {about: node for node in root.iter() if (about := node.get("about"))}
    items = list(_iterate_rdf_items(root))
    malformed = []
    if not items:
        malformed = [MalformedEntry(line=1, reason="No record was found.")]
    elif len(items) > MAX_RECORDS:
        malformed = [MalformedEntry(line=1, reason=RECORDS_LIMIT_REASON)]
    return BibliographyDocument(
        format="zotero-rdf",
        references=tuple(_build_rdf_reference(item, described) for item in items[:MAX_RECORDS]),
        malformed=tuple(malformed),
    )


def _iterate_rdf_items(root: Element) -> Iterator[Element]:
    for node in root:
        kind = extract_xml_text(node, "itemType")
        if node.tag in _ASIDE_ELEMENTS or kind in {"attachment", "note", "annotation"}:
            continue
        if kind or node.tag in load_words(__package__, "zotero_rdf", "item_elements"):
            yield node


def _build_rdf_reference(item: Element, described: dict[str, Element]) -> Reference:
    container = _find_rdf_container(item, described)
    sources = [source for source in (item, container) if source is not None]
    identifiers = [text for source in sources for text in list_xml_texts(source, "identifier")]
    urls = list_xml_texts(item, "identifier/URI/value")
    about = item.get("about", "")
    published = parse_partial_date(extract_xml_text(item, "date"))
    people = next(
        filter(None, (list(map(_build_rdf_person, item.iterfind(path))) for path in _PEOPLE_PATHS)),
        [],
    )
    # The site of a web page, which is a part of it without a name of its own.
    return Reference(
        raw=extract_xml_text(item, "title"),
        title=extract_xml_text(item, "title"),
        authors=tuple(person for person in people if person.name),
        year=extract_year(published),
        published=published,
        venue=extract_xml_text(container, "title")
        or next(iter(list_xml_texts(item, "isPartOf//title")), ""),
        volume=_find_rdf_field(sources, "volume"),
        issue=_find_rdf_field(sources, "number"),
        pages=file_records.clean_page_range(extract_xml_text(item, "pages")),
        publisher=extract_xml_text(item, "publisher//name"),
        url=urls[0] if urls else about if about.startswith("http") else "",
        ids=file_records.collect_field_ids(
            doi=_find_labelled_identifier(identifiers, "DOI"),
            isbn=_find_labelled_identifier(identifiers, "ISBN"),
            pmid=_find_extra_line(item, "PMID"),
            pmcid=_find_extra_line(item, "PMCID"),
            urls=[*urls, about],
        ),
        kind=load_texts(__package__, "zotero_rdf", "zotero_kinds").get(
            extract_xml_text(item, "itemType"), ""
        ),
        key=extract_xml_text(item, "citationKey"),
    )


def _find_rdf_container(item: Element, described: dict[str, Element]) -> Element | None:
    """The journal or book that the item is part of, inside it or elsewhere in the file."""
    for part in item.findall("isPartOf"):
        for child in part:
            if child.tag != "Series":
                return child
        target = described.get(part.get("resource", ""))
        if target is not None and target is not item:
            return target
    return None


def _find_rdf_field(sources: list[Element], name: str) -> str:
    return next(filter(None, (extract_xml_text(source, name) for source in sources)), "")


def _find_labelled_identifier(identifiers: list[str], label: str) -> str:
    marked = (text for text in identifiers if text.upper().startswith(f"{label} "))
    return next(marked, "").partition(" ")[2]


def _find_extra_line(item: Element, label: str) -> str:
    """A line "PMID: 123" of the field Extra."""
    for text in list_xml_texts(item, "description"):
        _, found, rest = text.partition(f"{label}:")
        if found:
            return rest.split()[0] if rest.split() else ""
    return ""


def _build_rdf_person(person: Element) -> WorkAuthor:
    family = extract_xml_text(person, "surname")
    given = extract_xml_text(person, "givenName") or extract_xml_text(person, "givenname")
    if not given:
        return reference_fields.parse_whole_name(family)
    return reference_fields.build_person(family=family, given=given)
