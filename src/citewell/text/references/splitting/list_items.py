"""One reference of a list: its lines, and how they become one text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

NumberedLine = tuple[int, str]  # the line's number in the document, counted from 1, and its text
_END_HYPHEN_PATTERN = re.compile(r"[^\W\d_]-$")
_BROKEN_ADDRESS_PATTERN = re.compile(
    r"(?:https?://|10\.\d{4,9}/|www\.)\S{0,300}[-/_=?&%]$|https?://$|doi\.org/$", re.IGNORECASE
)


@dataclass(slots=True)
class ReferenceItem:
    """The lines of one reference, its first line number, and its number in the list."""

    line: int
    lines: list[str] = field(default_factory=list)
    number: str = ""

    @property
    def text(self) -> str:
        return join_wrapped_lines(self.lines)


def join_wrapped_lines(lines: Iterable[str]) -> str:
    """The lines as one; words and addresses that were broken at a line end are joined."""
    pieces: list[str] = []
    last = ""
    for line in filter(None, map(str.strip, lines)):
        if last and has_end_hyphen(last) and line[:1].islower():
            pieces[-1] = pieces[-1][:-1]
        elif last and not _BROKEN_ADDRESS_PATTERN.search(last):
            pieces.append(" ")
        pieces.append(line)
        last = line[-200:]
    return "".join(pieces)


def has_end_hyphen(line: str) -> bool:
    """Whether a word, and no address, is broken at the end of the line."""
    return (
        _END_HYPHEN_PATTERN.search(line[-200:]) is not None
        and _BROKEN_ADDRESS_PATTERN.search(line[-200:]) is None
    )
