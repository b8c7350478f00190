"""Puts letters as they stand on a page, from left to right, into the order in which they are read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

RTL_LETTER_PATTERN = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_PRESENTATION_PATTERN = re.compile("[\ufb00-\ufb06\ufb1d-\ufdff\ufe70-\ufefc]+")
_LETTER, _DIGIT, _RTL, _OTHER = "L", "D", "R", "N"
_KINDS_BY_BIDI_CLASS = {"L": _LETTER, "R": _RTL, "AL": _RTL, "EN": _DIGIT, "AN": _DIGIT}
# Signs that belong to the number they stand in or beside.
_NUMBER_SEPARATORS = frozenset(".,:/-–'٫٬")
_NUMBER_SIGNS = frozenset("$€£¥#%‰°")
_MIRRORED_PAIRS = ("()", "[]", "{}", "<>", "«»", "‹›", "“”", "⟨⟩")
_MIRRORED = {one: pair[1 - place] for pair in _MIRRORED_PAIRS for place, one in enumerate(pair)}
_OPENING = {pair[0]: pair[1] for pair in _MIRRORED_PAIRS}


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
    kinds = [_classify_letter(letter) for letter in letters]
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
        opening, closing = sorted((letter, _MIRRORED[letter]), key=lambda one: one not in _OPENING)
        if levels[place] % 2:
            made[place] = closing if opening in waiting else opening
        waiting ^= {opening}
    fixed = _count_unmatched_brackets([made[place] for place in order]) == 0
    return made if fixed else list(letters)


def _classify_letter(letter: str) -> str:
    return _KINDS_BY_BIDI_CLASS.get(unicodedata.bidirectional(letter[0]), _OTHER)


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
