"""Tells headings of a PDF from its text: by tags, outline, size, weight, number and space around."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from citewell.reading.documents.pdf import PdfiumFailure
from citewell.reading.documents.pdf.text_lines import DOT_LEADER_PATTERN, TextLine

_COMPOUND_PATTERN = re.compile(r"\w[-‐]\w")
_EDGE_SIGNS = ".,;:!?()[]\"'“”„«»"
_MIN_LINES = 60  # lines of text from which a document's habit can be told
_MIN_BREAK_SHARE = 0.012  # of its lines; a document that breaks words ends more lines in a hyphen
_MIN_LINE_LENGTH = 25  # characters


class HyphenHabits(NamedTuple):
    compounds: frozenset[str] = frozenset()  # words that the document writes with a hyphen
    words: frozenset[str] = frozenset()  # all others
    breaks_words: bool = True  # at line ends

    def keeps_hyphen(self, word: str) -> bool:
        """Whether a word whose hyphen ends a line keeps it."""
        whole = _normalize_word(word)
        if whole in self.compounds:
            return True
        if whole.replace("-", "") in self.words:
            return False
        parts = whole.split("-")
        # Parts of a broken word are seldom words of their own.
        return not self.breaks_words or all(len(p) > 2 and p in self.words for p in parts)


def find_hyphen_habits(pages: Iterable[list[TextLine]]) -> HyphenHabits:
    compounds: set[str] = set()
    words: set[str] = set()
    long = broken = 0
    for lines in pages:
        for line in lines:
            last = line.words[-1].text
            if len(line.text) >= _MIN_LINE_LENGTH:
                long += 1
                broken += len(last) > 2 and last[-1] in "-‐" and last[-2].islower()
            for word in line.words:
                known = compounds if _COMPOUND_PATTERN.search(word.text) else words
                known.add(_normalize_word(word.text))
    usual = long < _MIN_LINES or broken >= _MIN_BREAK_SHARE * long
    return HyphenHabits(frozenset(compounds), frozenset(words), usual)


def _normalize_word(word: str) -> str:
    return word.strip(_EDGE_SIGNS).replace("‐", "-").lower()


_MAX_OUTLINE_ENTRIES = 5000
_MAX_OUTLINE_DEPTH = 12
_TITLE_NUMBER_PATTERN = re.compile(
    r"(?:(?:chapter|section|part|appendix|kapitel|chapitre|abschnitt|anhang|глава)\s+)?"
    r"(?:\d{1,3}(?:\.\d{1,3}){0,5}|[a-z]\d{0,2}(?=[.)])|[ivxlc]{1,6}(?=[.)]))[.):]?\s+",
    re.IGNORECASE,
)

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
        max(word.x0 - last.x1, last.x0 - word.x1) > _WIDE_GAP * line.size
        for last, word in pairwise(line.words)
    ]
    numbered = bool(_NUMBER_PATTERN.match(line.text))
    return any(gaps[numbered:])


# The titles in a PDF's outline (its bookmarks), by the page that each leads to.


def read_outline_titles(document: Any) -> dict[int, dict[str, int]]:
    """For each page the normalised titles that lead to it, with their depth from 1."""
    titles: dict[int, dict[str, int]] = {}
    try:
        for count, mark in enumerate(document.get_toc(max_depth=_MAX_OUTLINE_DEPTH)):
            if count >= _MAX_OUTLINE_ENTRIES:
                break
            target = mark.get_dest()
            page = target.get_index() if target else None
            title = normalize_heading_text(mark.get_title() or "")
            if page is not None and title:
                titles.setdefault(page, {}).setdefault(title, mark.level + 1)
    except (PdfiumFailure, ValueError, UnicodeError):
        return titles
    return titles


def normalize_heading_text(text: str) -> str:
    """Only the letters and digits of a heading, without its number, for comparing two of them."""
    plain = unicodedata.normalize("NFKC", text).strip().casefold()
    bare = _TITLE_NUMBER_PATTERN.sub("", plain, count=1)
    return "".join(filter(str.isalnum, bare)) or "".join(filter(str.isalnum, plain))
