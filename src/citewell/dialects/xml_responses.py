"""Safe parsing of XML from outside: no entities, no external files, limited depth and size."""

from __future__ import annotations

import re
from html import unescape
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from citewell.errors import MalformedResponse
from citewell.net.http.messages import HttpResponse
from citewell.text.safety.invisible_characters import extract_visible_text

_MAX_XML_DEPTH = 200
_MAX_XML_ELEMENTS = 1_000_000  # elements
# Inline markup that was escaped into text; any other "<" is a sign, as in A<B and C>D.
_INLINE_MARKUP_PATTERN = re.compile(
    r"</?(?:i|b|u|em|strong|italic|bold|sc|sub|sup|p|br|span|tt)\s*/?>", re.IGNORECASE
)


class _XmlTooLarge(Exception):
    """The document is too deep or too large, or declares entities."""


class _XmlTreeBuilder:
    """Builds an ElementTree from expat events, with names in the form {namespace}name."""

    def __init__(self) -> None:
        self._tree = TreeBuilder()
        self._depth = 0
        self._count = 0

    def start_element(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._count += 1
        if self._depth > _MAX_XML_DEPTH or self._count > _MAX_XML_ELEMENTS:
            raise _XmlTooLarge
        self._tree.start(
            _convert_element_name(name),
            {_convert_element_name(key): said for key, said in attributes.items()},
        )

    def end_element(self, name: str) -> None:
        self._depth -= 1
        self._tree.end(_convert_element_name(name))

    def add_text(self, text: str) -> None:
        self._tree.data(text)

    def close_tree(self) -> Element:
        return self._tree.close()


def read_xml_tree(response: HttpResponse) -> Element:
    """The root element. MalformedResponse if it is not XML, is too large, or declares entities."""
    builder = _XmlTreeBuilder()
    try:
        parser = expat.ParserCreate(namespace_separator="}")
        parser.StartElementHandler = builder.start_element
        parser.EndElementHandler = builder.end_element
        parser.CharacterDataHandler = builder.add_text
        parser.EntityDeclHandler = _refuse_entity
        parser.UnparsedEntityDeclHandler = _refuse_entity
        parser.buffer_text = True
        parser.Parse(response.body, True)
        return builder.close_tree()
    except (expat.ExpatError, AssertionError, LookupError, ValueError, _XmlTooLarge):
        message = f"Expected XML and got something else ({len(response.body)} bytes)."
        raise MalformedResponse(message, provider=response.provider) from None


def extract_element_text(element: Element | None, path: str = ".") -> str:
    """The text of the first element at `path`, cleaned and on one line; empty if there is none."""
    found = element.find(path) if element is not None else None
    if found is None:
        return ""
    text = _INLINE_MARKUP_PATTERN.sub("", unescape("".join(found.itertext())))
    return " ".join(extract_visible_text(text).split())


def _convert_element_name(raw: str) -> str:
    return "{" + raw if "}" in raw else raw


def _refuse_entity(*_: object) -> None:
    raise _XmlTooLarge
