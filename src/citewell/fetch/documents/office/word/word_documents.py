"""Reads word processor documents, DOCX and ODT, as markdown."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import Broken, DocumentLimits, ParsedDocument
from citewell.fetch.documents.office.office_properties import read_office_properties
from citewell.fetch.documents.office.package_relations import read_package_relations
from citewell.fetch.documents.office.word.word_blocks import WordBlocks, WordParts
from citewell.fetch.documents.zip_archive import ZipDocument

_MAIN_PART = "word/document.xml"


def read_docx(body: bytes, limits: DocumentLimits) -> ParsedDocument:
    archive = ZipDocument(body, limits)
    main = find_main_part(archive)
    relations = read_package_relations(archive, main)
    parts = WordParts(archive, main, relations)
    root = xml_tree.parse_xml_bytes(archive.read_member(main))
    blocks = WordBlocks(parts)
    markdown = blocks.render_body(expect_body(root))
    notes = blocks.describe_omissions()
    if not markdown.strip():
        markdown = _render_page_margins(parts)
    about = read_office_properties(archive)
    return ParsedDocument(markdown=markdown, notes=notes, title=about.title, author=about.author,
                  created=about.created, page_count=about.pages, language=about.language)  # fmt: skip


def find_main_part(archive: ZipDocument) -> str:
    """The name of the part with the text, which the package's own relations name."""
    for relation in read_package_relations(archive, "").values():
        if relation.kind == "officeDocument" and relation.target in archive:
            return relation.target
    if _MAIN_PART in archive:
        return _MAIN_PART
    raise Broken("The Word document has no text part.")


def expect_body(root: Element) -> Element:
    body = xml_tree.find_child_element(root, "body")
    if body is None:
        raise Broken("The Word document's text part has no body.")
    return body


def _render_page_margins(parts: WordParts) -> str:
    """Headers and footers, read only where a document has no other text."""
    made: list[str] = []
    for relation in parts.relations.values():
        if relation.kind in {"header", "footer"} and relation.target in parts.archive:
            root = xml_tree.parse_xml_bytes(parts.archive.read_member(relation.target))
            text = WordBlocks(parts.open_part(relation.target)).render_body(root)
            if text and text not in made:
                made.append(text)
    return "\n\n".join(made)


def read_odt(body: bytes, limits: DocumentLimits) -> ParsedDocument:
    from citewell.fetch.documents.office.opendocument import OpenDocument

    archive = ZipDocument(body, limits)
    document = OpenDocument(archive)
    about = read_office_properties(archive)
    return ParsedDocument(markdown=document.render_text(), title=about.title, author=about.author,
                  created=about.created, page_count=about.pages, language=about.language,
                  notes=document.describe_hidden_text())  # fmt: skip
