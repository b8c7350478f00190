"""Tells whether a source has a name in any form: inflected, abbreviated, spelt out, hyphenated, misspelt.

When in doubt it has it: only a name that is nowhere shows that a source does not say something.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import pairwise

from citewell.text.comparison.statement_names import (
    StatementName,
    fold_name_letters,
    is_telling_stem,
)
from citewell.text.language import stopwords, tokens

_WORD_PATTERN = re.compile(r"[^\W_]+")
_CAPITAL_PATTERN = re.compile(r"(?:[A-Z]\.){2,8}|\b[^\W\d_a-z][^\W_]*")
_HEAD_LETTERS = 5  # European and Europe
_MAX_ENDING_LETTERS = 2
_MIN_ROOT_LETTERS = 4  # Marxist and Marx
_MIN_JOINED_LETTERS = 6  # of a name that the source writes in two words
_MIN_FUZZY_LETTERS, _MIN_SPELLING_RATIO = 5, 0.78


@dataclass(frozen=True, kw_only=True)
class SourceNames:
    """The words of a source, and of what is known about it, as names are looked for in them."""

    text: str  # folded
    capital_words: frozenset[str]  # folded; those that are written with a capital somewhere
    known_words: frozenset[str]  # folded; of the title, the authors and the address

    @cached_property
    def word_list(self) -> tuple[str, ...]:
        return tuple(_WORD_PATTERN.findall(self.text))

    @cached_property
    def word_set(self) -> frozenset[str]:
        return frozenset(self.word_list)

    @cached_property
    def words_by_head(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for word in self.word_set:
            found.setdefault(_cut_head(word), []).append(word)
        return found

    @cached_property
    def rare_words(self) -> tuple[str, ...]:
        """The words that may be names themselves: "being" is no slip for "Boeing"."""
        return tuple(
            word for word in self.capital_words if is_telling_stem(tokens.stem_word(word, "en"))
        )

    @cached_property
    def letters(self) -> str:
        return "".join(self.word_list)

    @cached_property
    def phrase_text(self) -> str:
        return f" {' '.join(self.word_list)} "

    @cached_property
    def source_initials(self) -> tuple[str, str]:
        """The first letters of all words, and of those that are no function words."""
        plain = stopwords.list_stopwords("en")
        every = "".join(word[0] for word in self.word_list)
        return every, "".join(word[0] for word in self.word_list if word not in plain)

    def mentions_name(self, name: StatementName) -> bool:
        """Whether any telling word of it is there; of a name of a person, whether the last one is."""
        if self._has_short_form(name):
            return True
        if name.is_plain_organisation:
            if not self._has_part_of_organisation(name):
                return False
            if not name.telling and not name.forms:
                return True
        if any(self._has_form(form) for form in name.forms):
            return True
        if name.is_acronym and any(name.words[0] in row for row in self.source_initials):
            return True
        if name.family_name:
            return self.has_name_word(name.family_name)
        return any(self.has_name_word(word) for word in name.telling)

    def has_name_word(self, word: str) -> bool:
        """Whether the source has the word, another form of it, or one that differs by a slip."""
        if self._has_form(word) or word.removesuffix("s") in self.word_set:
            return True
        if any(
            _is_other_form(word, other) for other in self.words_by_head.get(_cut_head(word), ())
        ):
            return True
        if any(word[:end] in self.word_set for end in range(_MIN_ROOT_LETTERS, len(word))):
            return True
        if len(word) >= _MIN_JOINED_LETTERS and word in self.letters:
            return True
        return self._has_misspelling(word)

    def _has_misspelling(self, word: str) -> bool:
        if len(word) < _MIN_FUZZY_LETTERS:
            return False
        like = [one for one in self.rare_words if abs(len(one) - len(word)) <= 2]
        return bool(get_close_matches(word, like, n=1, cutoff=_MIN_SPELLING_RATIO))

    def _has_form(self, form: str) -> bool:
        """Whether it is there as a word, a phrase or, if it is not short, the start of a word."""
        end = "" if len(form) >= _MIN_ROOT_LETTERS else " "
        return f" {form}{end}" in self.phrase_text

    def _has_short_form(self, name: StatementName) -> bool:
        """Whether it is there by its first letters, or written as one word as in an address."""
        joined = "".join(name.words)
        return len(name.words) > 1 and (
            name.name_initials in self.capital_words  # "who" is not the WHO
            or (len(joined) >= _MIN_JOINED_LETTERS and joined in self.letters)
        )

    def _has_part_of_organisation(self, name: StatementName) -> bool:
        """Whether its kind is there ("the agency"), two of its words side by side, or its address."""
        pairs = (f" {one} {other} " for one, other in pairwise(name.words))
        return (
            self.has_name_word(name.words[-1])
            or any(pair in self.phrase_text for pair in pairs)
            or not self.known_words.isdisjoint(name.words)
        )


def _cut_head(word: str) -> str:
    return word[:_HEAD_LETTERS]


def _is_other_form(word: str, other: str) -> bool:
    """Whether they differ only at the end: Europe and European, Mexico and Mexican."""
    same = max(_HEAD_LETTERS, min(len(word), len(other)) - _MAX_ENDING_LETTERS)
    return word[:same] == other[:same]


@lru_cache(maxsize=4)  # one source is compared with many statements
def read_source_names(text: str, known: str) -> SourceNames:
    """`known` are names that belong to the source, such as its title, authors and address."""
    known_words = frozenset(_WORD_PATTERN.findall(fold_name_letters(known)))
    capitals = (word for word in _CAPITAL_PATTERN.findall(text) if word[0].isupper())
    return SourceNames(
        text=fold_name_letters(f"{text}\n{known}"),
        capital_words=known_words.union(map(fold_name_letters, capitals)),
        known_words=known_words,
    )
