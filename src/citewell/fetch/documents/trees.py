"""Parses XML that nobody vouches for: no entities, no outside references, bounded depth and size."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from citewell.fetch.documents.document import Broken, TookTooMuch

_DEEPEST = 400
_MOST = 5_000_000  # elements


class _Builder:
    def __init__(self) -> None:
        self._tree = TreeBuilder()
        self._depth = 0
        self._count = 0
        self._names: dict[str, str] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._count += 1
        if self._depth > _DEEPEST or self._count > _MOST:
            raise TookTooMuch("The XML is nested or repeated beyond all measure.")
        known = {self._name(key): value for key, value in attributes.items()}
        self._tree.start(self._name(name), known)

    def end(self, name: str) -> None:
        self._depth -= 1
        self._tree.end(self._name(name))

    def data(self, text: str) -> None:
        self._tree.data(text)

    def close(self) -> Element:
        return self._tree.close()

    def _name(self, raw: str) -> str:
        made = self._names.get(raw)
        if made is None:
            made = self._names[raw] = "{" + raw if "}" in raw else raw
        return made


def _no_entities(*_: object) -> int:
    raise TookTooMuch("The XML declares entities of its own, as XML bombs do; it is not read.")


def parse_text(text: str) -> Element:
    """The same for XML already decoded: what it says of its own charset no longer counts."""
    return parse(text.encode("utf-8", "replace"), charset="utf-8")


def parse(body: bytes, *, charset: str | None = None) -> Element:
    """The root element; names are in ElementTree's {namespace}name form."""
    parser = expat.ParserCreate(charset, "}")
    builder = _Builder()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = _no_entities
    parser.UnparsedEntityDeclHandler = _no_entities
    parser.ExternalEntityRefHandler = _no_entities
    parser.buffer_text = True
    try:
        parser.Parse(body, True)
        return builder.close()
    except (expat.ExpatError, AssertionError, LookupError, ValueError) as error:
        raise Broken("The document's XML is not well formed.") from error


def local(element: Element) -> str:
    """The name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def child(element: Element, name: str) -> Element | None:
    return next((item for item in element if local(item) == name), None)


def children(element: Element, name: str) -> list[Element]:
    return [item for item in element if local(item) == name]


def attribute(element: Element, name: str) -> str:
    """An attribute by local name, in whatever namespace it stands."""
    if name in element.attrib:
        return element.attrib[name]
    return next((value for key, value in element.attrib.items() if key.endswith("}" + name)), "")


def words(element: Element | None) -> str:
    """All text in an element on one line."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def said(element: Element | None) -> str | None:
    return words(element) or None


def declares_entities(body: bytes) -> bool:
    """For parts that another parser will read: whether a DTD with entities is in them."""
    head = body[:200_000]
    wide = head.replace(b"\x00", b"") if b"\x00" in head[:64] else head
    return re.search(rb"<!\s*(?:ENTITY|DOCTYPE[^>]*\[)", wide, re.IGNORECASE) is not None
