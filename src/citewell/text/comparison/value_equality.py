"""Decides whether two numbers of two texts are the same value, as people round, convert and shorten them."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from citewell.text.comparison.statement_values import DATED_UNITS
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.sentence_values import MIN_TELLING_VALUE
from citewell.text.quantities.stated_fractions import MULTIPLE_UNIT
from citewell.text.quantities.stated_quantities import StatedQuantity

# "1.2m people": a million or a metre.
_SHORT_MAGNITUDE_PATTERN = re.compile(r"\d(?P<letter>[mb])\Z")
_SHORT_MAGNITUDES = {"m": Decimal(10**6), "b": Decimal(10**9)}
_HALF = Decimal("0.5")
_DAYS_PER_UNIT = {
    "second": Decimal(1) / 86_400, "minute": Decimal(1) / 1440, "hour": Decimal(1) / 24, "day": Decimal(1),
    "month": Decimal("30.44"), "year": Decimal("365.25"),
}  # fmt: skip
_SCALED_DEGREES = {"°c", "°f"}
_FAHRENHEIT_STEP, _FAHRENHEIT_ZERO = Decimal("1.8"), Decimal(32)
_KELVIN_ZERO = Decimal("273.15")  # of the scale of Celsius
_POUND_GRAMS = Decimal("453.59237")
_ROUNDING_SLACK = Decimal("0.02")  # of a value that is given as a rounder one
_CONVERSION_SLACK = Decimal("0.03")  # of a value that is given in another unit


def have_same_value(one: StatedQuantity, other: StatedQuantity) -> bool:
    """A statement may round, but not be more exact; two ranges must have the same ends."""
    one, other = _weigh_pounds(one, other), _weigh_pounds(other, one)
    if _is_same_magnitude(one, other) or _is_converted(one, other):
        return True
    if MULTIPLE_UNIT in {one.unit, other.unit} and one.unit != other.unit:
        return False
    if not stated_quantities.have_equal_values(one, other):
        return _is_same_figure(one, other)
    one, other = stated_quantities.write_alike(one, other)
    slack = one.precision / 2 if one.precision > other.precision else Decimal(0)
    is_range = one.low < one.high, other.low < other.high
    if all(is_range):
        return abs(one.low - other.low) <= slack and abs(one.high - other.high) <= slack
    if any(is_range) and one.unit != other.unit:
        return _is_end_of_ages(one, other)
    return one.low - slack <= other.high and other.low - slack <= one.high


def is_rounded(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether a number is a rounder form of another, and hardly away from it: 1,200 of 1,204."""
    one, other = _weigh_pounds(one, other), _weigh_pounds(other, one)
    if not stated_quantities.have_comparable_units(one, other) or one.low != one.high:
        return False
    one, other = stated_quantities.write_alike(one, other)
    is_rounder = _count_significant_digits(one) < _count_significant_digits(other)
    return is_rounder and abs(one.low - other.low) <= _ROUNDING_SLACK * abs(other.low)


def _count_significant_digits(one: StatedQuantity) -> int:
    """The digits of a number that say something: 2 of 1,200, 3 of 84.0."""
    digits = re.sub(r"\D", "", one.text) or str(int(one.low / one.scale))
    return len(digits if one.precision < one.scale else digits.rstrip("0"))


def have_equal_figures(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether both have one figure, as it is written and rounded; the words of its unit may differ."""
    if {one.unit, other.unit} & DATED_UNITS or not any(map(str.isdigit, one.text)):
        return False
    mine, theirs = one.low / one.scale, other.low / other.scale
    slack = max(one.precision / one.scale, other.precision / other.scale) / 2
    return (
        one.low == one.high
        and abs(mine) >= MIN_TELLING_VALUE
        and (mine == theirs or (one.precision != other.precision and abs(mine - theirs) <= slack))
    )


def _is_same_figure(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether both are one exact figure or range, and a word that follows was taken for its unit.

    "Children aged 4 to 17 used it" has the figures of "children aged 4 to 17 years".
    """
    fixed = [stated_quantities.is_fixed_unit(each.unit) for each in (one, other)]
    is_range = one.low < one.high and other.low < other.high
    if all(fixed) or not any(fixed) or not (is_range or "year" in {one.unit, other.unit}):
        return False
    return one.low * other.scale == other.low * one.scale and (
        one.high * other.scale == other.high * one.scale
    )


def _weigh_pounds(one: StatedQuantity, other: StatedQuantity) -> StatedQuantity:
    """An amount of "pounds" as a weight, if the other number is a weight."""
    if one.unit != "gbp" or other.unit != "g" or "£" in one.text:
        return one
    return replace(
        one,
        low=one.low * _POUND_GRAMS,
        high=one.high * _POUND_GRAMS,
        unit="g",
        precision=one.precision * _POUND_GRAMS,
        scale=_POUND_GRAMS,
    )


def _is_end_of_ages(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether a number of years is an end of a range without a unit, as ages are given: "ages 12–25"."""
    single, several = (one, other) if one.low == one.high else (other, one)
    is_of_years = single.unit == "year" and not several.unit
    return is_of_years and single.low in {several.low, several.high}


def _is_converted(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether one value is the other in another unit, as far as such numbers are rounded."""
    if {one.unit, other.unit} <= _DAYS_PER_UNIT.keys() and one.unit != other.unit:
        first, second = _DAYS_PER_UNIT[one.unit], _DAYS_PER_UNIT[other.unit]
        more = 1 + _CONVERSION_SLACK
        return (
            one.low * first <= other.high * second * more
            and other.low * second <= one.high * first * more
        )
    if {one.unit, other.unit} == {"°c", "°k"}:
        cold, kelvins = sorted((one, other), key=lambda each: each.unit)
        # "Minus 180 °C" may be read without its sign.
        return abs(abs(kelvins.low - _KELVIN_ZERO) - abs(cold.low)) <= max(cold.precision, _HALF)
    if {one.unit, other.unit} == _SCALED_DEGREES:
        cold, warm = sorted((one, other), key=lambda each: each.unit)
        return any(
            abs(low * _FAHRENHEIT_STEP + zero - high) <= max(warm.precision, _HALF)
            for zero in (0, _FAHRENHEIT_ZERO)  # of a difference, or of a temperature
            for low in {cold.low, cold.high}
            for high in {warm.low, warm.high}
        )
    if one.unit != other.unit or one.scale == other.scale:
        return False
    pairs = ((one.low, other.low), (one.high, other.high))
    return all(abs(mine - theirs) <= _CONVERSION_SLACK * abs(theirs) for mine, theirs in pairs)


def _is_same_magnitude(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether "1.2m" is the 1.2 million, and "3b" the 3 billion, of the other text."""
    for short, long in ((one, other), (other, one)):
        found = _SHORT_MAGNITUDE_PATTERN.search(short.text)
        if found is not None and short.scale == 1:
            factor = _SHORT_MAGNITUDES[found["letter"]]
            if abs(short.low * factor - long.low) <= short.precision * factor / 2:
                return True
    return False
