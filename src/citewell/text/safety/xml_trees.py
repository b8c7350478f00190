"""Parses XML from outside into a tree: no entities, no external files, limited depth and size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

MAX_XML_DEPTH = 400
MAX_XML_ELEMENTS = 5_000_000
MAX_STREAMED_ELEMENTS = 20_000_000  # of which only few are in memory at a time
_STREAM_CHUNK_BYTES = 2**16


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
    pruned_names: frozenset[str] = frozenset(),
) -> Element:
    """The root element, with names in the form {namespace}name; raises MalformedXml or ExcessiveXml.

    `charset` overrides the encoding that the XML declares. Inside the elements of `pruned_names`,
    what is nested deeper than `max_depth` is left out instead of refused.
    """
    builder = _BoundedTreeBuilder(max_depth, max_elements, pruned_names)
    with _name_parse_errors():
        _open_expat_parser(builder, charset).Parse(body, True)
        return builder.close_tree()


def stream_xml_elements(
    body: bytes,
    *,
    parent: str,
    name: str,
    max_depth: int = MAX_XML_DEPTH,
    max_elements: int = MAX_STREAMED_ELEMENTS,
) -> Iterator[Element]:
    """The `name` elements directly inside `parent` elements, by local names, in order.

    Each is released after it was yielded. Raises MalformedXml or ExcessiveXml.
    """
    builder = _StreamedTreeBuilder(max_depth, max_elements, parent, name)
    with _name_parse_errors():
        parser = _open_expat_parser(builder, None)
        for start in range(0, len(body), _STREAM_CHUNK_BYTES):
            parser.Parse(body[start : start + _STREAM_CHUNK_BYTES], False)
            yield from builder.take_finished()
        parser.Parse(b"", True)
        yield from builder.take_finished()


def _open_expat_parser(builder: _BoundedTreeBuilder, charset: str | None) -> expat.XMLParserType:
    parser = expat.ParserCreate(charset, "}")
    parser.StartElementHandler = builder.start_element
    parser.EndElementHandler = builder.end_element
    parser.CharacterDataHandler = builder.add_text
    parser.EntityDeclHandler = _refuse_entity
    parser.UnparsedEntityDeclHandler = _refuse_entity
    parser.ExternalEntityRefHandler = _refuse_entity
    parser.buffer_text = True
    return parser


@contextmanager
def _name_parse_errors() -> Iterator[None]:
    try:
        yield
    except UnusableXml:
        raise
    except (expat.ExpatError, AssertionError, LookupError, ValueError) as error:
        raise MalformedXml("The XML is not well formed.") from error


class _BoundedTreeBuilder:
    """Builds an ElementTree from expat events; raises ExcessiveXml when a limit is reached."""

    def __init__(self, max_depth: int, max_elements: int, pruned_names: frozenset[str]) -> None:
        self._tree = TreeBuilder()
        self._pruned_names = pruned_names
        self._pruned_from = 0  # depth of the outermost element that may be pruned; 0 outside
        self._max_depth = max_depth
        self._max_elements = max_elements
        self._depth = 0
        self._count = 0
        self._names: dict[str, str] = {}

    def start_element(self, name: str, attributes: dict[str, str]) -> None:
        if not self.count_element():
            return
        if not self._pruned_from and self._convert_qualified_name(name) in self._pruned_names:
            self._pruned_from = self._depth
        known = {self._convert_qualified_name(key): value for key, value in attributes.items()}
        self._tree.start(self._convert_qualified_name(name), known)

    def count_element(self) -> bool:
        """False if the element is too deep in one that may be pruned; raises ExcessiveXml."""
        self._depth += 1
        self._count += 1
        if self._count <= self._max_elements:
            if self._depth <= self._max_depth:
                return True
            if self._pruned_from:
                return False
        raise ExcessiveXml("The XML is nested too deeply or has too many elements.")

    def end_element(self, name: str) -> None:
        self._depth -= 1
        if self._depth >= self._max_depth:
            return
        self._tree.end(self._convert_qualified_name(name))
        if self._depth < self._pruned_from:
            self._pruned_from = 0

    def add_text(self, text: str) -> None:
        if self._depth <= self._max_depth:
            self._tree.data(text)

    def close_tree(self) -> Element:
        return self._tree.close()

    def _convert_qualified_name(self, raw: str) -> str:
        made = self._names.get(raw)
        if made is None:
            made = self._names[raw] = "{" + raw if "}" in raw else raw
        return made


class _StreamedTreeBuilder(_BoundedTreeBuilder):
    """Keeps only the elements asked for, and those only until they are taken."""

    def __init__(self, max_depth: int, max_elements: int, parent: str, name: str) -> None:
        super().__init__(max_depth, max_elements, frozenset())
        self._parent, self._name = parent, name
        self._open: list[str] = []  # local names of the open elements outside of a wanted one
        self._inside = 0  # depth inside a wanted element
        self._holder = self._tree.start(name, {})  # has the wanted elements until they are taken
        self._finished = 0

    def start_element(self, name: str, attributes: dict[str, str]) -> None:
        if self._inside:
            self._inside += 1
            super().start_element(name, attributes)
            return
        local = name.rpartition("}")[2]
        if local == self._name and self._open and self._open[-1] == self._parent:
            self._inside = 1
            super().start_element(name, attributes)
            return
        self.count_element()
        self._open.append(local)

    def end_element(self, name: str) -> None:
        if not self._inside:
            self._depth -= 1
            self._open.pop()
            return
        super().end_element(name)
        self._inside -= 1
        self._finished += not self._inside

    def add_text(self, text: str) -> None:
        if self._inside:
            super().add_text(text)

    def take_finished(self) -> list[Element]:
        finished = self._holder[: self._finished]
        del self._holder[: self._finished]
        self._finished = 0
        return finished


def _refuse_entity(*_: object) -> int:
    raise ExcessiveXml("The XML declares entities, as XML bombs do; it was not read.")
