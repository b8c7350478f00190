"""Cuts a long text to its beginning, at a place where a reader would pause."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

INSIDE_CODE, INSIDE_TABLE_ROW = "code block", "table row"
_SENTENCE_END_PATTERN = re.compile(r"[.!?…][\"'”’)\]]*\s|[。！？｡।؟]")
_FENCE_LINE_PATTERN = re.compile(r" {0,3}(```+|~~~+)")
_JOINING_CHARACTERS = frozenset("\u200c\u200d\ufe0e\ufe0f")


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyCut:
    """The beginning of a text. `inside` names the code block or table row that the cut goes through."""

    text: str
    inside: str | None = None


def cut_body(text: str, max_chars: int) -> BodyCut:
    """At most `max_chars` of the beginning, ending after a paragraph, line, sentence or word.

    Breaks in the first half are not used, because too much would be lost. Takes time in proportion
    to `max_chars`, however long the text is.
    """
    if len(text) <= max_chars:
        return BodyCut(text=text)
    if max_chars <= 0:
        return BodyCut(text="")
    end = step_back_to_character(text, max_chars)
    half, fence = end // 2, _find_open_fence(text[:end])
    if fence is not None and fence > half:
        return BodyCut(text=text[:fence])
    if fence is not None:
        line = text.rfind("\n", half, end) + 1
        return BodyCut(text=text[: line or end], inside=INSIDE_CODE)
    paragraph = text.rfind("\n\n", max(0, half - 1), end)
    if paragraph >= 0:
        return BodyCut(text=text[: paragraph + 2])
    return _cut_in_paragraph(text, half, end)


def _cut_in_paragraph(text: str, half: int, end: int) -> BodyCut:
    row = text.rfind("\n", 0, end) + 1
    if text[row : row + 4].lstrip(" ").startswith("|"):
        return BodyCut(text=text[:row]) if row > half else _cut_table_row(text, end)
    stops = [found.end() for found in _SENTENCE_END_PATTERN.finditer(text, half, end)]
    word = text.rfind(" ", half, end) + 1
    return BodyCut(text=text[: (stops[-1] if stops else 0) or (row if row > half else 0) or word or end])  # fmt: skip


def _cut_table_row(text: str, end: int) -> BodyCut:
    if text[end - 1] == "\n" or text[end] == "\n":  # the row is whole
        return BodyCut(text=text[:end])
    return BodyCut(text=text[: text.rfind("|", end // 2, end) + 1 or end], inside=INSIDE_TABLE_ROW)


def _find_open_fence(text: str) -> int | None:
    """Where the line of the fence begins that the text leaves open; None if all are closed."""
    start, mark, position = None, "", 0
    for line in text.split("\n"):
        found = _FENCE_LINE_PATTERN.match(line)
        if found and start is None:
            start, mark = position, found[1]
        elif found and found[1].startswith(mark) and not line.strip().strip(mark[0]):
            start = None
        position += len(line) + 1
    return start


def step_back_to_character(text: str, end: int, *, start: int = 0) -> int:
    """The end of the last whole character: a letter keeps its accents, an emoji its joiners."""
    cut = end
    while cut > start + 1 and _is_inside_character(text, cut):
        cut -= 1
    return cut if cut > start + 1 or not _is_inside_character(text, cut) else end


def _is_inside_character(text: str, cut: int) -> bool:
    here = text[cut]
    modifies = here in _JOINING_CHARACTERS or "\U0001f3fb" <= here <= "\U0001f3ff"  # skin tones
    return modifies or bool(unicodedata.combining(here)) or text[cut - 1] == "\u200d"
