"""Tells a full stop that belongs to an abbreviation from one that ends a sentence."""

from __future__ import annotations

import re
from functools import cache

from citewell.text.data_tables import load_table

_LAST_WORD_PATTERN = re.compile(r"[^\s(\[\"'“‘„«—–]+\Z")
_DOTTED_LETTERS_PATTERN = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}\Z")
_ORDINAL_PATTERN = re.compile(r"\d{1,2}\Z|[IVX]{2,5}\Z")


def is_sentence_opener(word: str) -> bool:
    """Whether the word commonly starts a sentence and is not part of a name."""
    return word.lower().replace("’", "'").partition("'")[0] in _load_words("sentence_openers")


def is_abbreviation_stop(
    before: str, next_word: str, *, number_follows: bool, nothing_closes: bool
) -> bool:
    """Whether a full stop belongs to an abbreviation, so that the sentence continues after it.

    `before` is the text up to the stop. `next_word` is the word after it, with its own stop if it
    is a single letter. `number_follows` is set if a number comes next. `nothing_closes` is set if
    no quotation mark or bracket closes after the stop; if one does, only abbreviations that never
    end a sentence count.
    """
    found = _LAST_WORD_PATTERN.search(before)
    if found is None:
        return False
    word = found[0].strip("*_").rstrip(")]")
    low = word.lower()
    if number_follows is False and any(map(str.isdigit, next_word)):
        number_follows = low in _load_words("before_numbers") or low == "no"
    if low in _load_words("mid_sentence"):
        return nothing_closes or low in {"e.g", "i.e", "cf"}
    if low in _load_words("titles") and word[0].isupper():
        return nothing_closes
    if not nothing_closes:
        return False
    if low in _load_words("before_numbers"):
        return number_follows or not (
            is_sentence_opener(next_word) or (word.islower() and not _is_short_word(next_word))
        )
    if low in _load_words("ambiguous") and not (len(word) == 1 and word.isupper()):
        return _is_ambiguous_stop(low, next_word, digit=number_follows)
    named = before[: found.start()].rstrip().rpartition(" ")[2][:1].isupper()
    if (number_follows and low in {"v", "p", "c", "n", "s", "r"}) or (word == "v" and named):
        return True
    return _is_initial_stop(word, next_word, digit=number_follows, named=named) or _is_ordinal_stop(
        word, next_word
    )


def _is_short_word(ahead: str) -> bool:
    return len(ahead) <= 2


def _is_ambiguous_stop(low: str, ahead: str, *, digit: bool) -> bool:
    if low in {"no", "p", "min", "max"}:
        return digit
    if low == "al":
        return not is_sentence_opener(ahead)
    return bool(ahead) and not is_sentence_opener(ahead) and low not in {"in", "etc"}


def _is_initial_stop(word: str, ahead: str, *, digit: bool, named: bool) -> bool:
    """Whether the stop follows an initial, as in J. Smith, U.S. Senate and 5 p.m. Monday."""
    if _DOTTED_LETTERS_PATTERN.match(word):
        if word.lower() in _load_words("clock_times"):
            return ahead.lower() in _load_words("after_clock_times")
        return not is_sentence_opener(ahead) and (bool(ahead) or digit)
    if len(word) == 1 and ahead.endswith("."):  # J. S. Bach, z. B.
        return word.isalpha()
    single = len(word) == 1 and word.isalpha() and word.isupper() and (word != "I" or named)
    return single and bool(ahead) and not is_sentence_opener(ahead)


def _is_ordinal_stop(word: str, ahead: str) -> bool:
    return bool(_ORDINAL_PATTERN.match(word)) and ahead.lower() in _load_words("after_ordinals")


@cache
def _load_words(kind: str) -> frozenset[str]:
    """One list of abbreviations or words, in lower case and without the last stop.

    `titles` stand before a name: when capitalised and followed by more text, they never end a
    sentence. `mid_sentence` never ends one. `before_numbers` is usually followed by a number, letter
    or name, and ends one only before a sentence opener. After `ambiguous` the next word decides.
    """
    return frozenset(load_table(__package__, "abbreviations")[kind])
