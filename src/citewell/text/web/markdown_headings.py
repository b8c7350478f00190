"""Finds the headings of markdown text."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

_HEADING_LINE_PATTERN = re.compile(r"^(#{1,6})[ \t]++(\S[^\n]*)$", re.MULTILINE)

_FENCE_LINE_PATTERN = re.compile(r"^ {0,3}(?:```|~~~)[^\n]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedHeading:
    """A heading with the headings above it, and where it begins."""

    start: int
    path: tuple[str, ...]  # from the outermost to this one


def find_first_heading(markdown: str, *, max_level: int = 1) -> str:
    """The text of the first heading of at most this level, without marks after it; empty if none."""
    for match in _HEADING_LINE_PATTERN.finditer(markdown):
        text = match[2].rstrip().rstrip("#").rstrip()
        if len(match[1]) <= max_level and text:
            return text
    return ""


def list_headings(markdown: str) -> tuple[PlacedHeading, ...]:
    """The headings of a text in order, without lines of code that begin with #."""
    fences = [match.start() for match in _FENCE_LINE_PATTERN.finditer(markdown)]
    found: list[PlacedHeading] = []
    above: list[tuple[int, str]] = []
    for match in _HEADING_LINE_PATTERN.finditer(markdown):
        text = match[2].rstrip().rstrip("#").rstrip()
        if not text or bisect_right(fences, match.start()) % 2:
            continue
        above = [(level, title) for level, title in above if level < len(match[1])]
        above.append((len(match[1]), text))
        path = tuple(title for _, title in above)
        found.append(PlacedHeading(start=match.start(), path=path))
    return tuple(found)


def find_heading_path(headings: tuple[PlacedHeading, ...], offset: int) -> tuple[str, ...]:
    """The headings above this offset, the outermost first; empty before the first heading."""
    place = bisect_right(headings, offset, key=lambda heading: heading.start)
    return headings[place - 1].path if place else ()
