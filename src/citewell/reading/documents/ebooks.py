"""Reads EPUB e-books: their chapters in reading order, as markdown."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from citewell.reading.documents import document_text, xml_tree
from citewell.reading.documents.document_packages import ZipDocument
from citewell.reading.documents.text_documents import convert_html_fragment
from citewell.reading.page_charset import decode_body
from citewell.text.calendar_dates import parse_document_date

_CHAPTER_MEDIA_TYPES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


def read_epub(job: document_text.DocumentRequest) -> document_text.DocumentText:
    archive = ZipDocument(job.body, job.limits)
    package_name = _find_package_name(archive)
    package = xml_tree.parse_xml_bytes(archive.read_member(package_name))
    names = _collect_chapter_names(package, package_name, archive)
    _check_chapter_encryption(archive, names)
    parts: list[str] = []
    for place in document_text.choose_pages(job.pages, len(names)):
        text = decode_body(archive.read_member(names[place]), content_type="").text
        parts.append(convert_html_fragment(_expand_empty_elements(text)))
    found = {
        xml_tree.strip_namespace(item): xml_tree.join_element_text(item)
        for item in reversed(list(package.iter()))
    }
    return document_text.DocumentText(
        markdown="\n\n".join(part for part in parts if part),
        title=found.get("title") or None,
        author=found.get("creator") or None,
        published=parse_document_date(found.get("date")),
        language=found.get("language", "")[:2].lower() or None,
        page_count=len(names),
    )


def _find_package_name(archive: ZipDocument) -> str:
    container = xml_tree.parse_xml_bytes(archive.read_member("META-INF/container.xml"))
    for item in xml_tree.find_descendants(container, "rootfile"):
        if item.attrib.get("full-path"):
            return item.attrib["full-path"]
    raise document_text.Broken("The e-book's container.xml names no package file.")


def _collect_chapter_names(package: Element, name: str, archive: ZipDocument) -> list[str]:
    folder = posixpath.dirname(name)
    items = {item.attrib.get("id", ""): item for item in xml_tree.find_descendants(package, "item")}
    names: list[str] = []
    for reference in xml_tree.find_descendants(package, "itemref"):
        item = items.get(reference.attrib.get("idref", ""))
        if item is None or item.attrib.get("media-type") not in _CHAPTER_MEDIA_TYPES:
            continue
        part = posixpath.normpath(
            posixpath.join(folder, unquote(item.attrib.get("href", "")).partition("#")[0])
        )
        if part in archive and "nav" not in item.attrib.get("properties", "").split():
            names.append(part)
    if not names:
        raise document_text.Broken("No chapters were found in the e-book.")
    return names


def _check_chapter_encryption(archive: ZipDocument, names: list[str]) -> None:
    body = archive.find_member("META-INF/encryption.xml")
    listed = xml_tree.parse_xml_bytes(body).iter() if body else ()
    locked = {unquote(xml_tree.find_xml_attribute(item, "URI")) for item in listed}
    if locked & set(names):
        raise document_text.EncryptedDocument(
            "The e-book is protected: its chapters are encrypted."
        )


def _expand_empty_elements(text: str) -> str:
    """XHTML with `<script/>` as `<script></script>`; an HTML parser treats the former as unclosed."""
    for tag in ("script", "title", "style", "a", "div", "span", "p", "i", "b"):
        start = text.find(f"<{tag}")
        if start >= 0 and "/>" in text:
            text = re.sub(rf"<({tag})(\s[^<>]*)?/>", r"<\1\2></\1>", text)
    return text
