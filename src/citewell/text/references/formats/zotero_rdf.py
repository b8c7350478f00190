"""Parses Zotero RDF: items, and the journals, books and series that they refer to."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from citewell.model.paper import WorkAuthor
from citewell.model.reference import BibliographyDocument, MalformedEntry, Reference
from citewell.text.dates.partial_dates import extract_year, parse_partial_date
from citewell.text.references import reference_people
from citewell.text.references.field_cleaning import MAX_RECORDS, RECORDS_LIMIT_REASON
from citewell.text.references.formats import tagged_records, xml_records
from citewell.text.references.formats.xml_records import extract_xml_text, list_xml_texts
from citewell.text.safety.xml_trees import ExcessiveXml, UnusableXml

_ZOTERO_KINDS = {
    "journalArticle": "article-journal", "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper", "book": "book", "bookSection": "chapter",
    "conferencePaper": "paper-conference", "thesis": "thesis", "report": "report",
    "webpage": "webpage", "blogPost": "post-weblog", "preprint": "article", "patent": "patent",
    "dataset": "dataset", "computerProgram": "software", "case": "legal_case",
    "statute": "legislation", "manuscript": "manuscript", "standard": "standard",
    "encyclopediaArticle": "entry-encyclopedia", "dictionaryEntry": "entry-dictionary",
    "forumPost": "post", "document": "document", "presentation": "speech",
}  # fmt: skip
_ITEM_ELEMENTS = frozenset(
    [
        "Article",
        "Book",
        "BookSection",
        "Document",
        "Thesis",
        "Report",
        "Manuscript",
        "Patent",
        "Recording",
        "Letter",
        "Legislation",
    ]
)
_ASIDE_ELEMENTS = frozenset({"Attachment", "Memo", "Collection", "Journal", "Series", "Periodical"})
_PEOPLE_PATHS = (
    "authors//Person",
    "contributors//Person",
    "editors//Person",
)


def parse_zotero_rdf(text: str) -> BibliographyDocument:
    try:
        root = xml_records.parse_plain_tree(text)
    except UnusableXml as error:
        is_bomb = isinstance(error, ExcessiveXml)
        reason = str(error) if is_bomb else xml_records.describe_xml_error(error)
        damage = MalformedEntry(line=xml_records.find_error_line(error), reason=reason)
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
        if kind or node.tag in _ITEM_ELEMENTS:
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
    return Reference(
        raw=extract_xml_text(item, "title"),
        title=extract_xml_text(item, "title"),
        authors=tuple(person for person in people if person.name),
        year=extract_year(published),
        published=published,
        venue=extract_xml_text(container, "title") or _find_rdf_site(item),
        volume=_find_rdf_field(sources, "volume"),
        issue=_find_rdf_field(sources, "number"),
        pages=tagged_records.clean_page_range(extract_xml_text(item, "pages")),
        publisher=extract_xml_text(item, "publisher//name"),
        url=urls[0] if urls else about if about.startswith("http") else "",
        ids=tagged_records.collect_field_ids(
            doi=_find_labelled_identifier(identifiers, "DOI"),
            isbn=_find_labelled_identifier(identifiers, "ISBN"),
            pmid=_find_extra_line(item, "PMID"),
            pmcid=_find_extra_line(item, "PMCID"),
            urls=[*urls, about],
        ),
        kind=_ZOTERO_KINDS.get(extract_xml_text(item, "itemType"), ""),
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


def _find_rdf_site(item: Element) -> str:
    """The site of a web page, which is a part of it without a name of its own."""
    return next(iter(list_xml_texts(item, "isPartOf//title")), "")


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
        return reference_people.parse_whole_name(family)
    return reference_people.build_person(family=family, given=given)
