"""Reads the title, author, date and language that an office document declares."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import Broken
from citewell.fetch.documents.zip_archive import ZipDocument
from citewell.text.dates.calendar_dates import parse_document_date

_PROPERTY_PARTS = ("docProps/core.xml", "docProps/app.xml", "meta.xml")
# What the default template of python-pptx declares, which most of its users never change.
_TEMPLATE_TITLE, _TEMPLATE_AUTHOR = "PowerPoint Presentation", "Steve Canny"
_TEMPLATE_CREATED = "2013-01-27T09:14:16Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeProperties:
    title: str | None = None
    author: str | None = None
    created: str | None = None
    language: str | None = None
    pages: int | None = None


def read_office_properties(archive: ZipDocument) -> OfficeProperties:
    """The declared properties; damaged property files and those of a template are ignored."""
    found: dict[str, str] = {}
    pages: int | None = None
    for name in _PROPERTY_PARTS:
        root = _find_property_part(archive, name)
        for element in root.iter() if root is not None else ():
            text = xml_tree.join_element_text(element)
            if text and len(element) == 0:
                found.setdefault(xml_tree.strip_namespace(element), text)
            count = xml_tree.find_xml_attribute(element, "page-count")
            pages = int(count) if count.isascii() and count.isdigit() and len(count) < 7 else pages
    _drop_template_values(found)
    counted = found.get("Pages", "")
    return OfficeProperties(
        title=found.get("title"),
        author=found.get("creator") or found.get("initial-creator"),
        created=parse_document_date(
            found.get("created") or found.get("creation-date") or found.get("date")
        ),
        language=(found.get("language") or "")[:2].lower() or None,
        pages=int(counted)
        if counted.isascii() and counted.isdigit() and len(counted) < 7
        else pages,
    )


def _drop_template_values(found: dict[str, str]) -> None:
    is_untitled = found.get("title") == _TEMPLATE_TITLE
    is_template = is_untitled or found.get("created") == _TEMPLATE_CREATED
    if is_template and found.get("creator") == _TEMPLATE_AUTHOR:
        del found["creator"]
    if is_untitled:
        del found["title"]


def _find_property_part(archive: ZipDocument, name: str) -> Element | None:
    if name not in archive:
        return None
    try:
        return xml_tree.parse_xml_bytes(archive.read_member(name))
    except Broken:
        return None
