"""Reads the XML of documents: the tree, or the errors of documents, and its elements by local name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from xml.etree.ElementTree import Element
from xml.parsers import expat

from citewell.reading.documents.document_text import Broken, TookTooMuch
from citewell.text.safety import xml_trees

_MATH_NAMESPACES = (
    "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "http://purl.oclc.org/ooxml/officeDocument/math",
)
_EQUATION_NAMES = frozenset(
    f"{{{space}}}{name}" for space in _MATH_NAMESPACES for name in ("oMath", "oMathPara")
)


def parse_xml_text(text: str) -> Element:
    """The root element of decoded XML; its encoding declaration is ignored."""
    return parse_xml_bytes(text.encode("utf-8", "replace"), charset="utf-8")


def parse_xml_bytes(body: bytes, *, charset: str | None = None) -> Element:
    """The root element, with {namespace}name tags; raises Broken or TookTooMuch.

    An equation may be nested without end: what is too deep in one is left out.
    """
    try:
        return xml_trees.parse_xml_tree(body, charset=charset, pruned_names=_EQUATION_NAMES)
    except xml_trees.ExcessiveXml as error:
        raise TookTooMuch(str(error)) from None
    except xml_trees.MalformedXml as error:
        raise Broken("The document's XML is not well formed.") from error


class _RootReached(Exception):
    pass


def read_root_attributes(body: bytes) -> dict[str, str]:
    """The attributes of the root element, without reading the rest; empty if there is no root."""
    found: dict[str, str] = {}

    def take_root(_: str, attributes: dict[str, str]) -> None:
        found.update(attributes)
        raise _RootReached

    parser = expat.ParserCreate()
    parser.StartElementHandler = take_root
    with suppress(_RootReached, expat.ExpatError, LookupError, ValueError):
        parser.Parse(body, True)
    return found


def iterate_child_elements(body: bytes, parent: str, name: str) -> Iterator[Element]:
    """The `name` elements directly in `parent` elements, one at a time, so that few are in memory.

    Raises Broken or TookTooMuch, as parse_xml_bytes does.
    """
    try:
        yield from xml_trees.stream_xml_elements(body, parent=parent, name=name)
    except xml_trees.ExcessiveXml as error:
        raise TookTooMuch(str(error)) from None
    except xml_trees.MalformedXml as error:
        raise Broken("The document's XML is not well formed.") from error


def strip_namespace(element: Element) -> str:
    """The name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def find_child_element(element: Element | None, *names: str) -> Element | None:
    """The first child with one of these names; None if there is none, or no element."""
    children = element if element is not None else ()
    return next((item for item in children if strip_namespace(item) in names), None)


def collect_child_elements(element: Element | None, name: str) -> list[Element]:
    return (
        [item for item in element if strip_namespace(item) == name] if element is not None else []
    )


def find_descendants(element: Element | None, *names: str) -> Iterator[Element]:
    """The element itself and those within it that have one of these names, in document order."""
    for item in element.iter() if element is not None else ():
        if strip_namespace(item) in names:
            yield item


def find_xml_attribute(element: Element | None, name: str) -> str:
    """An attribute's value by local name, in any namespace; "" if it is absent."""
    if element is None:
        return ""
    if name in element.attrib:
        return element.attrib[name]
    return next((value for key, value in element.attrib.items() if key.endswith("}" + name)), "")


def join_element_text(element: Element | None) -> str:
    """All text in an element, on one line."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def join_text_runs(element: Element | None, name: str = "t") -> str:
    """The text of the runs within an element as it is; formulas and marks between them are left out."""
    return "".join(item.text or "" for item in find_descendants(element, name))


def read_child_value(parent: Element | None, name: str) -> str | None:
    """The `val` of a child element; None if there is no such child."""
    child = find_child_element(parent, name)
    return find_xml_attribute(child, "val") if child is not None else None


def parse_short_number(text: str, default: int, *, max_digits: int = 8) -> int:
    """A whole number in an attribute; `default` if the text is none, or is too long to be meant."""
    is_number = text.isascii() and text.isdigit() and len(text) <= max_digits
    return int(text) if is_number else default
