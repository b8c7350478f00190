"""Finds the numbers and names of a claim that a source does not have."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.language import tokens
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.stated_quantities import DATE_UNIT, YEAR_UNIT, StatedQuantity

_FIGURE_PATTERN = re.compile(r"\d+")
_FIGURE_RANGE_PATTERN = re.compile(r"\d\s?[–-]\s?\d")
# A capital inside a sentence, or a word of capitals.
_NAME_PATTERN = re.compile(r"(?<=[a-z,] )[A-Z][\w’'-]++|\b[A-Z]{2,}+\b")
_NUMBER_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_NAME_PREFIX_LETTERS = 5  # European and Europe, Italian and Italy
_MAX_FIGURE_CHARS = 400_000  # of a source in which figures are looked up


def list_figures(text: str) -> frozenset[str]:
    """Every run of digits in a text."""
    return frozenset(_FIGURE_PATTERN.findall(text[:_MAX_FIGURE_CHARS]))


def find_missing_numbers(
    asked: SentenceFeatures,
    near: Sequence[SentenceFeatures],
    figures: frozenset[str],
    terms: frozenset[str],
) -> tuple[StatedQuantity, ...]:
    """The numbers of a claim that are not in the sentences near it.

    `figures` and `terms` are those of the whole source: years and dates often stand far away, at
    its head, and small numbers are often written as words.
    """
    if not asked.quantities:
        return ()
    gone = stated_quantities.find_missing_quantities(
        asked.quantities, (one for each in near for one in each.quantities)
    )
    return tuple(one for one in gone if not _is_written_elsewhere(one, figures, terms))


def _is_written_elsewhere(
    one: StatedQuantity, figures: frozenset[str], terms: frozenset[str]
) -> bool:
    digits = _FIGURE_PATTERN.findall(one.text)
    if one.unit in {YEAR_UNIT, DATE_UNIT} or _FIGURE_RANGE_PATTERN.search(one.text):
        return bool(digits) and all(
            each in figures or each.lstrip("0") in figures for each in digits
        )
    if len(digits) != 1 or len(digits[0]) > 2 or int(digits[0]) >= len(_NUMBER_WORDS):
        return False
    return tokens.stem_word(_NUMBER_WORDS[int(digits[0])], "en") in terms


def measure_missing_names(
    asked: SentenceFeatures, terms: frozenset[str], heads: Collection[str]
) -> float:
    """The share of the names in an English claim that a source with these terms does not have.

    `heads` are the first letters of its longer terms.
    """
    if (asked.language or "en")[:2] != "en":
        return 0.0
    names = {match[0] for match in _NAME_PATTERN.finditer(asked.text)}
    told = [stems for stems in map(tokens.extract_terms, names) if stems]
    gone = [stems for stems in told if stems.isdisjoint(terms)]
    if not gone:
        return 0.0
    return sum(not _has_known_head(stems, heads) for stems in gone) / len(told)


def _has_known_head(stems: frozenset[str], heads: Collection[str]) -> bool:
    """Whether a longer name begins like a word of the source: European and Europe."""
    return any(
        len(stem) >= _NAME_PREFIX_LETTERS and stem[:_NAME_PREFIX_LETTERS] in heads for stem in stems
    )
