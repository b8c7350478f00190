"""Puts the letters of right-to-left lines into reading order, and together into words.

What a file stores is no guide: some store letters as they are seen, some as they are read, and
pdfium turns both around. Where each letter stands on the page is certain.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

RTL_LETTER_PATTERN = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_PRESENTATION_PATTERN = re.compile("[\ufb00-\ufb06\ufb1d-\ufdff\ufe70-\ufefc]+")
_LETTER, _DIGIT, _RTL, _OTHER = "L", "D", "R", "N"
_KINDS_BY_BIDI_CLASS = {"L": _LETTER, "R": _RTL, "AL": _RTL, "EN": _DIGIT, "AN": _DIGIT}
# Signs that belong to the number they stand in or beside.
_NUMBER_SEPARATORS = frozenset(".,:/-–'٫٬")
_NUMBER_SIGNS = frozenset("$€£¥#%‰°")
_MIRRORED_PAIRS = ("()", "[]", "{}", "<>", "«»", "‹›", "“”", "⟨⟩")
_MIRRORED = {mark: pair[1 - place] for pair in _MIRRORED_PAIRS for place, mark in enumerate(pair)}
_OPENING = {pair[0]: pair[1] for pair in _MIRRORED_PAIRS}

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


def _is_one_glyph(letter: PageLetter, other: PageLetter) -> bool:
    return abs(letter.number - other.number) == 1 and letter.origin == other.origin


def build_seen_line(letters: Sequence[PageLetter], *, rtl_page: bool) -> SeenLine:
    """The letters of one line in order; a line of both scripts takes the direction of its page."""
    text = "".join(letter.text for letter in letters)
    has_rtl = RTL_LETTER_PATTERN.search(text) is not None
    rtl = has_rtl and (rtl_page or is_right_to_left(text))
    clusters = _insert_spaces(_attach_marks(_sort_letters(letters)))
    shown = tuple(" " if cluster is None else cluster.text for cluster in clusters)
    levels = tuple(assign_letter_levels(shown, rtl=rtl))
    return SeenLine(tuple(clusters), shown, levels, tuple(order_by_levels(levels)), rtl)


def read_seen_line(line: SeenLine, *, mirror: bool) -> list[LetterWord]:
    """The words of the line in reading order."""
    shown = mirror_brackets(line.letters, line.levels) if mirror else list(line.letters)
    shown = pair_brackets(shown, line.levels, line.order)
    words: list[LetterWord] = []
    places: list[int] = []
    for place in (*line.order, None):
        if place is not None and line.clusters[place] is not None:
            places.append(place)
            continue
        if places:
            words.append(_build_letter_word(line, shown, places))
        places = []
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
        # A lam-alef may stand the wrong way round: seen from left to right, alef comes first.
        left, right = kept[-2:] if len(kept) > 1 else (letter, letter)
        if left.text == "\u0644" and right.text in _ALEFS and _is_one_glyph(left, right):
            kept[-2:] = right, left
    return kept


def _is_printed_twice(letter: PageLetter, other: PageLetter) -> bool:
    return (
        letter.text == other.text
        and abs(letter.x0 - other.x0) < _DOUBLE_PRINT_SHIFT * letter.size
        and abs(letter.x1 - other.x1) < _DOUBLE_PRINT_SHIFT * letter.size
        and abs(letter.number - other.number) > 1  # else two letters of one ligature
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
    before, after = last.letter, cluster.letter
    least = _MIN_GUESSED_SPACE if before.lent or after.lent else _MIN_SPACE
    if before.token == after.token:
        least = _MAX_LETTER_GAP
    return cluster.x0 - last.x1 > least * after.size


# Puts letters as they stand on a page, from left to right, into the order in which they are read.


def is_right_to_left(text: str) -> bool:
    """Whether more letters of the text are written from right to left than from left to right."""
    rtl = len(RTL_LETTER_PATTERN.findall(text))
    return 2 * rtl > sum(map(str.isalpha, text))


def normalize_letter_forms(text: str) -> str:
    """The text with joined and positional forms of letters replaced by the letters themselves."""
    if not _PRESENTATION_PATTERN.search(text):
        return text
    return _PRESENTATION_PATTERN.sub(
        lambda found: unicodedata.normalize("NFKC", found.group()), text
    )


def assign_letter_levels(letters: Sequence[str], *, rtl: bool) -> list[int]:
    """The nesting of directions at each letter as seen from left to right; odd is right to left.

    This is the Unicode bidirectional algorithm backwards: from what is seen to what was written.
    """
    classes = (unicodedata.bidirectional(letter[0]) for letter in letters)
    kinds = [_KINDS_BY_BIDI_CLASS.get(name, _OTHER) for name in classes]
    return _assign_rtl_levels(kinds, letters) if rtl else _assign_ltr_levels(kinds, letters)


def order_by_levels(levels: Sequence[int]) -> list[int]:
    """The places of letters in reading order, given their levels in the order they are seen."""
    order = list(range(len(levels)))
    for level in range(max(levels, default=0), 0, -1):
        start = 0
        while start < len(order):
            end = start
            while end < len(order) and levels[order[end]] >= level:
                end += 1
            order[start:end] = order[start:end][::-1]
            start = max(end, start + 1)
    return order


def measure_mirroring_gain(letters: Sequence[str], levels: Sequence[int]) -> int:
    """How many more brackets match if those of right-to-left text are turned around.

    A file stores either the bracket that is drawn or the one that is meant, and does not say which.
    """
    return _count_unmatched_brackets(letters) - _count_unmatched_brackets(
        mirror_brackets(letters, levels)
    )


def mirror_brackets(letters: Sequence[str], levels: Sequence[int]) -> list[str]:
    return [
        _MIRRORED.get(letter, letter) if level % 2 else letter
        for letter, level in zip(letters, levels, strict=True)
    ]


def pair_brackets(letters: Sequence[str], levels: Sequence[int], order: Sequence[int]) -> list[str]:
    """The letters; brackets of right-to-left text that do not match open and close by turns.

    pdfium turns some of a line's brackets and not others, so what it gives may match neither way.
    """
    made = list(letters)
    if not _count_unmatched_brackets([made[place] for place in order]):
        return made
    waiting: set[str] = set()
    for place in order:
        letter = made[place]
        if letter not in _MIRRORED:
            continue
        opening, closing = sorted(
            (letter, _MIRRORED[letter]), key=lambda mark: mark not in _OPENING
        )
        if levels[place] % 2:
            made[place] = closing if opening in waiting else opening
        waiting ^= {opening}
    fixed = _count_unmatched_brackets([made[place] for place in order]) == 0
    return made if fixed else list(letters)


def _assign_rtl_levels(kinds: list[str], letters: Sequence[str]) -> list[int]:
    """Levels in a right-to-left paragraph: 2 for numbers and Latin runs, 1 for the rest."""
    levels = [2 if kind in {_LETTER, _DIGIT} else 1 for kind in kinds]
    last: int | None = None  # the place of the last letter or digit at level 2
    for place, kind in enumerate(kinds):
        if kind == _RTL:
            last = None
        elif levels[place] == 2:
            if last is not None and _is_one_run(kinds, letters, last, place):
                levels[last + 1 : place] = [2] * (place - last - 1)
            last = place
    _add_number_signs(levels, kinds, letters)
    return levels


def _is_one_run(kinds: list[str], letters: Sequence[str], start: int, end: int) -> bool:
    """Whether two letters or digits, with only signs between them, belong to one left-to-right run."""
    if _LETTER in {kinds[start], kinds[end]}:
        return True
    return end - start == 1 or (end - start == 2 and letters[start + 1] in _NUMBER_SEPARATORS)


def _add_number_signs(levels: list[int], kinds: list[str], letters: Sequence[str]) -> None:
    for place, letter in enumerate(letters):
        if letter[0] not in _NUMBER_SIGNS or levels[place] != 1:
            continue
        before = place > 0 and kinds[place - 1] == _DIGIT and letter[0] in "%‰°"
        after = place + 1 < len(kinds) and kinds[place + 1] == _DIGIT and letter[0] in "$€£¥#"
        if before or after:
            levels[place] = 2


def _assign_ltr_levels(kinds: list[str], letters: Sequence[str]) -> list[int]:
    """Levels in a left-to-right paragraph: 1 for right-to-left runs, 2 for numbers inside them."""
    levels = [0] * len(kinds)
    first: int | None = None
    for place, kind in enumerate(kinds):
        if kind == _LETTER:
            first = None
        elif kind == _RTL:
            start = place if first is None else first
            inner = _assign_rtl_levels(kinds[start : place + 1], letters[start : place + 1])
            levels[start : place + 1] = inner
            first = start
    return levels


def _count_unmatched_brackets(letters: Sequence[str]) -> int:
    waiting: list[str] = []
    unmatched = 0
    for letter in letters:
        if letter in _OPENING:
            waiting.append(_OPENING[letter])
        elif letter in _MIRRORED:
            if waiting and waiting[-1] == letter:
                waiting.pop()
            else:
                unmatched += 1
    return unmatched + len(waiting)
