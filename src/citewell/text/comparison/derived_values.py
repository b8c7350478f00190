"""Decides whether a number follows from others: as a sum, a difference, a share, a multiple, or the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from itertools import combinations, islice, pairwise

from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    YEAR_UNIT,
    StatedQuantity,
    is_fixed_unit,
)

_DATED_UNITS = frozenset({YEAR_UNIT, DATE_UNIT})
_WHOLE_PERCENT = Decimal(100)
_MAX_DERIVED_VALUES = 14
_MAX_DATES = 200  # of one source between which times are reckoned: each with each other
_RATIO_SLACK = Decimal("0.2")  # of a multiple: what rose from 7.5 to 17.3 has "doubled"
# Between a share and the number of which it is one.
_SHARE_OF_PATTERN = re.compile(
    r"\s(?:of|von|aller|der|des|de)\s(?:(?:all|our|its|their|the|those|these|some|about|around|den|les|las|los)\s){0,2}",
    re.IGNORECASE,
)
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
    return (
        is_combined_value(one, held)
        or is_complement_share(one, held)
        or is_share_of_counts(one, held)
    )


def is_share_of_counts(one: StatedQuantity, held: Sequence[StatedQuantity]) -> bool:
    """Whether the percentage is one number of things in another, whatever they are called."""
    counts = [abs(each.low) for each in held if each.unit not in {*_DATED_UNITS, "%"}]
    slack = max(one.precision / 2, abs(one.low) / 200)
    return one.unit == "%" and any(
        abs(100 * low / high - one.low) <= slack
        for low, high in map(sorted, combinations(counts[:_MAX_DERIVED_VALUES], 2))
        if high
    )


def is_share_of_value(one: StatedQuantity, held: Sequence[StatedQuantity], text: str) -> bool:
    """Whether `text` gives a share of a number that make it: 280 for "half of our 560 species"."""
    slack = max(one.precision / 2, abs(one.low) / 200)
    return one.unit not in {*_DATED_UNITS, "%"} and any(
        share.unit == "%"
        and whole.unit == one.unit
        and abs(share.low * whole.low / _WHOLE_PERCENT - one.low) <= slack
        and _SHARE_OF_PATTERN.fullmatch(text, share.end, whole.start) is not None
        for share, whole in pairwise(held)
    )


def is_multiplied_value(
    one: StatedQuantity, beside: Iterable[StatedQuantity], held: Iterable[StatedQuantity]
) -> bool:
    """Whether a rate of the source and another value of the statement make it, or it makes that one.

    "Ten kilograms less lower the pressure by 10 mmHg" follows from 1 mmHg for each kilogram.
    """
    rates = [each for each in held if each.low == each.high and each.unit not in _DATED_UNITS]
    return any(
        _is_product(made, factor, rate)
        for other in beside
        if other is not one and other.unit not in _DATED_UNITS
        for made, factor in ((one, other), (other, one))
        for rate in rates
    )


def _is_product(made: StatedQuantity, factor: StatedQuantity, rate: StatedQuantity) -> bool:
    slack = made.precision / 2
    if rate.unit == "%":  # "a turnover of 1 billion risks 70 million" follows from 7 percent
        share = factor.low * rate.low / _WHOLE_PERCENT
        return made.unit == factor.unit and abs(share - made.low) <= slack
    times = factor.low / factor.scale
    return made.unit == rate.unit and times > 1 and abs(times * rate.low - made.low) <= slack


def is_product_of_counts(one: StatedQuantity, held: Sequence[StatedQuantity]) -> bool:
    """Whether two numbers without a measure make it: 361 crossings of 19 by 19 lines."""
    counts = [each.low for each in held if not is_fixed_unit(each.unit) and each.low > 1]
    return not is_fixed_unit(one.unit) and any(
        first * second == one.low for first, second in combinations(counts[:_MAX_DERIVED_VALUES], 2)
    )


def list_time_spans(
    held: Sequence[StatedQuantity], known_years: Iterable[int]
) -> list[StatedQuantity]:
    """The times between any two years, with those of the record, and between any two days."""
    days = set(islice((int(each.low) for each in held if each.unit == DATE_UNIT), _MAX_DATES))
    years = set(islice((int(each.low) for each in held if each.unit == YEAR_UNIT), _MAX_DATES))
    years |= {date.fromordinal(each).year for each in days}
    spans = {("year", abs(one - other)) for one in years for other in (*years, *known_years)}
    spans |= {("day", abs(one - other)) for one in days for other in days}
    return [
        StatedQuantity(
            low=Decimal(length),
            high=Decimal(length),
            unit=unit,
            text=f"{length} {unit}s",
            start=0,
            end=0,
            precision=Decimal(1),
        )
        for unit, length in sorted(spans)
    ]


def is_sum_of_run(
    one: StatedQuantity,
    held: Sequence[StatedQuantity],
    slack: tuple[Decimal, Decimal] = (Decimal(0), Decimal(0)),
) -> bool:
    """Whether several values of one unit, in a row, add up to this one.

    `slack` is how much less and more the sum may be, by the words before the number.
    """
    run = [each.low for each in held if each.unit == one.unit and each.low == each.high]
    least = max(one.precision / 2, abs(one.low) / 200)
    low, high = one.low - max(least, slack[0]), one.low + max(least, slack[1])
    return any(
        low <= sum(run[start:end]) <= high
        for start in range(len(run))
        for end in range(start + 2, min(len(run), start + _MAX_DERIVED_VALUES) + 1)
    )


def _combine_values(
    one: StatedQuantity, first: StatedQuantity, second: StatedQuantity
) -> Iterable[Decimal]:
    """What follows from two values of one unit, in the unit of the value that is looked for."""
    low, high = sorted((abs(first.low), abs(second.low)))
    if one.unit == "year" and {first.unit, second.unit} == {"year", ""}:
        yield high - low  # of ages: "a 25-year-old … when they are 65"
    if not have_like_units(first, second):
        return
    if have_like_units(one, first) or (first.unit == "%" and one.unit in _POINT_UNITS):
        yield low + high
        yield high - low
    if one.unit == "%" and low:
        yield 100 * low / high
        yield 100 * (high - low) / low
        yield 100 * (high - low) / high


def have_like_units(first: StatedQuantity, second: StatedQuantity) -> bool:
    """Whether both have one unit; the names of counted things, and scores without any, may differ."""
    return first.unit == second.unit or not (
        is_fixed_unit(first.unit) or is_fixed_unit(second.unit)
    )
