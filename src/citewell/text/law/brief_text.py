"""Prepares the text of a brief for reading citations, and keeps where every character came from."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

PARAGRAPH_MARK = "\n"  # all other white space of a prepared text is single spaces
MAX_PIECE_CHARS = 18_000  # characters of one piece: the finder of citations is superlinear
PIECE_MARGIN_CHARS = 700  # characters read on both sides of a piece, so that no citation is cut
_CUT_SEARCH_CHARS = 4000  # characters before the end of a piece in which a good cut is looked for

_SPACE_RUN_PATTERN = re.compile(r"\s++")
_BLANK_LINE_PATTERN = re.compile(r"\n[^\S\n]*+\n|[\f\u2029]")
# Marks of emphasis and invisible characters; three or more underscores stand for a page to come.
_NOISE_PATTERN = re.compile(
    r"\s++|[*\u00ad\u200b-\u200f\u2060\ufeff]++|(?<!_)_(?!_)|\\(?=[_*.\[\]])|</?(?:i|em|b|u|strong|span|p|sup)>"
)
_CHARACTER_TWINS = str.maketrans({
    "\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u2010": "-", "\u2011": "-",
    "\uff0e": ".", "\uff08": "(", "\uff09": ")", "\uff0c": ",",
})  # fmt: skip
_SENTENCE_END_PATTERN = re.compile(r"[.;!?][\"')\u201d]?\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedText:
    """A text with its white space in order; `find_origin` leads back to the original."""

    text: str
    starts: tuple[int, ...]  # where each run begins in `text`
    shifts: tuple[int, ...]  # what to add to an offset inside that run

    def find_origin(self, offset: int) -> int:
        """The offset in the original text."""
        return offset + self.shifts[bisect_right(self.starts, offset) - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece:
    """A part of a text with margins; citations that begin in the core belong to this piece."""

    text: str
    start: int  # of `text` in the whole
    core_start: int  # in `text`
    core_end: int


def prepare_brief_text(text: str) -> PreparedText:
    """White space becomes single spaces, an empty line PARAGRAPH_MARK; emphasis marks are dropped."""
    parts: list[str] = []
    starts, shifts = [0], [0]
    done = length = 0

    def begin_run(origin: int) -> None:
        if shifts[-1] != origin - length:
            starts.append(length)
            shifts.append(origin - length)

    for match in _NOISE_PATTERN.finditer(text):
        if match.start() > done:
            begin_run(done)
            parts.append(text[done : match.start()])
            length += match.start() - done
        if match[0][0].isspace():
            begin_run(match.start())
            parts.append(PARAGRAPH_MARK if _BLANK_LINE_PATTERN.search(match[0]) else " ")
            length += 1
        done = match.end()
    begin_run(done)
    parts.append(text[done:])
    made = "".join(parts).translate(_CHARACTER_TWINS)
    return PreparedText(text=made, starts=tuple(starts), shifts=tuple(shifts))


def split_text_pieces(
    text: str, *, size: int = MAX_PIECE_CHARS, margin: int = PIECE_MARGIN_CHARS
) -> tuple[TextPiece, ...]:
    """The text in pieces whose cores follow one another, cut at the end of a paragraph or sentence."""
    made: list[TextPiece] = []
    begin = 0
    while begin < len(text):
        end = _choose_cut(text, begin, size)
        first, last = max(0, begin - margin), min(len(text), end + margin)
        made.append(
            TextPiece(
                text=text[first:last], start=first, core_start=begin - first, core_end=end - first
            )
        )
        begin = end
    return tuple(made)


def _choose_cut(text: str, begin: int, size: int) -> int:
    limit = begin + size
    if limit >= len(text):
        return len(text)
    lowest = max(begin + 1, limit - _CUT_SEARCH_CHARS)
    paragraph = text.rfind("\n\n", lowest, limit)
    if paragraph > 0:
        return paragraph + 2
    sentence = max(
        (match.end() for match in _SENTENCE_END_PATTERN.finditer(text, lowest, limit)), default=0
    )
    return sentence or max(text.rfind(" ", lowest, limit) + 1, lowest)


def find_quoted_sentence(text: str, start: int, end: int, *, max_chars: int = 240) -> str:
    """The words around a citation of a prepared text, within its paragraph, as one line."""
    first = text.rfind(PARAGRAPH_MARK, 0, start) + 1
    last = text.find(PARAGRAPH_MARK, end)
    last = len(text) if last < 0 else last
    room = max(0, (max_chars - (end - start)) // 2)
    cut_first, cut_last = max(first, start - room), min(last, end + room // 2)
    if cut_first > first:
        cut_first = text.find(" ", cut_first, start) + 1 or cut_first
    if cut_last < last:
        cut_last = max(text.rfind(" ", end, cut_last), end)
    before = "…" if cut_first > first else ""
    after = "…" if cut_last < last else ""
    return f"{before}{_SPACE_RUN_PATTERN.sub(' ', text[cut_first:cut_last]).strip()}{after}"
