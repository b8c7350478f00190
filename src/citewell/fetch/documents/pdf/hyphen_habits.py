"""Whether a hyphen at the end of a line belongs to the word, or only breaks it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from citewell.fetch.documents.pdf.text_lines import TextLine

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
