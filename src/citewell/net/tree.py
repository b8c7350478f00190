"""Other people's XML, read safely: no entities, nothing from outside, bounded depth; else BadShape."""

from __future__ import annotations

import re
from html import unescape
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from citewell.errors import BadShape
from citewell.net.message import Response
from citewell.text.invisible import visible

_DEEPEST = 200
_MOST = 1_000_000  # elements
# Markup that somebody escaped into text; any other "<" there is a sign: A<B and C>D.
_INLINE = re.compile(
    r"</?(?:i|b|u|em|strong|italic|bold|sc|sub|sup|p|br|span|tt)\s*/?>", re.IGNORECASE
)


class _TooMuch(Exception):
    """The document grows beyond all measure, or would if we let it."""


class _Builder:
    """Hands expat's events on, with names in ElementTree's {namespace}name form."""

    def __init__(self) -> None:
        self._tree = TreeBuilder()
        self._depth = 0
        self._count = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._count += 1
        if self._depth > _DEEPEST or self._count > _MOST:
            raise _TooMuch
        self._tree.start(_named(name), {_named(key): said for key, said in attributes.items()})

    def end(self, name: str) -> None:
        self._depth -= 1
        self._tree.end(_named(name))

    def data(self, text: str) -> None:
        self._tree.data(text)

    def close(self) -> Element:
        return self._tree.close()


def read_tree(response: Response) -> Element:
    """The root of the answer; a document type is fine, entities of its own are not."""
    builder = _Builder()
    try:
        parser = expat.ParserCreate(namespace_separator="}")
        parser.StartElementHandler = builder.start
        parser.EndElementHandler = builder.end
        parser.CharacterDataHandler = builder.data
        parser.EntityDeclHandler = _refuse
        parser.UnparsedEntityDeclHandler = _refuse
        parser.buffer_text = True
        parser.Parse(response.body, True)
        return builder.close()
    except (expat.ExpatError, AssertionError, LookupError, ValueError, _TooMuch):
        message = f"Expected XML and got something else in {len(response.body)} bytes."
        raise BadShape(message, provider=response.provider) from None


def said(element: Element | None, path: str = ".") -> str:
    """All the text in the first element at `path`, clean and on one line; empty when there is none."""
    found = element.find(path) if element is not None else None
    if found is None:
        return ""
    text = _INLINE.sub("", unescape("".join(found.itertext())))
    return " ".join(visible(text).split())


def _named(raw: str) -> str:
    return "{" + raw if "}" in raw else raw


def _refuse(*_: object) -> None:
    raise _TooMuch
