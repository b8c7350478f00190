"""Reads the numbers, dates and shares of a sentence, and decides whether two are the same value."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from citewell.evidence.signs.claim_support import SourceText
from citewell.evidence.signs.sentence_features import SentenceFeatures
from citewell.text.language import word_forms
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.sentence_values import MIN_TELLING_VALUE
from citewell.text.quantities.spelt_numbers import MULTIPLE_UNIT
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    ORDINAL_UNIT,
    YEAR_UNIT,
    StatedQuantity,
)

_WINDOW_SENTENCES = 3

_LIST_NUMBER_PATTERN = re.compile(r"\d{1,3}[.)]\s")
_NEXT_WORD_PATTERN = re.compile(r"\s([^\W\d_]{3,})")
# Each is compared with each of the source; a statement with more is a table
_MAX_COMPARED_VALUES = 20
DATED_UNITS = frozenset({YEAR_UNIT, DATE_UNIT})
TIME_UNITS = frozenset({"second", "minute", "hour", "day", "month", "year"})

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


def have_same_value(value: StatedQuantity, other: StatedQuantity) -> bool:
    """A statement may round, but not be more exact; two ranges must have the same ends."""
    value, other = _weigh_pounds(value, other), _weigh_pounds(other, value)
    if _is_same_magnitude(value, other) or _is_converted(value, other):
        return True
    if MULTIPLE_UNIT in {value.unit, other.unit} and value.unit != other.unit:
        return False
    if not stated_quantities.have_equal_values(value, other):
        return _is_same_figure(value, other)
    value, other = stated_quantities.write_alike(value, other)
    slack = value.precision / 2 if value.precision > other.precision else Decimal(0)
    is_range = value.low < value.high, other.low < other.high
    if all(is_range):
        return abs(value.low - other.low) <= slack and abs(value.high - other.high) <= slack
    if any(is_range) and value.unit != other.unit:
        # Ages are given as a range without a unit, "ages 12–25", and cited by one of its ends.
        single, several = (value, other) if value.low == value.high else (other, value)
        is_of_years = single.unit == "year" and not several.unit
        return is_of_years and single.low in {several.low, several.high}
    return value.low - slack <= other.high and other.low - slack <= value.high


def is_rounded(value: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether a number is a rounder form of another, and hardly away from it: 1,200 of 1,204."""
    value, other = _weigh_pounds(value, other), _weigh_pounds(other, value)
    if not stated_quantities.have_comparable_units(value, other) or value.low != value.high:
        return False
    value, other = stated_quantities.write_alike(value, other)
    is_rounder = _count_significant_digits(value) < _count_significant_digits(other)
    return is_rounder and abs(value.low - other.low) <= _ROUNDING_SLACK * abs(other.low)


def _count_significant_digits(value: StatedQuantity) -> int:
    """The digits of a number that say something: 2 of 1,200, 3 of 84.0."""
    digits = re.sub(r"\D", "", value.text) or str(int(value.low / value.scale))
    return len(digits if value.precision < value.scale else digits.rstrip("0"))


