"""Quotation marks and apostrophes as printers set them."""

from __future__ import annotations

import re

_DOUBLE_OPENING_PATTERN = re.compile(r"(?<![^\s(\[{/—–‘“-])\"(?=\S)")
_SINGLE_OPENING_PATTERN = re.compile(r"(?<![^\s(\[{/—–“-])'(?=\w\w)")
_SINGLE_CLOSING_PATTERN = re.compile(r"(?<=\S)'(?!\w)")
_INCH_MARK_PATTERN = re.compile(r"(?<=\d)\"")
_ODD_DOUBLE_MARKS = re.compile(r"[„‟]|``|''")
_INCHES = "\0"  # stands for a mark that is no quotation mark
_OPENING_MARKS = "“‘"


def set_quotation_marks(text: str) -> str:
    """Straight quotation marks and apostrophes as typographic ones, in pairs where they enclose words."""
    if not any(mark in text for mark in "\"'`„‟"):
        return text
    text = _ODD_DOUBLE_MARKS.sub('"', text)
    if text.count('"') % 2:
        text = _INCH_MARK_PATTERN.sub(_INCHES, text)
    if text.count('"') % 2 == 0:
        text = _DOUBLE_OPENING_PATTERN.sub("“", text).replace('"', "”")
    return _set_single_marks(text).replace("'", "’").replace(_INCHES, '"')


def nest_quotation_marks(text: str, *, marks: str = "‘’“”") -> str:
    """The text as it stands inside quotation marks: “a ‘b’ c” is ‘a “b” c’. Apostrophes stay.

    `marks` are those of the first and of the second level inside.
    """
    if not any(mark in text for mark in _OPENING_MARKS):
        return text
    nested: list[str] = []
    opened: list[str] = []
    for place, char in enumerate(text):
        level = len(opened) % 2
        if char in _OPENING_MARKS:
            nested.append(marks[level * 2])
            opened.append(char)
        elif opened and _closes_quotation(text, place, opened[-1]):
            opened.pop()
            nested.append(marks[(1 - level) * 2 + 1])
        else:
            nested.append(char)
    return "".join(nested)


def _closes_quotation(text: str, place: int, opening: str) -> bool:
    if opening == "“":
        return text[place] == "”"
    return text[place] == "’" and not text[place + 1 : place + 2].isalnum()


def _set_single_marks(text: str) -> str:
    """Pairs of straight single marks as double ones, or as single ones inside double ones."""
    chars = list(text)
    closings = [match.start() for match in _SINGLE_CLOSING_PATTERN.finditer(text)]
    depth = seen = place = 0
    end = -1
    for match in _SINGLE_OPENING_PATTERN.finditer(text):
        start = match.start()
        if start < end:
            continue
        while place < len(closings) and closings[place] <= start:
            place += 1
        if place == len(closings):
            break
        end = closings[place]
        depth += text.count("“", seen, start) - text.count("”", seen, start)
        seen = start
        chars[start], chars[end] = "‘’" if depth > 0 else "“”"
    return "".join(chars)
