"""Reads the numbers, dates and shares of a sentence that can be compared with those of another text."""

from __future__ import annotations

import re
from dataclasses import replace

from citewell.text.comparison.source_value_index import list_value_units
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.language import tokens
from citewell.text.quantities.sentence_values import MIN_TELLING_VALUE
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    ORDINAL_UNIT,
    YEAR_UNIT,
    StatedQuantity,
)

_LIST_NUMBER_PATTERN = re.compile(r"\d{1,3}[.)]\s")
_NEXT_WORD_PATTERN = re.compile(r"\s([^\W\d_]{3,})")
_MAX_COMPARED_VALUES = (
    20  # each is compared with each of the source; a statement with more is a table
)
DATED_UNITS = frozenset({YEAR_UNIT, DATE_UNIT})
TIME_UNITS = frozenset({"second", "minute", "hour", "day", "month", "year"})


def list_compared_values(asked: SentenceFeatures, source: SourceText) -> list[StatedQuantity]:
    """The values of a statement that a source can bear out, the first of very many."""
    return [
        _read_counted_year(one, asked, source)
        for one in list_stated_values(asked)[:_MAX_COMPARED_VALUES]
        if one.unit != ORDINAL_UNIT and not _is_list_number(one, asked.text)
    ]


def list_stated_values(said: SentenceFeatures) -> tuple[StatedQuantity, ...]:
    """The numbers of a sentence with its shares in words, without those that name a section."""
    return said.stated_values


def _is_list_number(one: StatedQuantity, text: str) -> bool:
    """Whether the number counts the items of a list that the statement is one of."""
    return not text[: one.start].strip() and _LIST_NUMBER_PATTERN.match(text, one.start) is not None


def _read_counted_year(
    one: StatedQuantity, asked: SentenceFeatures, source: SourceText
) -> StatedQuantity:
    """A figure that could be a year as a count, if the source counts the things that follow it."""
    if one.unit != YEAR_UNIT:
        return one
    following = _NEXT_WORD_PATTERN.match(asked.text, one.end)
    if following is None:
        return one
    stem = tokens.stem_word(following[1].lower(), (asked.language or "en")[:2])
    return replace(one, unit=stem) if stem in source.derive(list_value_units) else one


def is_telling_value(one: StatedQuantity) -> bool:
    """Whether the source should give it: years often come from elsewhere, small figures from names."""
    if one.unit in DATED_UNITS:
        return False
    if not any(map(str.isdigit, one.text)):
        return one.unit in TIME_UNITS
    return bool(one.unit) or abs(one.low) >= MIN_TELLING_VALUE or one.precision < 1
