"""Parses untrusted XML: no entities, no external references, bounded depth and size."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from citewell.fetch.documents.document_text import Broken, TookTooMuch

_MAX_XML_DEPTH = 400
_MAX_XML_ELEMENTS = 5_000_000  # elements


class _BoundedTreeBuilder:
    def __init__(self) -> None:
        self._tree = TreeBuilder()
        self._depth = 0
        self._count = 0
        self._names: dict[str, str] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._count += 1
        if self._depth > _MAX_XML_DEPTH or self._count > _MAX_XML_ELEMENTS:
            raise TookTooMuch("The XML is nested too deeply or has too many elements.")
        known = {self._convert_qualified_name(key): value for key, value in attributes.items()}
        self._tree.start(self._convert_qualified_name(name), known)

    def end(self, name: str) -> None:
        self._depth -= 1
        self._tree.end(self._convert_qualified_name(name))

    def data(self, text: str) -> None:
        self._tree.data(text)

    def close(self) -> Element:
        return self._tree.close()

    def _convert_qualified_name(self, raw: str) -> str:
        made = self._names.get(raw)
        if made is None:
            made = self._names[raw] = "{" + raw if "}" in raw else raw
        return made


def _refuse_entity(*_: object) -> int:
    raise TookTooMuch("The XML declares entities, as XML bombs do; it was not read.")


def parse_xml_text(text: str) -> Element:
    """The root element of decoded XML; its encoding declaration is ignored."""
    return parse_xml_bytes(text.encode("utf-8", "replace"), charset="utf-8")


def parse_xml_bytes(body: bytes, *, charset: str | None = None) -> Element:
    """The root element, with {namespace}name tags; raises Broken or TookTooMuch."""
    parser = expat.ParserCreate(charset, "}")
    builder = _BoundedTreeBuilder()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = _refuse_entity
    parser.UnparsedEntityDeclHandler = _refuse_entity
    parser.ExternalEntityRefHandler = _refuse_entity
    parser.buffer_text = True
    try:
        parser.Parse(body, True)
        return builder.close()
    except (expat.ExpatError, AssertionError, LookupError, ValueError) as error:
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
