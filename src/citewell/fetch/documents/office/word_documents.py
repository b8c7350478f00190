"""Reads word processor documents: DOCX with mammoth, ODT with OpenDocument."""

from __future__ import annotations

import io
import re
import zipfile
from xml.etree.ElementTree import Element, tostring

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import (
    Broken,
    DocumentLimits,
    ParsedDocument,
    TookTooMuch,
)
from citewell.fetch.documents.html_fragments import convert_html_fragment
from citewell.fetch.documents.office.office_properties import read_office_properties
from citewell.fetch.documents.zip_archive import ZipDocument

_HIDDEN_RUN_PATTERN = re.compile(rb"<w:(?:vanish|webHidden)\b")
_SKIPPED_PART_PREFIXES = (
    "docProps/", "customXml/", "word/theme/", "word/settings", "word/fontTable", "word/webSettings",
    "word/stylesWithEffects", "word/glossary/", "word/charts/", "word/diagrams/",
)  # fmt: skip
_FALSE_VALUES = frozenset({"0", "false", "off"})


def read_docx(body: bytes, limits: DocumentLimits) -> ParsedDocument:
    archive = ZipDocument(body, limits)
    if "word/document.xml" not in archive and not any(
        n.startswith("word/document") for n in archive.member_names()
    ):
        raise Broken("The Word document has no text part.")
    clean, hidden = _rebuild_visible_package(archive)
    markdown = convert_html_fragment(_convert_docx_html(clean))
    notes = (f"{hidden} pieces of hidden text were left out.",) if hidden else ()
    about = read_office_properties(archive)
    return ParsedDocument(markdown=markdown, notes=notes, title=about.title, author=about.author,
                  created=about.created, page_count=about.pages, language=about.language)  # fmt: skip


def _convert_docx_html(package: bytes) -> str:
    import mammoth  # type: ignore[import-untyped] # ships no types

    ignored = mammoth.images.img_element(lambda image: {"src": "", "alt": image.alt_text or ""})
    result = mammoth.convert_to_html(
        io.BytesIO(package),
        convert_image=ignored,
        style_map="p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh\np[style-name='Quote'] => blockquote > p:fresh\np[style-name='Intense Quote'] => blockquote > p:fresh",
        external_file_access=False,
    )
    return str(result.value)


def _rebuild_visible_package(archive: ZipDocument) -> tuple[bytes, int]:
    """The package rebuilt without media and hidden runs, and the number of hidden runs."""
    hidden = 0
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as package:
        for name in archive.member_names():
            if not name.endswith((".xml", ".rels")):
                if name.startswith("word/media/"):
                    package.writestr(name, b"")
                continue
            if name.startswith(_SKIPPED_PART_PREFIXES):
                continue
            part = archive.read_member(name)
            if xml_tree.has_entity_declarations(part):
                raise TookTooMuch(
                    "The document's XML declares entities, as XML bombs do; it was not read."
                )
            root = xml_tree.parse_xml_bytes(part)
            if name.startswith("word/") and _HIDDEN_RUN_PATTERN.search(part):
                hidden += _remove_hidden_runs(root)
                part = tostring(root, encoding="utf-8", xml_declaration=True)
            package.writestr(name, part)
    return out.getvalue(), hidden


def _remove_hidden_runs(root: Element) -> int:
    dropped = 0
    for parent in list(root.iter()):
        for run in xml_tree.collect_child_elements(parent, "r"):
            properties = xml_tree.find_child_element(run, "rPr")
            mark = (
                xml_tree.find_child_element(properties, "vanish")
                if properties is not None
                else None
            )
            if (
                mark is not None
                and xml_tree.find_xml_attribute(mark, "val").lower() not in _FALSE_VALUES
            ):
                parent.remove(run)
                dropped += 1
    return dropped


def read_odt(body: bytes, limits: DocumentLimits) -> ParsedDocument:
    from citewell.fetch.documents.office.opendocument import OpenDocument

    archive = ZipDocument(body, limits)
    document = OpenDocument(archive)
    about = read_office_properties(archive)
    return ParsedDocument(markdown=document.render_text(), title=about.title, author=about.author,
                  created=about.created, page_count=about.pages, language=about.language,
                  notes=document.describe_hidden_text())  # fmt: skip
