"""Reads the XML of documents: the tree, or the errors of documents, and its elements by local name."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from citewell.fetch.documents.document_text import Broken, TookTooMuch
from citewell.text.safety.xml_trees import ExcessiveXml, MalformedXml, parse_xml_tree


def parse_xml_text(text: str) -> Element:
    """The root element of decoded XML; its encoding declaration is ignored."""
    return parse_xml_bytes(text.encode("utf-8", "replace"), charset="utf-8")


def parse_xml_bytes(body: bytes, *, charset: str | None = None) -> Element:
    """The root element, with {namespace}name tags; raises Broken or TookTooMuch."""
    try:
        return parse_xml_tree(body, charset=charset)
    except ExcessiveXml as error:
        raise TookTooMuch(str(error)) from None
    except MalformedXml as error:
        raise Broken("The document's XML is not well formed.") from error


def strip_namespace(element: Element) -> str:
    """The name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def find_child_element(element: Element, name: str) -> Element | None:
    return next((item for item in element if strip_namespace(item) == name), None)


def collect_child_elements(element: Element, name: str) -> list[Element]:
    return [item for item in element if strip_namespace(item) == name]


def find_xml_attribute(element: Element, name: str) -> str:
    """An attribute's value by local name, in any namespace; "" if it is absent."""
    if name in element.attrib:
        return element.attrib[name]
    return next((value for key, value in element.attrib.items() if key.endswith("}" + name)), "")


def join_element_text(element: Element | None) -> str:
    """All text in an element, on one line."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def find_element_text(element: Element | None) -> str | None:
    return join_element_text(element) or None


def has_entity_declarations(body: bytes) -> bool:
    """Whether XML declares entities; checked before another parser reads the part."""
    head = body[:200_000]
    wide = head.replace(b"\x00", b"") if b"\x00" in head[:64] else head
    return re.search(rb"<!\s*(?:ENTITY|DOCTYPE[^>]*\[)", wide, re.IGNORECASE) is not None
