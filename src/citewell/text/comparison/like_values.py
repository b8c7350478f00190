"""Finds the number of a source that a number of a statement may have been written for by mistake."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from citewell.text.comparison.source_value_index import list_distinct_values
from citewell.text.comparison.statement_values import DATED_UNITS
from citewell.text.comparison.value_conflicts import is_unit_slip
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.quantities.stated_quantities import (
    StatedQuantity,
    is_fixed_unit,
)

_MIN_LIKE_DIGITS = 2  # of numbers that are mistaken for each other by their digits
_MIN_SLIP_DIGITS = 3
_MAGNITUDE_SLIPS = frozenset({Decimal(10), Decimal(100), Decimal(1000)})


@dataclass(frozen=True, slots=True, kw_only=True)
class UnstatedValue:
    """A value of the statement, and a value of the source that it may have been written for."""

    draft: StatedQuantity
    like: StatedQuantity | None = None
    start: int = -1  # of the sentence with `like`, in the source
    end: int = -1

    @property
    def kind(self) -> str:
        return "date" if self.draft.unit in DATED_UNITS else "number"

    @property
    def is_slip(self) -> bool:
        """Whether both differ as no two measurements would: not in the last of three digits or more."""
        if self.like is None:
            return False
        mine, theirs = (_list_digits(each).rstrip("0") for each in (self.draft, self.like))
        is_long = len(mine) == len(theirs) >= _MIN_SLIP_DIGITS
        return is_long and (mine[-1] == theirs[-1] or sorted(mine) == sorted(theirs))


def attach_like_value(one: StatedQuantity, source: SourceText) -> UnstatedValue:
    return find_like_value(one, source) or UnstatedValue(draft=one)


def find_like_value(one: StatedQuantity, source: SourceText) -> UnstatedValue | None:
    """The value with one of nearly the same digits, or of the same figure in another unit."""
    for held in source.derive(list_distinct_values):
        other = held.value
        # In a table the unit of a figure stands above it.
        is_bare = held.is_in_row and not other.unit and not is_fixed_unit(one.unit)
        if have_like_figures(one, other) or (is_bare and _have_like_digits(one, other)):
            start, end = source.sentence_spans[held.index]
            return UnstatedValue(draft=one, like=other, start=start, end=end)
    return None


def have_like_figures(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether one was easily written for the other: nearly the same digits, or another unit."""
    return (other.unit == one.unit and _have_like_digits(one, other)) or is_unit_slip(one, other)


def list_placed_sentences(
    source: SourceText,
) -> Iterator[tuple[SentenceFeatures, tuple[int, int]]]:
    return zip(source.sentence_features, source.sentence_spans, strict=True)


def _have_like_digits(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether one digit was exchanged, the same digits stand in another order, or a nought more."""
    if one.low == one.high and other.low == other.high and one.low and other.low:
        factor = one.low / other.low
        if factor in _MAGNITUDE_SLIPS or 1 / factor in _MAGNITUDE_SLIPS:
            return True
    mine, theirs = _list_digits(one), _list_digits(other)
    if len(mine) != len(theirs) or len(mine) < _MIN_LIKE_DIGITS:
        return False
    changed = sum(first != second for first, second in zip(mine, theirs, strict=True))
    return changed == 1 or (changed > 0 and sorted(mine) == sorted(theirs))


def _list_digits(one: StatedQuantity) -> str:
    return re.sub(r"\D", "", one.text)
