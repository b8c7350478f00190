"""Tells headings of a PDF from its text: by tags, outline, size, weight, number and space around."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from citewell.fetch.documents.pdf.hyphen_habits import HyphenHabits
from citewell.fetch.documents.pdf.pdf_outline import normalize_heading_text
from citewell.fetch.documents.pdf.text_lines import DOT_LEADER_PATTERN, TextLine

_MAX_HEADING_LINES = 3
_MAX_HEADING_LENGTH = 200  # characters of a heading set larger than the text
_MAX_PLAIN_LENGTH = 100  # characters of a heading in the size of the text
LARGER = 1.12  # of the size of the text: what is larger stands out
_WIDE_GAP = 1.8  # of the font size: a wider gap parts cells of a table row
_BULLET_START_PATTERN = re.compile(r"[•◦▪‣·○●■□▸►➢✓\uf0b7\uf0a7*–—-]")
_SENTENCE_CLOSE_PATTERN = re.compile(r"[.,;]$")
_LETTER_RUN_PATTERN = re.compile(r"[^\W\d_]{2}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NUMBER_PATTERN = re.compile(
    r"(?:(?P<dotted>\d{1,2}(?:\.\d{1,2}){1,4})\.?|\d{1,2}\.?|[A-H]\.|[IVX]{1,5}\.)\s+"
)
_CAPTION_PATTERN = re.compile(
    r"(?:fig(?:ure|\.)?|table|tab\.|listing|abbildung|tabelle|tableau|tabla)\s*\d", re.IGNORECASE
)


class PageClues(NamedTuple):
    """What is known of the document before the lines of a page are judged."""

    body: float  # the usual size of its text, in points
    titles: Mapping[str, int] = {}  # titles of the outline that lead to this page, with their depth
    tagged: bool = False  # the file tags its headings, so others need no guessing
    hyphens: HyphenHabits = HyphenHabits()


def get_tagged_level(line: TextLine) -> int:
    """The level of the heading that the file's tags put the line in; 0 if none."""
    levels = {word.style.tagged_level for word in line.words}
    return levels.pop() if len(levels) == 1 else 0


def is_bold_line(line: TextLine) -> bool:
    return all(word.style.bold for word in line.words)


def is_outline_title(run: Sequence[TextLine], clues: PageClues) -> bool:
    if not clues.titles or len(run) > _MAX_HEADING_LINES:
        return False
    return normalize_heading_text(" ".join(line.text for line in run)) in clues.titles


class HeadingFound(NamedTuple):
    level: int = 0  # as the file's tags state it; 0 if they do not
    sure: bool = False  # the file's tags or outline say that it is a heading, not only its look


def find_heading(
    run: Sequence[TextLine], clues: PageClues, room: tuple[float, float]
) -> HeadingFound | None:
    """None if the run is no heading. `room` is the space above and below it, in lines."""
    text = " ".join(line.text for line in run)
    if level := get_tagged_level(run[0]):
        return HeadingFound(level, sure=True) if len(text) <= _MAX_HEADING_LENGTH else None
    if DOT_LEADER_PATTERN.search(text):
        return None
    if is_outline_title(run, clues):
        return HeadingFound(sure=True)
    if clues.tagged or not _looks_like_heading(run, text, clues, room):
        return None
    return HeadingFound()


def _looks_like_heading(
    run: Sequence[TextLine], text: str, clues: PageClues, room: tuple[float, float]
) -> bool:
    size = run[0].size
    if (
        len(run) > _MAX_HEADING_LINES
        or len(text) > _MAX_HEADING_LENGTH
        or not _LETTER_RUN_PATTERN.search(text)
        or _BULLET_START_PATTERN.match(text)
        or all(word.style.mono for line in run for word in line.words)
        or any(map(_has_cells, run))
    ):
        return False
    if size >= LARGER * clues.body:
        return True
    if size < 0.95 * clues.body or len(run) > 2 or len(text) > _MAX_PLAIN_LENGTH:
        return False
    if _SENTENCE_CLOSE_PATTERN.search(text) or _CAPTION_PATTERN.match(text):
        return False
    if all(map(is_bold_line, run)):
        return not text[:1].islower()
    return len(run) == 1 and _stands_apart(run[0], text, room)


def _stands_apart(line: TextLine, text: str, room: tuple[float, float]) -> bool:
    """Whether a line in the size and weight of the text is a heading by its number or capitals."""
    above, below = room
    number = _NUMBER_PATTERN.match(text)
    title = text[number.end() :] if number else text
    if not title[:1].isupper() or above < 1.15:
        return False
    italic = all(word.style.italic for word in line.words[bool(number) :])
    capitals = title.isupper() and len(title) >= 5
    if number is None:
        return capitals and above >= 1.3 and below >= 1.15 and len(title.split()) <= 8
    if capitals or italic:
        return True
    return bool(number["dotted"]) and above >= 1.3 and below >= 1.15 and len(title.split()) <= 12


def _has_cells(line: TextLine) -> bool:
    """Whether wide gaps part the line, as in a row of a table; a number may stand apart."""
    gaps = [
        max(other.x0 - one.x1, one.x0 - other.x1) > _WIDE_GAP * line.size
        for one, other in pairwise(line.words)
    ]
    numbered = bool(_NUMBER_PATTERN.match(line.text))
    return any(gaps[numbered:])
