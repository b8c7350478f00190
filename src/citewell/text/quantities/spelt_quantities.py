"""Finds the quantities that a text gives in words: "two million", "half a litre", "vierwöchig"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache

from citewell.text.quantities.number_words import compile_number_pattern, list_number_words
from citewell.text.quantities.quantity_units import parse_added_half, parse_quantity_unit
from citewell.text.quantities.stated_quantities import StatedQuantity, build_exact_quantity
from citewell.text.quantities.units import CURRENCY_CODES, DOZEN, MEASURE_UNITS, TIME_ADJECTIVES

_SPELT_RANGE_PATTERN = re.compile(
    r"([^\W\d_]{2,12})\s(?:or|to|oder|bis|ou|à|o|a)\s\Z", re.IGNORECASE
)
_HALF_OF_UNIT_PATTERN = re.compile(
    r"\b(?:half an?|ein(?:e[rnms]?)? halbe[rnms]?|une? demi(?:e)?|medi[oa])(?=[\s-])", re.IGNORECASE
)
_ROUND_NUMBER_PATTERN = re.compile(
    r"\ba(?=\s(?:dozen|hundred|thousand|million|billion)\b)", re.IGNORECASE
)
_HALF, _HALF_STEP = Decimal("0.5"), Decimal("0.1")


def find_spelt_quantities(text: str, language: str | None) -> Iterator[StatedQuantity]:
    """The numbers in words that have a unit or a magnitude, in no order; some may overlap."""
    yield from _find_measured_words(text, language)
    yield from _find_round_numbers(text, language)
    yield from _find_halved_units(text, language)
    yield from _find_joined_adjectives(text, language)


def _find_measured_words(text: str, language: str | None) -> Iterator[StatedQuantity]:
    """Numbers in words (two million, five percent), only if a unit or magnitude follows."""
    values = list_number_words(language)
    for match in compile_number_pattern(language).finditer(text):
        value = Decimal(values[match["word"].lower()])
        low = _find_spelt_low(text, match, value, language)
        half, at = parse_added_half(text, match.end())
        magnitude, unit, scale, end = parse_quantity_unit(text, at, money=None, language=language)
        if not half:
            half, end = parse_added_half(text, end)
        factor = magnitude * scale
        # "One day" and "one second" are mostly not measurements.
        measured = unit in MEASURE_UNITS and (value > 1 or unit in {"%", "pp"})
        if factor != 1 or measured or unit in CURRENCY_CODES.values():
            exact = build_exact_quantity((value + half) * factor, unit, text, (match.start(), end))
            step = _HALF_STEP * factor if half else _measure_step(factor)
            exact = replace(exact, precision=step, scale=scale)
            yield replace(exact, low=low * factor) if low is not None else exact


def _find_round_numbers(text: str, language: str | None) -> Iterator[StatedQuantity]:
    """A dozen, a hundred, a thousand or a million of something, in English."""
    for match in _ROUND_NUMBER_PATTERN.finditer(text):
        magnitude, unit, scale, end = parse_quantity_unit(
            text, match.end(), money=None, language=language
        )
        factor = magnitude * scale
        exact = build_exact_quantity(factor, unit, text, (match.start(), end))
        yield replace(exact, precision=_measure_step(factor), scale=scale)


def _measure_step(factor: Decimal) -> Decimal:
    """What a number in words may be off by: a dozen is nearly exact, a thousand a round number."""
    return Decimal(1) if factor == DOZEN else factor


def _find_halved_units(text: str, language: str | None) -> Iterator[StatedQuantity]:
    """Half of a unit: "half a litre", "eine halbe Stunde"."""
    for match in _HALF_OF_UNIT_PATTERN.finditer(text):
        magnitude, unit, scale, end = parse_quantity_unit(
            text, match.end(), money=None, language=language
        )
        if magnitude != 1 or (unit in MEASURE_UNITS and unit not in {"%", "pp", "x"}):
            factor = magnitude * scale
            exact = build_exact_quantity(_HALF * factor, unit, text, (match.start(), end))
            yield replace(exact, precision=_HALF_STEP * factor, scale=scale)


def _find_joined_adjectives(text: str, language: str | None) -> Iterator[StatedQuantity]:
    """Lengths of time in one German word: "vierwöchig"."""
    if (language or "en")[:2] != "de":
        return
    for match in _compile_adjective_pattern().finditer(text):
        unit, scale = TIME_ADJECTIVES[match["unit"].lower()]
        value = Decimal(list_number_words("de").get(match["number"].lower(), 1))
        exact = build_exact_quantity(value * scale, unit, text, match.span())
        yield replace(exact, precision=scale, scale=scale)


@cache
def _compile_adjective_pattern() -> re.Pattern[str]:
    numbers, units = (
        "|".join(sorted(words, key=len, reverse=True))
        for words in ((*list_number_words("de"), "ein"), TIME_ADJECTIVES)
    )
    return re.compile(rf"\b(?P<number>{numbers})(?P<unit>{units})\b", re.IGNORECASE)


def _find_spelt_low(
    text: str, match: re.Match[str], high: Decimal, language: str | None
) -> Decimal | None:
    """The lower end of "two or three" or "neun bis zwölf"; None if there is none."""
    before = _SPELT_RANGE_PATTERN.search(text[max(0, match.start() - 24) : match.start()])
    if before is None:
        return None
    low = list_number_words(language).get(before[1].lower())
    return Decimal(low) if low is not None and low < high else None