def have_equal_figures(value: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether both have one figure, as it is written and rounded; the words of its unit may differ."""
    if {value.unit, other.unit} & DATED_UNITS or not any(map(str.isdigit, value.text)):
        return False
    mine, theirs = value.low / value.scale, other.low / other.scale
    slack = max(value.precision / value.scale, other.precision / other.scale) / 2
    return (
        value.low == value.high
        and abs(mine) >= MIN_TELLING_VALUE
        and (mine == theirs or (value.precision != other.precision and abs(mine - theirs) <= slack))
    )


def _is_same_figure(value: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether both are one exact figure or range, and a word that follows was taken for its unit.

    "Children aged 4 to 17 used it" has the figures of "children aged 4 to 17 years".
    """
    fixed = [stated_quantities.is_fixed_unit(each.unit) for each in (value, other)]
    is_range = value.low < value.high and other.low < other.high
    if all(fixed) or not any(fixed) or not (is_range or "year" in {value.unit, other.unit}):
        return False
    return value.low * other.scale == other.low * value.scale and (
        value.high * other.scale == other.high * value.scale
    )


def _weigh_pounds(value: StatedQuantity, other: StatedQuantity) -> StatedQuantity:
    """An amount of "pounds" as a weight, if the other number is a weight."""
    if value.unit != "gbp" or other.unit != "g" or "£" in value.text:
        return value
    return replace(
        value,
        low=value.low * _POUND_GRAMS,
        high=value.high * _POUND_GRAMS,
        unit="g",
        precision=value.precision * _POUND_GRAMS,
        scale=_POUND_GRAMS,
    )


def _is_converted(value: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether one value is the other in another unit, as far as such numbers are rounded."""
    if {value.unit, other.unit} <= _DAYS_PER_UNIT.keys() and value.unit != other.unit:
        first, second = _DAYS_PER_UNIT[value.unit], _DAYS_PER_UNIT[other.unit]
        more = 1 + _CONVERSION_SLACK
        return (
            value.low * first <= other.high * second * more
            and other.low * second <= value.high * first * more
        )
    if {value.unit, other.unit} == {"°c", "°k"}:
        cold, kelvins = sorted((value, other), key=lambda each: each.unit)
        # "Minus 180 °C" may be read without its sign.
        return abs(abs(kelvins.low - _KELVIN_ZERO) - abs(cold.low)) <= max(cold.precision, _HALF)
    if {value.unit, other.unit} == _SCALED_DEGREES:
        cold, warm = sorted((value, other), key=lambda each: each.unit)
        return any(
            abs(low * _FAHRENHEIT_STEP + zero - high) <= max(warm.precision, _HALF)
            for zero in (0, _FAHRENHEIT_ZERO)  # of a difference, or of a temperature
            for low in {cold.low, cold.high}
            for high in {warm.low, warm.high}
        )
    if value.unit != other.unit or value.scale == other.scale:
        return False
    pairs = ((value.low, other.low), (value.high, other.high))
    return all(abs(mine - theirs) <= _CONVERSION_SLACK * abs(theirs) for mine, theirs in pairs)


def _is_same_magnitude(value: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether "1.2m" is the 1.2 million, and "3b" the 3 billion, of the other text."""
    for short, long in ((value, other), (other, value)):
        found = _SHORT_MAGNITUDE_PATTERN.search(short.text)
        if found is not None and short.scale == 1:
            factor = _SHORT_MAGNITUDES[found["letter"]]
            if abs(short.low * factor - long.low) <= short.precision * factor / 2:
                return True
    return False


# Reads the numbers, dates and shares of a sentence that can be compared with those of another text.


def list_compared_values(asked: SentenceFeatures, source: SourceText) -> list[StatedQuantity]:
    """The values of a statement that a source can bear out, the first of very many."""
    return [
        _read_counted_year(value, asked, source)
        for value in asked.stated_values[:_MAX_COMPARED_VALUES]
        if value.unit != ORDINAL_UNIT and not _is_list_number(value, asked.text)
    ]


def _is_list_number(value: StatedQuantity, text: str) -> bool:
    """Whether the number counts the items of a list that the statement is one of."""
    return (
        not text[: value.start].strip()
        and _LIST_NUMBER_PATTERN.match(text, value.start) is not None
    )


def _read_counted_year(
    value: StatedQuantity, asked: SentenceFeatures, source: SourceText
) -> StatedQuantity:
    """A figure that could be a year as a count, if the source counts the things that follow it."""
    if value.unit != YEAR_UNIT:
        return value
    following = _NEXT_WORD_PATTERN.match(asked.text, value.end)
    if following is None:
        return value
    stem = word_forms.stem_word(following[1].lower(), (asked.language or "en")[:2])
    return replace(value, unit=stem) if stem in source.derive(list_value_units) else value


def is_telling_value(value: StatedQuantity) -> bool:
    """Whether the source should give it: years often come from elsewhere, small figures from names."""
    if value.unit in DATED_UNITS:
        return False
    if not any(map(str.isdigit, value.text)):
        return value.unit in TIME_UNITS
    return bool(value.unit) or abs(value.low) >= MIN_TELLING_VALUE or value.precision < 1


# Lists the values of a source once, for all statements that are compared with it.


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceValue:
    """A value of a source where it is given first."""

    value: StatedQuantity
    index: int  # of its sentence
    is_in_row: bool  # of a table


def list_valued_sentences(source: SourceText) -> tuple[int, ...]:
    """The places of the sentences that give a value."""
    return tuple(
        at for at, sentence in enumerate(source.sentence_features) if sentence.stated_values
    )


def list_all_values(source: SourceText) -> tuple[StatedQuantity, ...]:
    every = source.sentence_features
    valued = source.derive(list_valued_sentences)
    return tuple(value for at in valued for value in every[at].stated_values)


def list_distinct_values(source: SourceText) -> tuple[SourceValue, ...]:
    """The values that differ in what they are or how they are written, in the order of the source."""
    found: dict[tuple[object, ...], SourceValue] = {}
    for at in source.derive(list_valued_sentences):
        sentence = source.sentence_features[at]
        is_in_row = sentence.text.lstrip().startswith("|")
        for value in sentence.stated_values:
            key = (
                value.text,
                value.low,
                value.high,
                value.unit,
                value.precision,
                value.scale,
                is_in_row,
            )
            if key not in found:
                found[key] = SourceValue(value=value, index=at, is_in_row=is_in_row)
    return tuple(found.values())


def list_value_windows(source: SourceText) -> tuple[tuple[StatedQuantity, ...], ...]:
    """The values of each few consecutive sentences, from which an author may have reckoned."""
    every = source.sentence_features
    last = max(0, len(every) - _WINDOW_SENTENCES)
    starts = {
        at - step
        for at in source.derive(list_valued_sentences)
        for step in range(_WINDOW_SENTENCES)
        if 0 <= at - step <= last
    }
    return tuple(
        tuple(
            value
            for sentence in every[at : at + _WINDOW_SENTENCES]
            for value in sentence.stated_values
        )
        for at in sorted(starts)
    )


def list_value_units(source: SourceText) -> frozenset[str]:
    return frozenset(
        value.unit for sentence in source.sentence_features for value in sentence.quantities
    )
