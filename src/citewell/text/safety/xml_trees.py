"""Parses XML from outside into a tree: no entities, no external files, limited depth and size."""

from __future__ import annotations

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

MAX_XML_DEPTH = 400
MAX_XML_ELEMENTS = 5_000_000


class UnusableXml(ValueError):
    """The XML was not parsed; the message says why."""


class MalformedXml(UnusableXml):
    """It is not well-formed XML, or its encoding is unknown."""


class ExcessiveXml(UnusableXml):
    """It is nested too deeply, has too many elements, or declares entities, as XML bombs do."""


def parse_xml_tree(
    body: bytes,
    *,
    charset: str | None = None,
    max_depth: int = MAX_XML_DEPTH,
    max_elements: int = MAX_XML_ELEMENTS,
) -> Element:
    """The root element, with names in the form {namespace}name; raises MalformedXml or ExcessiveXml.

    `charset` overrides the encoding that the XML declares.
    """
    builder = _BoundedTreeBuilder(max_depth, max_elements)
    try:
        parser = expat.ParserCreate(charset, "}")
        parser.StartElementHandler = builder.start_element
        parser.EndElementHandler = builder.end_element
        parser.CharacterDataHandler = builder.add_text
        parser.EntityDeclHandler = _refuse_entity
        parser.UnparsedEntityDeclHandler = _refuse_entity
        parser.ExternalEntityRefHandler = _refuse_entity
        parser.buffer_text = True
        parser.Parse(body, True)
        return builder.close_tree()
    except UnusableXml:
        raise
    except (expat.ExpatError, AssertionError, LookupError, ValueError) as error:
        raise MalformedXml("The XML is not well formed.") from error


class _BoundedTreeBuilder:
    """Builds an ElementTree from expat events; raises ExcessiveXml when a limit is reached."""

    def __init__(self, max_depth: int, max_elements: int) -> None:
        self._tree = TreeBuilder()
        self._max_depth = max_depth
        self._max_elements = max_elements
        self._depth = 0
        self._count = 0
        self._names: dict[str, str] = {}

    def start_element(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._count += 1
        if self._depth > self._max_depth or self._count > self._max_elements:
            raise ExcessiveXml("The XML is nested too deeply or has too many elements.")
        known = {self._convert_qualified_name(key): value for key, value in attributes.items()}
        self._tree.start(self._convert_qualified_name(name), known)

    def end_element(self, name: str) -> None:
        self._depth -= 1
        self._tree.end(self._convert_qualified_name(name))

    def add_text(self, text: str) -> None:
        self._tree.data(text)

    def close_tree(self) -> Element:
        return self._tree.close()

    def _convert_qualified_name(self, raw: str) -> str:
        made = self._names.get(raw)
        if made is None:
            made = self._names[raw] = "{" + raw if "}" in raw else raw
        return made


def _refuse_entity(*_: object) -> int:
    raise ExcessiveXml("The XML declares entities, as XML bombs do; it was not read.")
