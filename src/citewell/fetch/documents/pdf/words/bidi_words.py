"""The words of lines that hold right-to-left script, put together letter by letter from positions.

What a file stores is no guide: some store letters as they are seen, some as they are read, and
pdfium turns both around. Where each letter stands on the page is certain.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from citewell.fetch.documents.pdf.words.writing_direction import (
    RTL_LETTER_PATTERN,
    assign_letter_levels,
    is_right_to_left,
    measure_mirroring_gain,
    mirror_brackets,
    normalize_letter_forms,
    order_by_levels,
    pair_brackets,
)

_MIN_SPACE = 0.1  # of the font size: the least gap that a stored or guessed space must have
_MIN_GUESSED_SPACE = 0.14  # of the font size: the same beside a letter whose width is a guess
_USUAL_WIDTH = 0.5  # of the font size
_MAX_LETTER_GAP = 1.0  # of the font size: a wider gap parts letters that no space parts
_ALEFS = frozenset("\u0622\u0623\u0625\u0627")
_DOUBLE_PRINT_SHIFT = 0.12  # of the font size: bold by printing twice


class PageLetter(NamedTuple):
    text: str
    x0: float
    x1: float
    origin: float
    size: float
    token: int  # the word as pdfium found it, by number
    number: int  # in pdfium's list of characters
    lent: bool = False  # its box is a guess: the file stores it with the glyph of its mark


class LetterWord(NamedTuple):
    text: str
    x0: float
    x1: float
    number: int  # of a letter whose style is the word's


class _LetterCluster(NamedTuple):
    """A letter with the marks above and below it."""

    text: str
    x0: float
    x1: float
    letter: PageLetter


class SeenLine(NamedTuple):
    """One line as it is seen, from left to right; None stands for a space."""

    clusters: tuple[_LetterCluster | None, ...]
    letters: tuple[str, ...]
    levels: tuple[int, ...]
    order: tuple[int, ...]
    rtl: bool


def measure_letter_widths(letters: Sequence[PageLetter]) -> dict[str, float]:
    """The width of each letter's widest form on this page, as a share of the font size."""
    widths: dict[str, float] = {}
    for place, letter in enumerate(letters):
        if _find_lent_mark(letters, place) is None:
            width = (letter.x1 - letter.x0) / letter.size
            widths[letter.text] = max(widths.get(letter.text, 0.0), width)
    return widths


def restore_letter_widths(
    letters: Sequence[PageLetter], widths: dict[str, float]
) -> list[PageLetter]:
    """The letters; one that has only a part of its mark's box is given the width it has elsewhere."""
    made: list[PageLetter] = []
    for place, letter in enumerate(letters):
        mark = _find_lent_mark(letters, place)
        if mark is None:
            made.append(letter)
            continue
        centre = (min(letter.x0, mark.x0) + max(letter.x1, mark.x1)) / 2
        half = widths.get(letter.text, _USUAL_WIDTH) * letter.size / 2
        made.append(letter._replace(x0=centre - half, x1=centre + half, lent=True))
    return made


def _find_lent_mark(letters: Sequence[PageLetter], place: int) -> PageLetter | None:
    """The mark whose glyph this letter is stored with; None if the letter has a glyph of its own.

    Browsers store a letter and its mark with the mark's glyph, and nothing with the letter's.
    """
    letter = letters[place]
    if _is_mark(letter):
        return None
    beside = [letters[n] for n in (place - 1, place + 1) if 0 <= n < len(letters)]
    return next((mark for mark in beside if _is_mark(mark) and _is_one_glyph(letter, mark)), None)


def _is_one_glyph(one: PageLetter, other: PageLetter) -> bool:
    return abs(one.number - other.number) == 1 and one.origin == other.origin


def build_seen_line(letters: Sequence[PageLetter], *, rtl_page: bool) -> SeenLine:
    """The letters of one line in order; a line of both scripts takes the direction of its page."""
    text = "".join(letter.text for letter in letters)
    has_rtl = RTL_LETTER_PATTERN.search(text) is not None
    rtl = has_rtl and (rtl_page or is_right_to_left(text))
    clusters = _insert_spaces(_attach_marks(_sort_letters(letters)))
    shown = tuple(" " if cluster is None else cluster.text for cluster in clusters)
    levels = tuple(assign_letter_levels(shown, rtl=rtl))
    return SeenLine(tuple(clusters), shown, levels, tuple(order_by_levels(levels)), rtl)


def measure_line_mirroring(line: SeenLine) -> int:
    """Positive if the line's brackets match better when turned around, negative if worse."""
    return measure_mirroring_gain(
        [line.letters[place] for place in line.order], [line.levels[place] for place in line.order]
    )


