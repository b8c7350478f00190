"""Counts the items of a Word document's lists, so that each has the number that Word shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.list_markers import format_list_number
from citewell.fetch.documents.office.word.word_styles import read_word_value

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
            if (name := read_word_value(item, "styleLink")) is not None:
                shared[name] = key
            if (name := read_word_value(item, "numStyleLink")) is not None:
                linked[key] = name
        for item in xml_tree.collect_child_elements(root, "num"):
            key = read_word_value(item, "abstractNumId") or ""
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
        if re.fullmatch("[0-8]", place):
            found[int(place)] = _ListLevel(
                number_format=read_word_value(level, "numFmt") or "decimal",
                label=(read_word_value(level, "lvlText") or f"%{int(place) + 1}.")[:80]
                if xml_tree.find_child_element(level, "lvlText") is None
                else (read_word_value(level, "lvlText") or "")[:80],
                start=_parse_list_start(read_word_value(level, "start")),
            )
    return found


def _read_list_overrides(item: Element) -> tuple[dict[int, _ListLevel], dict[int, int]]:
    levels: dict[int, _ListLevel] = {}
    starts: dict[int, int] = {}
    for change in xml_tree.collect_child_elements(item, "lvlOverride"):
        levels |= _read_list_levels(change)
        place = xml_tree.find_xml_attribute(change, "ilvl")
        said = read_word_value(change, "startOverride")
        if said is not None and re.fullmatch("[0-8]", place):
            starts[int(place)] = _parse_list_start(said)
    return levels, starts


def _parse_list_start(said: str | None) -> int:
    return int(said) if said is not None and re.fullmatch(r"\d{1,5}", said) else 1


def _format_list_label(
    rule: _ListLevel, levels: dict[int, _ListLevel], counters: list[int | None]
) -> str:
    def fill(mark: re.Match[str]) -> str:
        place = int(mark[1]) - 1
        level = levels.get(place, _ListLevel("decimal"))
        number = counters[place]
        return format_list_number(level.start if number is None else number, level.number_format)

    return _LEVEL_MARK.sub(fill, rule.label).strip()
