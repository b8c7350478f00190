"""Reads what the styles of a Word document say about headings, lists, quotations and hidden text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree

_HEADING_NAME = re.compile(r"heading (\d)")
_QUOTE_NAMES = frozenset({"quote", "intense quote", "block text", "quotations"})
_CODE_NAMES = frozenset({"source code", "code", "html preformatted", "preformatted text", "macro"})
_CODE_RUN_NAMES = frozenset(
    {"verbatim char", "html code", "inline code", "code char", "source text"}
)
_MAX_STYLE_CHAIN = 20
_FALSE_VALUES = frozenset({"0", "false", "off", "none"})


@dataclass(frozen=True, slots=True, kw_only=True)
class WordStyle:
    """What a style adds to a paragraph or run; None where it says nothing."""

    name: str = ""
    heading_level: int = 0
    list_id: str | None = None
    list_level: int | None = None
    is_hidden: bool | None = None
    is_bold: bool | None = None
    is_italic: bool | None = None
    has_shade: bool = False

    @property
    def is_quote(self) -> bool:
        return self.name in _QUOTE_NAMES

    @property
    def is_code(self) -> bool:
        return self.name in _CODE_NAMES or self.name in _CODE_RUN_NAMES


class WordStyles:
    """The styles by their ids, each with what it inherits."""

    def __init__(self, root: Element | None) -> None:
        self._elements: dict[str, Element] = {}
        self._resolved: dict[str, WordStyle] = {"": WordStyle()}
        self.default_paragraph = ""
        for item in root if root is not None else ():
            if xml_tree.strip_namespace(item) != "style":
                continue
            key = xml_tree.find_xml_attribute(item, "styleId")
            self._elements.setdefault(key, item)
            if (
                xml_tree.find_xml_attribute(item, "default") in {"1", "true"}
                and xml_tree.find_xml_attribute(item, "type") == "paragraph"
            ):
                self.default_paragraph = key

    def find_style(self, key: str) -> WordStyle:
        """The style with this id; an empty one if the document does not define it."""
        found = self._resolved.get(key)
        if found is None:
            found = self._resolved[key] = self._resolve_style(key)
        return found

    def _resolve_style(self, key: str) -> WordStyle:
        chain: list[Element] = []
        while key in self._elements and len(chain) < _MAX_STYLE_CHAIN:
            item = self._elements[key]
            if item in chain:
                break
            chain.append(item)
            key = read_word_value(item, "basedOn") or ""
        made = WordStyle()
        for item in reversed(chain):
            made = _extend_style(made, item)
        return made


def _extend_style(parent: WordStyle, item: Element) -> WordStyle:
    paragraph = xml_tree.find_child_element(item, "pPr")
    run = xml_tree.find_child_element(item, "rPr")
    name = (read_word_value(item, "name") or "").lower()
    numbering = xml_tree.find_child_element(paragraph, "numPr") if paragraph is not None else None
    list_id, list_level = read_list_mark(numbering)

    return WordStyle(
        name=name,
        heading_level=read_outline_level(paragraph, name) or parent.heading_level,
        list_id=list_id or parent.list_id,
        list_level=list_level if list_level is not None else parent.list_level,
        is_hidden=read_word_switch(run, "vanish", default=parent.is_hidden),
        is_bold=read_word_switch(run, "b", default=parent.is_bold),
        is_italic=read_word_switch(run, "i", default=parent.is_italic),
        has_shade=parent.has_shade or has_word_shade(paragraph) or has_word_shade(run),
    )


def read_outline_level(properties: Element | None, style_name: str = "") -> int:
    """The level of a heading, from 1 to 6; 0 if it is body text."""
    if style_name == "title":
        return 1
    named = _HEADING_NAME.fullmatch(style_name)
    if named is not None:
        return min(max(int(named[1]), 1), 6)
    said = read_word_value(properties, "outlineLvl")
    return min(int(said) + 1, 6) if said is not None and re.fullmatch("[0-8]", said) else 0


def read_list_mark(numbering: Element | None) -> tuple[str | None, int | None]:
    """The list and level that a numPr element names; None for what it does not name."""
    level = read_word_value(numbering, "ilvl")
    return (
        read_word_value(numbering, "numId"),
        int(level) if level is not None and re.fullmatch("[0-8]", level) else None,
    )


def read_word_value(parent: Element | None, name: str) -> str | None:
    """The `val` of a child element; None if there is no such child."""
    found = xml_tree.find_child_element(parent, name) if parent is not None else None
    return xml_tree.find_xml_attribute(found, "val") if found is not None else None


def read_word_switch(
    properties: Element | None, name: str, *, default: bool | None = None
) -> bool | None:
    """Whether a property such as bold is on or off; `default` if it is not given."""
    said = read_word_value(properties, name)
    return default if said is None else said.lower() not in _FALSE_VALUES


def has_word_shade(properties: Element | None) -> bool:
    """Whether a background colour is given, on which white text can be read."""
    if properties is None:
        return False
    shade = xml_tree.find_child_element(properties, "shd")
    if shade is not None:
        fill = xml_tree.find_xml_attribute(shade, "fill").lower()
        return fill not in {"", "auto", "ffffff"} or bool(
            xml_tree.find_xml_attribute(shade, "themeFill")
        )
    return read_word_value(properties, "highlight") not in {None, "none", "white"}
