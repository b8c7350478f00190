"""Finds the headings of markdown text."""

from __future__ import annotations

import re

_HEADING_LINE_PATTERN = re.compile(r"^(#{1,6})[ \t]++(\S[^\n]*)$", re.MULTILINE)


def find_first_heading(markdown: str, *, max_level: int = 1) -> str:
    """The text of the first heading of at most this level, without marks after it; empty if none."""
    for match in _HEADING_LINE_PATTERN.finditer(markdown):
        text = match[2].rstrip().rstrip("#").rstrip()
        if len(match[1]) <= max_level and text:
            return text
    return ""
