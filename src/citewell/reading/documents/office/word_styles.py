"""Reads the styles of a Word document, and counts its lists' items as Word numbers them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from citewell.reading.documents import xml_tree
from citewell.reading.documents.document_markdown import format_list_number

_HEADING_NAME = re.compile(r"heading (\d)")
_QUOTE_NAMES = frozenset({"quote", "intense quote", "block text", "quotations"})
_CODE_NAMES = frozenset({"source code", "code", "html preformatted", "preformatted text", "macro"})
_CODE_RUN_NAMES = frozenset(
    {"verbatim char", "html code", "inline code", "code char", "source text"}
)
_MAX_STYLE_CHAIN = 20
_FALSE_VALUES = frozenset({"0", "false", "off", "none"})

_LEVEL_MARK = re.compile(r"%([1-9])")
_MAX_LIST_NUMBER = 32_767
_LEVEL_COUNT = 9


@dataclass(frozen=True, slots=True)
class _ListLevel:
    number_format: str = "bullet"
    label: str = ""
    start: int = 1


class ListNumbers:
    """The counters of all lists of one document."""

    def __init__(self, root: Element | None) -> None:
        self._abstract: dict[str, dict[int, _ListLevel]] = {}
        self._lists: dict[str, tuple[str, dict[int, _ListLevel], dict[int, int]]] = {}
        self._counters: dict[str, list[int | None]] = {}
        self._started: set[tuple[str, int]] = set()
        if root is not None:
            self._read_definitions(root)

    def _read_definitions(self, root: Element) -> None:
        linked: dict[str, str] = {}
        shared: dict[str, str] = {}
        for item in xml_tree.collect_child_elements(root, "abstractNum"):
            key = xml_tree.find_xml_attribute(item, "abstractNumId")
            self._abstract[key] = _read_list_levels(item)
            if (name := xml_tree.read_child_value(item, "styleLink")) is not None:
                shared[name] = key
            if (name := xml_tree.read_child_value(item, "numStyleLink")) is not None:
                linked[key] = name
        for item in xml_tree.collect_child_elements(root, "num"):
            key = xml_tree.read_child_value(item, "abstractNumId") or ""
            key = shared.get(linked.get(key, ""), key)
            levels, starts = _read_list_overrides(item)
            self._lists[xml_tree.find_xml_attribute(item, "numId")] = (key, levels, starts)

    def count_item(self, list_id: str, level: int) -> str | None:
        """The label of the next item, such as "2." or "(b)"; "" for a bullet, None if no list."""
        if list_id not in self._lists:
            return None
        abstract, own, starts = self._lists[list_id]
        levels = self._abstract.get(abstract, {}) | own
        rule = levels.get(level, _ListLevel())
        counters = self._counters.setdefault(abstract, [None] * _LEVEL_COUNT)
        if level in starts and (list_id, level) not in self._started:
            counters[level] = starts[level] - 1
        self._started.add((list_id, level))
        before = counters[level]
        counters[level] = rule.start if before is None else min(before + 1, _MAX_LIST_NUMBER)
        counters[level + 1 :] = [None] * (_LEVEL_COUNT - level - 1)
        if rule.number_format == "bullet":
            return ""
        return _format_list_label(rule, levels, counters)


def _read_list_levels(item: Element) -> dict[int, _ListLevel]:
    found: dict[int, _ListLevel] = {}
    for level in xml_tree.collect_child_elements(item, "lvl"):
        place = xml_tree.find_xml_attribute(level, "ilvl")
        label = xml_tree.read_child_value(level, "lvlText")
        if re.fullmatch("[0-8]", place):
            found[int(place)] = _ListLevel(
                number_format=xml_tree.read_child_value(level, "numFmt") or "decimal",
                label=(f"%{int(place) + 1}." if label is None else label)[:80],
                start=_parse_list_start(xml_tree.read_child_value(level, "start")),
            )
    return found


def _read_list_overrides(item: Element) -> tuple[dict[int, _ListLevel], dict[int, int]]:
    levels: dict[int, _ListLevel] = {}
    starts: dict[int, int] = {}
    for change in xml_tree.collect_child_elements(item, "lvlOverride"):
        levels |= _read_list_levels(change)
        place = xml_tree.find_xml_attribute(change, "ilvl")
        start = xml_tree.read_child_value(change, "startOverride")
        if start is not None and re.fullmatch("[0-8]", place):
            starts[int(place)] = _parse_list_start(start)
    return levels, starts


def _parse_list_start(text: str | None) -> int:
    return int(text) if text is not None and re.fullmatch(r"\d{1,5}", text) else 1


def _format_list_label(
    rule: _ListLevel, levels: dict[int, _ListLevel], counters: list[int | None]
) -> str:
    def fill(mark: re.Match[str]) -> str:
        place = int(mark[1]) - 1
        level = levels.get(place, _ListLevel("decimal"))
        number = counters[place]
        return format_list_number(level.start if number is None else number, level.number_format)

    return _LEVEL_MARK.sub(fill, rule.label).strip()


# Reads what the styles of a Word document say about headings, lists, quotations and hidden text.


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
            key = xml_tree.read_child_value(item, "basedOn") or ""
        made = WordStyle()
        for item in reversed(chain):
            made = _extend_style(made, item)
        return made


def _extend_style(parent: WordStyle, item: Element) -> WordStyle:
    paragraph = xml_tree.find_child_element(item, "pPr")
    run = xml_tree.find_child_element(item, "rPr")
    name = (xml_tree.read_child_value(item, "name") or "").lower()
    list_id, list_level = read_list_mark(xml_tree.find_child_element(paragraph, "numPr"))
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
    level = xml_tree.read_child_value(properties, "outlineLvl")
    return min(int(level) + 1, 6) if level is not None and re.fullmatch("[0-8]", level) else 0


def read_list_mark(numbering: Element | None) -> tuple[str | None, int | None]:
    """The list and level that a numPr element names; None for what it does not name."""
    level = xml_tree.read_child_value(numbering, "ilvl")
    return (
        xml_tree.read_child_value(numbering, "numId"),
        int(level) if level is not None and re.fullmatch("[0-8]", level) else None,
    )


def read_word_switch(
    properties: Element | None, name: str, *, default: bool | None = None
) -> bool | None:
    """Whether a property such as bold is on or off; `default` if it is not given."""
    setting = xml_tree.read_child_value(properties, name)
    return default if setting is None else setting.lower() not in _FALSE_VALUES


def has_word_shade(properties: Element | None) -> bool:
    """Whether a background colour is given, on which white text can be read."""
    shade = xml_tree.find_child_element(properties, "shd")
    if shade is not None:
        fill = xml_tree.find_xml_attribute(shade, "fill").lower()
        has_theme = bool(xml_tree.find_xml_attribute(shade, "themeFill"))
        return fill not in {"", "auto", "ffffff"} or has_theme
    return xml_tree.read_child_value(properties, "highlight") not in {None, "none", "white"}
