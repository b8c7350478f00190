"""Decides whether a number follows from others: as a sum, a difference, a share, a multiple, or the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import combinations, islice

from citewell.text.quantities.stated_quantities import DATE_UNIT, YEAR_UNIT, StatedQuantity

_DATED_UNITS = frozenset({YEAR_UNIT, DATE_UNIT})
_WHOLE_PERCENT = Decimal(100)
_MAX_DERIVED_VALUES = 14
_RATIO_SLACK = Decimal("0.2")  # of a multiple: what rose from 7.5 to 17.3 has "doubled"
_POINT_UNITS = frozenset({"pp", "point", "punkt", "punto"})  # of a difference of shares


def is_ratio_of_values(one: StatedQuantity, held: Sequence[StatedQuantity]) -> bool:
    """Whether two values of one unit are about this many times each other."""
    pairs = combinations([each for each in held if each.unit not in _DATED_UNITS], 2)
    return any(
        low and abs(high / low - one.low) <= _RATIO_SLACK * one.low
        for low, high in (sorted((abs(a.low), abs(b.low))) for a, b in pairs if a.unit == b.unit)
    )


def is_complement_share(one: StatedQuantity, held: Sequence[StatedQuantity]) -> bool:
    """Whether the share is what others leave of the whole."""
    slack = max(one.precision / 2, abs(one.low) / 200)
    return one.unit in {"%", "pp"} and any(
        abs(_WHOLE_PERCENT - each.low - one.low) <= slack for each in held if each.unit == "%"
    )


def is_combined_value(one: StatedQuantity, held: Sequence[StatedQuantity]) -> bool:
    given = list(
        islice((each for each in held if each.unit not in _DATED_UNITS), _MAX_DERIVED_VALUES)
    )
    slack = max(one.precision / 2, abs(one.low) / 200)
    return any(
        abs(made - abs(one.low)) <= slack
        for first, second in combinations(given, 2)
        for made in _combine_values(one, first, second)
    )


def is_reckoned_value(one: StatedQuantity, held: Sequence[StatedQuantity]) -> bool:
    """Whether the value follows from given ones, also as a share of things of another name."""
    if is_combined_value(one, held) or is_complement_share(one, held):
        return True
    counts = [abs(each.low) for each in held if each.unit not in {*_DATED_UNITS, "%"}]
    slack = max(one.precision / 2, abs(one.low) / 200)
    return one.unit == "%" and any(
        abs(100 * low / high - one.low) <= slack
        for low, high in map(sorted, combinations(counts[:_MAX_DERIVED_VALUES], 2))
        if high
    )


def _combine_values(
    one: StatedQuantity, first: StatedQuantity, second: StatedQuantity
) -> Iterable[Decimal]:
    """What follows from two values of one unit, in the unit of the value that is looked for."""
    low, high = sorted((abs(first.low), abs(second.low)))
    if first.unit != second.unit:
        return
    if one.unit == first.unit or (first.unit == "%" and one.unit in _POINT_UNITS):
        yield low + high
        yield high - low
    if one.unit == "%" and low:
        yield 100 * low / high
        yield 100 * (high - low) / low
        yield 100 * (high - low) / high
