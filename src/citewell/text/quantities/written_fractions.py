"""Finds measures that are written as fractions: "1/8 inch", "2 1/2 cups", "a quarter of a mile"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from citewell.text.quantities.quantity_units import parse_quantity_unit
from citewell.text.quantities.stated_quantities import StatedQuantity, build_exact_quantity
from citewell.text.quantities.units import MEASURE_UNITS, UNIT_FACTORS

_FRACTION_PATTERN = re.compile(
    r"(?<![\w./,:$€£])(?:(?P<whole>\d{1,3})(?:[ -]|(?=[¼-¾⅐-⅞])))?"
    r"(?:(?P<top>\d{1,2})/(?P<bottom>2|3|4|5|8|10|16|32|64)(?![\d/.,]\d|\d|/)|(?P<sign>[½¼¾⅓⅔⅛⅜⅝⅞]))"
)
_SIGN_PARTS = {
    "½": (1, 2), "¼": (1, 4), "¾": (3, 4), "⅓": (1, 3), "⅔": (2, 3),
    "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8),
}  # fmt: skip
_INCH_MARK_PATTERN = re.compile(r"\s?[\"″”]")
_INCH_UNIT = UNIT_FACTORS["inch"]
# "A third year" is no length; a part other than a quarter needs the "of".
_PART_PATTERN = re.compile(
    r"\b(?:(?P<count>an?|one|two|three|five|seven)[\s-])?"
    r"(?:(?P<quarter>quarter)s?(?:[\s-]of[\s-](?:an?|one))?|(?P<part>third|fifth|eighth|tenth|sixteenth)s?[\s-]of[\s-](?:an?|one))(?=[\s-])",
    re.IGNORECASE,
)
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "five": 5, "seven": 7}
_PARTS = {"quarter": 4, "third": 3, "fifth": 5, "eighth": 8, "tenth": 10, "sixteenth": 16}
# A share or a multiple is no measure that has parts.
_WHOLE_UNITS = MEASURE_UNITS - {"%", "pp", "x"}


def find_written_fractions(text: str, language: str | None) -> Iterator[StatedQuantity]:
    """The fractions that have a unit of measure, or things that are counted in parts, behind them."""
    # Most texts have neither sign nor word of a fraction, and need no closer look.
    has_sign = "/" in text or not text.isascii()
    for match in _FRACTION_PATTERN.finditer(text) if has_sign else ():
        top, bottom = _SIGN_PARTS.get(match["sign"] or "", (0, 1))
        if not match["sign"]:
            top, bottom = int(match["top"]), int(match["bottom"])
        value = Decimal(match["whole"] or 0) + Decimal(top) / bottom
        if (mark := _INCH_MARK_PATTERN.match(text, match.end())) is not None:
            yield _build_part(value, bottom, _INCH_UNIT, text, (match.start(), mark.end()))
            continue
        found = _parse_measure(text, match.end(), language)
        if found is not None and 0 < top < bottom:
            unit, scale, end = found
            yield _build_part(value, bottom, (unit, scale), text, (match.start(), end))
    lowered = text.lower()
    if (language or "en")[:2] != "en" or not any(part in lowered for part in _PARTS):
        return
    for match in _PART_PATTERN.finditer(text):
        found = _parse_measure(text, match.end(), language)
        if found is not None:
            unit, scale, end = found
            bottom = _PARTS[(match["quarter"] or match["part"]).lower()]
            value = Decimal(_COUNTS[(match["count"] or "a").lower()]) / bottom
            yield _build_part(value, bottom, (unit, scale), text, (match.start(), end))


def _parse_measure(text: str, at: int, language: str | None) -> tuple[str, Decimal, int] | None:
    magnitude, unit, scale, end = parse_quantity_unit(text, at, money=None, language=language)
    return (unit, scale, end) if magnitude == 1 and unit in _WHOLE_UNITS else None


def _build_part(
    value: Decimal, bottom: int, unit: tuple[str, Decimal], text: str, place: tuple[int, int]
) -> StatedQuantity:
    name, scale = unit
    exact = build_exact_quantity(value * scale, name, text, place)
    digits = 1 if bottom in {2, 5, 10} else 2 if bottom <= 8 else 3
    return replace(exact, precision=scale.scaleb(-digits), scale=scale)