def read_seen_line(line: SeenLine, *, mirror: bool) -> list[LetterWord]:
    """The words of the line in reading order."""
    shown = mirror_brackets(line.letters, line.levels) if mirror else list(line.letters)
    shown = pair_brackets(shown, line.levels, line.order)
    words: list[LetterWord] = []
    held: list[int] = []
    for place in (*line.order, None):
        if place is not None and line.clusters[place] is not None:
            held.append(place)
            continue
        if held:
            words.append(_build_letter_word(line, shown, held))
        held = []
    return words


def _build_letter_word(line: SeenLine, shown: Sequence[str], places: list[int]) -> LetterWord:
    clusters = [cluster for place in places if (cluster := line.clusters[place]) is not None]
    text = normalize_letter_forms("".join(shown[place] for place in places))
    return LetterWord(
        unicodedata.normalize("NFC", text),
        min(cluster.x0 for cluster in clusters),
        max(cluster.x1 for cluster in clusters),
        clusters[0].letter.number,
    )


def _sort_letters(letters: Sequence[PageLetter]) -> list[PageLetter]:
    """Letters from left to right without those printed twice; parts of a ligature share an origin.

    Where parts of a ligature share their box too, pdfium has them from left to right, unless it
    took them from one presentation form.
    """

    def place_of(letter: PageLetter) -> tuple[float, float]:
        centre = (letter.x0 + letter.x1) / 2
        near = letter.x0 - letter.size <= letter.origin <= letter.x1 + letter.size
        return (round(letter.origin, 1) if near else centre), centre

    kept: list[PageLetter] = []
    for letter in sorted(letters, key=place_of):
        if kept and _is_printed_twice(kept[-1], letter):
            continue
        kept.append(letter)
        if len(kept) > 1 and _is_turned_ligature(*kept[-2:]):
            kept[-2:] = kept[:-3:-1]
    return kept


def _is_turned_ligature(left: PageLetter, right: PageLetter) -> bool:
    """Whether a lam-alef stands the wrong way round: seen from left to right, alef comes first."""
    return left.text == "\u0644" and right.text in _ALEFS and _is_one_glyph(left, right)


def _is_printed_twice(one: PageLetter, other: PageLetter) -> bool:
    return (
        one.text == other.text
        and abs(one.x0 - other.x0) < _DOUBLE_PRINT_SHIFT * one.size
        and abs(one.x1 - other.x1) < _DOUBLE_PRINT_SHIFT * one.size
        and abs(one.number - other.number) > 1  # else two letters of one ligature
    )


def _attach_marks(letters: list[PageLetter]) -> list[_LetterCluster]:
    """Letters, each with its marks; a mark belongs to the letter whose box covers it best."""
    bases = [letter for letter in letters if not _is_mark(letter)]
    if not bases:
        return []
    marks: dict[int, list[PageLetter]] = {}
    for letter in sorted(letters, key=lambda letter: letter.number):
        if _is_mark(letter):
            marks.setdefault(_find_marked_letter(bases, letter), []).append(letter)
    return [
        _LetterCluster(
            base.text + "".join(mark.text for mark in marks.get(place, ())), base.x0, base.x1, base
        )
        for place, base in enumerate(bases)
    ]


def _is_mark(letter: PageLetter) -> bool:
    return unicodedata.category(letter.text[0]) == "Mn"


def _find_marked_letter(bases: list[PageLetter], mark: PageLetter) -> int:
    centre = (mark.x0 + mark.x1) / 2

    def distance(place: int) -> tuple[bool, float, float]:
        base = bases[place]
        outside = max(base.x0 - centre, centre - base.x1, 0.0)
        return not _is_one_glyph(base, mark), outside, abs((base.x0 + base.x1) / 2 - centre)

    letters = [n for n, base in enumerate(bases) if base.text[0].isalpha()]
    return min(letters or range(len(bases)), key=distance)


def _insert_spaces(clusters: list[_LetterCluster]) -> list[_LetterCluster | None]:
    """The clusters with None where a space stands."""
    result: list[_LetterCluster | None] = []
    for place, cluster in enumerate(clusters):
        if place and _is_space_between(clusters[place - 1], cluster):
            result.append(None)
        result.append(cluster)
    return result


def _is_space_between(last: _LetterCluster, cluster: _LetterCluster) -> bool:
    one, other = last.letter, cluster.letter
    least = _MIN_GUESSED_SPACE if one.lent or other.lent else _MIN_SPACE
    if one.token == other.token:
        least = _MAX_LETTER_GAP
    return cluster.x0 - last.x1 > least * other.size
