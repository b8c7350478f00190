"""Quantities that a text states, in normalized units, and whether two of them can be the same value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from citewell.text.quantities.units import CURRENCY_CODES, MEASURE_UNITS

_PLAIN_DEGREES = frozenset({"degre", "degré", "grad", "grado"})  # as stems
_SCALED_DEGREES = frozenset({"°c", "°f"})
YEAR_UNIT, DATE_UNIT, ORDINAL_UNIT = "year#", "date", "ordinal"
_FIXED_UNITS = (
    MEASURE_UNITS | frozenset(CURRENCY_CODES.values()) | {YEAR_UNIT, DATE_UNIT, ORDINAL_UNIT}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedQuantity:
    """A value or range in one unit; `start` and `end` are its offsets in the text."""

    low: Decimal
    high: Decimal
    unit: str  # %, usd, m, day …; year# for a calendar year, a stem for counted things, or empty
    text: str
    start: int
    end: int
    precision: Decimal  # value of the last digit given: 100 million for "8.1 billion"
    scale: Decimal = Decimal(1)  # by which the figure as written was multiplied for its unit

    def can_equal(self, other: StatedQuantity) -> bool:
        """Whether both can be the same value, at the precision of the less exact one."""
        slack = max(self.precision, other.precision) / 2
        if self.unit in {YEAR_UNIT, DATE_UNIT, ORDINAL_UNIT} or self.precision == other.precision:
            slack = Decimal(0)
        return self.low - slack <= other.high and other.low - slack <= self.high


def has_conflicting_values(
    first: Sequence[StatedQuantity], second: Sequence[StatedQuantity]
) -> bool:
    """Whether the two texts share a unit but no value in it."""
    mine, theirs = _group_by_unit(first), _group_by_unit(second)
    return any(
        not any(one.can_equal(other) for one in mine[unit] for other in theirs[unit])
        for unit in mine.keys() & theirs.keys()
    )


def find_missing_quantities(
    wanted: Iterable[StatedQuantity], held: Iterable[StatedQuantity]
) -> tuple[StatedQuantity, ...]:
    """The wanted quantities for which `held` has no equal value in a comparable unit."""
    there = tuple(held)
    return tuple(one for one in wanted if not any(have_equal_values(one, other) for other in there))


def have_equal_values(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether both can be the same value in one unit; a figure without a unit is taken as written."""
    first, second = write_alike(one, other)
    return first.can_equal(second) and have_comparable_units(one, other)


def write_alike(
    one: StatedQuantity, other: StatedQuantity
) -> tuple[StatedQuantity, StatedQuantity]:
    """Both as they are written if only one has a unit: "no more than 200" for 200 milligrams."""
    if bool(one.unit) == bool(other.unit):
        return one, other
    return _undo_scale(one), _undo_scale(other)


def _undo_scale(one: StatedQuantity) -> StatedQuantity:
    if one.scale == 1:
        return one
    return replace(
        one,
        low=one.low / one.scale,
        high=one.high / one.scale,
        precision=one.precision / one.scale,
    )


def is_fixed_unit(unit: str) -> bool:
    """Whether a unit is one of measure, money or time, and not the stem of counted things."""
    return unit in _FIXED_UNITS


def have_comparable_units(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether units can match: a missing unit matches any, and counted things may be named differently."""
    if one.unit == other.unit or not one.unit or not other.unit:
        return True
    if _PLAIN_DEGREES & {one.unit, other.unit} and {one.unit, other.unit} & _SCALED_DEGREES:
        return True  # "0.45 degrees" says no scale
    return one.unit not in _FIXED_UNITS and other.unit not in _FIXED_UNITS


def _group_by_unit(found: Iterable[StatedQuantity]) -> dict[str, list[StatedQuantity]]:
    units: dict[str, list[StatedQuantity]] = {}
    for one in found:
        units.setdefault(one.unit, []).append(one)
    return units


def build_exact_quantity(
    value: Decimal, unit: str, text: str, place: tuple[int, int]
) -> StatedQuantity:
    start, end = place
    written, one = text[start:end], Decimal(1)
    return StatedQuantity(
        low=value, high=value, unit=unit, text=written, start=start, end=end, precision=one
    )
