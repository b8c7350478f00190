"""Writes a reference as the tagger's examples are written, character for character of the same length."""

from __future__ import annotations

import re

_CAPITAL_WORD_PATTERN = re.compile(r"[^\W\d_]{2,}")
_SMALL_WORDS = frozenset(
    {
        "of",
        "the",
        "and",
        "in",
        "on",
        "for",
        "an",
        "to",
        "with",
        "by",
        "from",
        "und",
        "et",
        "de",
        "der",
        "die",
        "vol",
        "no",
        "pp",
    }
)
_MIN_CAPITAL_LETTERS = 20
_UNDATED_PATTERN = re.compile(
    r"\((?:in press|forthcoming|submitted|under review|to appear|no date|n\. ?d\.|s\. ?[ad]\.|o\. ?J\.|im Druck|im Erscheinen|à paraître|sous presse|en prensa|in corso di stampa)\)",
    re.IGNORECASE,
)
_MARKS = str.maketrans({"،": ",", "؛": ";", "，": ",", "；": ";", "：": ":", "（": "(", "）": ")"})


def write_as_usual(text: str) -> str:
    """The reference in small letters, with Latin marks, and with a year where it says that it has none."""
    text = _UNDATED_PATTERN.sub(lambda found: "(2000)".ljust(len(found[0])), text)
    return _lower_capitals(latinize_marks(text))


def latinize_marks(text: str) -> str:
    """The text with Latin commas and semicolons in place of Arabic and wide ones."""
    return text if text.isascii() else text.translate(_MARKS)


def _lower_capitals(text: str) -> str:
    """A reference written in capitals with small letters, so that its words look as usual."""
    letters = [char for char in text if char.isalpha()]
    if len(letters) < _MIN_CAPITAL_LETTERS or sum(map(str.isupper, letters)) < 0.9 * len(letters):
        return text
    lowered = _CAPITAL_WORD_PATTERN.sub(_capitalize_usual_word, text)
    return lowered if len(lowered) == len(text) else text


def _capitalize_usual_word(found: re.Match[str]) -> str:
    word = found[0].lower()
    return word if word in _SMALL_WORDS else word.capitalize()
