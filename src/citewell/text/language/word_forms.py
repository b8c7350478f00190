"""Finds another form of a stem among others: an ending, a participle, a part of a compound.

Stemmers leave apart what German joins: "Haushaltsdefizit" and "Defizit", "aufzustocken" and "Aufstockung".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile

_COMPOUND_CODES = frozenset({"de", "nl", "sv", "da", "no"})
_MIN_ROOT_LETTERS = 5
_MAX_ENDING_LETTERS = 3
_MIN_ADDED_LETTERS = 3  # of the other part of a compound; "un" makes an opposite
_OPPOSITE_PARTS = ("anti", "gegen", "nicht", "miss", "fehl")
# "zu" and "ge" inside or before a verb, and the ending of the noun that is made of it.
_VERB_SIGNS_PATTERN = re.compile(
    r"\A(an|auf|aus|ab|bei|ein|vor|nach|zurück|zusammen|um|her|hin|dar|fest)?(?:zu|ge)(?=\w{4})"
)


def find_held_form(stem: str, held: Iterable[str], code: str) -> str | None:
    """The stem among `held` that is nearest in length to the other form it has there; None if none is."""
    forms = [other for other in held if _shares_word_parts(stem, other, code)]
    return min(forms, key=lambda other: (abs(len(other) - len(stem)), other), default=None)


def _shares_word_parts(one: str, other: str, code: str) -> bool:
    if code not in _COMPOUND_CODES:
        return _differs_by_ending(one, other)
    return _differs_by_ending(_reduce_verb(one), _reduce_verb(other)) or _ends_compound(one, other)


def _differs_by_ending(one: str, other: str) -> bool:
    if one[:_MIN_ROOT_LETTERS] != other[:_MIN_ROOT_LETTERS]:
        return False
    pairs = zip(one, other, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    shorter, longer = sorted((len(one), len(other)))
    return same >= _MIN_ROOT_LETTERS and (same == shorter or longer - same <= _MAX_ENDING_LETTERS)


def _ends_compound(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    added = len(long) - len(short)
    if len(short) < _MIN_ROOT_LETTERS or added < _MIN_ADDED_LETTERS:
        return False
    return long.endswith(short) and not long[:added].startswith(_OPPOSITE_PARTS)


def _reduce_verb(stem: str) -> str:
    return _VERB_SIGNS_PATTERN.sub(r"\1", stem)
