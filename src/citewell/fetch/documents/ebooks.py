"""Reads EPUB e-books: their chapters in reading order, as markdown."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from citewell.fetch.decoding.page_charset import decode_body
from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import (
    Broken,
    DocumentLimits,
    EncryptedDocument,
    ParsedDocument,
)
from citewell.fetch.documents.html_fragments import convert_html_fragment
from citewell.fetch.documents.page_ranges import choose_pages
from citewell.fetch.documents.zip_archive import ZipDocument
from citewell.text.dates.calendar_dates import parse_document_date

_CHAPTER_MEDIA_TYPES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


def read_epub(body: bytes, limits: DocumentLimits, pages: str | None) -> ParsedDocument:
    archive = ZipDocument(body, limits)
    package_name = _find_package_name(archive)
    package = xml_tree.parse_xml_bytes(archive.read_member(package_name))
    names = _collect_chapter_names(package, package_name, archive)
    _check_chapter_encryption(archive, names)
    chosen = choose_pages(pages, len(names)) if names else []
    parts = [_render_chapter(archive, names[place]) for place in chosen]
    found = {
        xml_tree.strip_namespace(item): xml_tree.join_element_text(item)
        for item in reversed(list(package.iter()))
    }
    return ParsedDocument(
        markdown="\n\n".join(part for part in parts if part),
        title=found.get("title") or None,
        author=found.get("creator") or None,
        published=parse_document_date(found.get("date")),
        language=found.get("language", "")[:2].lower() or None,
        page_count=len(names),
    )


def _find_package_name(archive: ZipDocument) -> str:
    for item in xml_tree.parse_xml_bytes(archive.read_member("META-INF/container.xml")).iter():
        if xml_tree.strip_namespace(item) == "rootfile" and item.attrib.get("full-path"):
            return item.attrib["full-path"]
    raise Broken("The e-book's container.xml names no package file.")


def _collect_chapter_names(package: Element, name: str, archive: ZipDocument) -> list[str]:
    folder = posixpath.dirname(name)
    items = {
        item.attrib.get("id", ""): item
        for item in package.iter()
        if xml_tree.strip_namespace(item) == "item"
    }
    names: list[str] = []
    for reference in package.iter():
        item = (
            items.get(reference.attrib.get("idref", ""))
            if xml_tree.strip_namespace(reference) == "itemref"
            else None
        )
        if item is None or item.attrib.get("media-type") not in _CHAPTER_MEDIA_TYPES:
            continue
        part = posixpath.normpath(
            posixpath.join(folder, unquote(item.attrib.get("href", "")).partition("#")[0])
        )
        if part in archive and "nav" not in item.attrib.get("properties", "").split():
            names.append(part)
    if not names:
        raise Broken("No chapters were found in the e-book.")
    return names


def _check_chapter_encryption(archive: ZipDocument, names: list[str]) -> None:
    body = archive.find_member("META-INF/encryption.xml")
    locked = (
        {
            unquote(xml_tree.find_xml_attribute(item, "URI"))
            for item in xml_tree.parse_xml_bytes(body).iter()
        }
        if body
        else set()
    )
    if locked & set(names):
        raise EncryptedDocument("The e-book is protected: its chapters are encrypted.")


def _render_chapter(archive: ZipDocument, name: str) -> str:
    text = decode_body(archive.read_member(name), content_type="").text
    return convert_html_fragment(_expand_empty_elements(text))


def _expand_empty_elements(text: str) -> str:
    """XHTML with `<script/>` as `<script></script>`; an HTML parser treats the former as unclosed."""
    for tag in ("script", "title", "style", "a", "div", "span", "p", "i", "b"):
        start = text.find(f"<{tag}")
        if start >= 0 and "/>" in text:
            text = _expand_empty_element(text, tag)
    return text


def _expand_empty_element(text: str, tag: str) -> str:
    import re

    return re.sub(rf"<({tag})(\s[^<>]*)?/>", r"<\1\2></\1>", text)
