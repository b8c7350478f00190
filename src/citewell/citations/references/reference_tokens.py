"""Splits a reference into tokens: words, numbers and single marks, with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.text.language.scripts import CJK_RANGES

_TOKEN_PATTERN = re.compile(r"(?P<number>\d+)|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)?)|\S")
_CJK_WORD_PATTERN = re.compile(f"[{CJK_RANGES}]")
_UNCASED_SHAPE = "aa"  # of scripts without capitals
WORD_SHAPES = frozenset({"X", "x", "XX", "XXX", "Xx", "xx", "xX", _UNCASED_SHAPE})
_MAX_WORD_CHARS = 20  # of a word among the features


@dataclass(frozen=True, slots=True)
class ReferenceToken:
    start: int
    end: int
    text: str  # as written
    word: str  # in lower case; of a number its shape
    shape: str  # a mark is its own shape
    is_spaced: bool  # white space stands before it

    @property
    def is_mark(self) -> bool:
        return self.shape == self.text


def split_reference_tokens(text: str) -> list[ReferenceToken]:
    tokens: list[ReferenceToken] = []
    end = -1
    for found in _TOKEN_PATTERN.finditer(text):
        piece = found[0]
        kind = found.lastgroup
        if kind == "word":
            shape, word = _shape_word(piece), piece.lower()[:_MAX_WORD_CHARS]
            if shape == _UNCASED_SHAPE and _CJK_WORD_PATTERN.match(piece):
                word = f"cjk{min(len(piece), 7)}"  # names have two to four characters
        elif kind == "number":
            shape = word = _shape_number(piece)
        else:
            shape = word = piece
        tokens.append(
            ReferenceToken(found.start(), found.end(), piece, word, shape, found.start() != end)
        )
        end = found.end()
    return tokens


def _shape_word(word: str) -> str:
    """One letter by its case; a longer word: Xx, xx, XX (up to three letters), XXX or xX."""
    if len(word) == 1:
        return "X" if word.isupper() else "x"
    if word.isupper():
        return "XX" if len(word) < 4 else "XXX"
    if word.islower():
        return "xx"
    if word[0].isupper() and word[1:].islower():
        return "Xx"
    return "xX" if any(char.isupper() for char in word) else _UNCASED_SHAPE


def _shape_number(number: str) -> str:
    return "year" if len(number) == 4 and "1400" <= number <= "2099" else f"d{min(len(number), 5)}"
