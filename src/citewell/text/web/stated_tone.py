"""Finds what guidelines say about tone of voice, in the section that is headed so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from citewell.model.domains.brand import StatedTone

_MAX_TONE_LINES = 6000
_MAX_SUMMARY_CHARS = 500
_MAX_ITEMS = 10
_MAX_ITEM_CHARS = 160
_MAX_ATTRIBUTE_WORDS = 3
_HEADING_PATTERN = re.compile(r"(#{1,6}) +(.{1,200})")
_TONE_HEADING_PATTERN = re.compile(
    r"tone of voice|voice (?:and|&) tone|tone (?:and|&) voice|brand voice|our voice|how we (?:speak|sound|write)",
    re.IGNORECASE,
)
_DO_PATTERN = re.compile(r"(?:\W{0,3})(?:do|do['’]?s|please do|we are)(?:\W{0,3})", re.IGNORECASE)
_DONT_PATTERN = re.compile(
    r"(?:\W{0,3})(?:do not|don['’]?ts?|don['’]t['’]?s|avoid|we are not|we['’]re not)(?:\W{0,3})",
    re.IGNORECASE,
)
_ITEM_PATTERN = re.compile(r"\s{0,8}(?:[-*+]|\d{1,2}\.) +(.{1,400})")


def find_stated_tone(lines: Sequence[str]) -> StatedTone | None:
    """Summary, attributes, dos and don'ts of the first section on tone; None if there is none."""
    section = _find_tone_section(lines[:_MAX_TONE_LINES])
    if section is None:
        return None
    tone = _read_tone_section(section)
    return tone if tone.summary or tone.attributes or tone.dos or tone.donts else None


def _find_tone_section(lines: Sequence[str]) -> list[str] | None:
    for number, line in enumerate(lines):
        match = _HEADING_PATTERN.match(line)
        if match and _TONE_HEADING_PATTERN.search(match[2]):
            return list(_take_section(lines[number + 1 :], len(match[1])))
    return None


def _take_section(lines: Sequence[str], level: int) -> Iterator[str]:
    for line in lines:
        match = _HEADING_PATTERN.match(line)
        if match and len(match[1]) <= level and not _is_rule_heading(match[2]):
            return
        yield line


def _is_rule_heading(text: str) -> bool:
    return bool(_DO_PATTERN.fullmatch(text) or _DONT_PATTERN.fullmatch(text))


def _read_tone_section(section: Sequence[str]) -> StatedTone:
    lists: dict[str, list[str]] = {"attributes": [], "dos": [], "donts": []}
    summary, current = "", "attributes"
    for line in section:
        heading, item = _HEADING_PATTERN.match(line), _ITEM_PATTERN.match(line)
        label = heading[2] if heading else line.strip()
        if _DONT_PATTERN.fullmatch(label):
            current = "donts"
        elif _DO_PATTERN.fullmatch(label):
            current = "dos"
        elif heading:
            current = "attributes"
            _add_item(lists[current], heading[2], attribute=True)
        elif item:
            _add_item(lists[current], item[1], attribute=current == "attributes")
        elif label and not summary:
            summary = _strip_marks(label)[:_MAX_SUMMARY_CHARS]
    return StatedTone(
        summary=summary or None,
        attributes=tuple(lists["attributes"]),
        dos=tuple(lists["dos"]),
        donts=tuple(lists["donts"]),
    )


def _add_item(items: list[str], text: str, *, attribute: bool) -> None:
    """Add an item; an attribute is the few words before a colon or dash."""
    plain = _strip_marks(text)
    if attribute:
        plain = re.split(r"[:.–—]|\s-\s", plain, maxsplit=1)[0].strip()
        if not 1 <= len(plain.split()) <= _MAX_ATTRIBUTE_WORDS:
            return
    if plain and plain not in items and len(items) < _MAX_ITEMS:
        items.append(plain[:_MAX_ITEM_CHARS])


def _strip_marks(text: str) -> str:
    return " ".join(text.replace("*", " ").replace("`", " ").replace("_", " ").split()).strip("# ")
