"""Extracts the quantities a text states, in normalized units, so that texts can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import islice

from citewell.text.dates.calendar_dates import SENTENCE_DATE_PATTERN, parse_matched_date
from citewell.text.language import stopwords, tokens
from citewell.text.language.scripts import CJK_RANGES
from citewell.text.quantities.units import (
    CJK_MAGNITUDE_FACTORS,
    CURRENCY_CODES,
    MAGNITUDE_FACTORS,
    SHORT_MAGNITUDES,
    TERSE_UNITS,
    UNIT_FACTORS,
)

_COMMA_DECIMAL_LANGUAGES = frozenset(
    ("de", "fr", "es", "it", "pt", "nl", "ru", "uk", "pl", "cs", "sv", "da", "no", "fi", "tr", "id")
)
_SPELT_SMALL_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve"
_SPELT_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SPELT_NUMBER_VALUES = {
    word: Decimal(value) for value, word in enumerate(_SPELT_SMALL_NUMBERS.split())
} | {word: Decimal(10 * ten) for ten, word in enumerate(_SPELT_TENS.split(), 2)}
_FIGURE_REGEX = r"\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?"
_CURRENCY_PREFIX_REGEX = r"(?:US|C|A)?\$|[€£¥₹₩₽]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR)(?=\s?\d)"
_QUANTITY_PATTERN = re.compile(
    rf"(?P<sign>(?<!\w)[-−+])?(?:(?P<money>{_CURRENCY_PREFIX_REGEX})\s?)?(?<![^\W{CJK_RANGES}])(?<![.,/:])(?<!\w-)(?P<low>{_FIGURE_REGEX})"
    r"(?P<ordinal>(?:st|nd|rd|th)\b)?(?!\w*[./:]\d)",
    re.IGNORECASE,
)
_RANGE_END_PATTERN = re.compile(
    rf"\s?(?P<by>[-–—]|to|and|bis|à|al?)\s?(?:{_CURRENCY_PREFIX_REGEX})?(?P<high>{_FIGURE_REGEX})(?!\w*[./:]\d)"
)
_BETWEEN_PATTERN = re.compile(r"\b(?:between|zwischen|entre|tra|fra)\s+\S{0,4}\Z", re.IGNORECASE)
_SPELT_ONES_REGEX = "|".join(_SPELT_SMALL_NUMBERS.split()[1:10])
_SPELT_NUMBER_PATTERN = re.compile(
    rf"\b(?P<word>{'|'.join(_SPELT_NUMBER_VALUES)})(?:(?<=ty)[- ](?P<one>{_SPELT_ONES_REGEX}))?\b(?=[\s-])",
    re.IGNORECASE,
)
_MEASURE_UNITS = frozenset(unit for unit, _ in UNIT_FACTORS.values())
_UNIT_WORD_PATTERN = re.compile(r"[\s\u00a0-]?([°µμ]?[^\W\d_]+(?:/[^\W\d_]+)?[²2]?|[%％€£$¥₽°])")
_PER_CENT_PATTERN = re.compile(
    r"\s?(?:per cent|por ciento|pour cent|per cento|por cento)\b", re.IGNORECASE
)
_PERCENTAGE_POINTS_PATTERN = re.compile(
    r"\s?(?:percentage points?|Prozentpunkte?n?|points de pourcentage)\b", re.IGNORECASE
)
# Digits, with and without separators; longer ones are identifiers.
_MAX_FIGURE_DIGITS, _MAX_UNMARKED_DIGITS = 20, 10
# Characters, quantities; more than that is a table.
_MAX_QUANTITY_TEXT_CHARS, _MAX_QUANTITIES = 20_000, 200
YEAR_UNIT, DATE_UNIT, ORDINAL_UNIT = "year#", "date", "ordinal"
_FIXED_UNITS = (
    _MEASURE_UNITS | frozenset(CURRENCY_CODES.values()) | {YEAR_UNIT, DATE_UNIT, ORDINAL_UNIT}
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

    def can_equal(self, other: StatedQuantity) -> bool:
        """Whether both can be the same value, at the precision of the less exact one."""
        slack = max(self.precision, other.precision) / 2
        if self.unit in {YEAR_UNIT, DATE_UNIT, ORDINAL_UNIT} or self.precision == other.precision:
            slack = Decimal(0)
        return self.low - slack <= other.high and other.low - slack <= self.high


def extract_quantities(text: str, *, language: str | None = None) -> tuple[StatedQuantity, ...]:
    """The quantities in a text, in text order; dates and years are included."""
    found: list[StatedQuantity] = []
    end = 0
    every = islice(_collect_quantities(text[:_MAX_QUANTITY_TEXT_CHARS], language), _MAX_QUANTITIES)
    for one in sorted(every, key=lambda one: (one.start, -one.end)):
        if one.start >= end:
            found.append(one)
            end = one.end
    return tuple(found)


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
    return tuple(
        one
        for one in wanted
        if not any(one.can_equal(other) and _has_comparable_units(one, other) for other in there)
    )


def _has_comparable_units(one: StatedQuantity, other: StatedQuantity) -> bool:
    """Whether units can match: a missing unit matches any, and counted things may be named differently."""
    if one.unit == other.unit or not one.unit or not other.unit:
        return True
    return one.unit not in _FIXED_UNITS and other.unit not in _FIXED_UNITS


def _group_by_unit(found: Iterable[StatedQuantity]) -> dict[str, list[StatedQuantity]]:
    units: dict[str, list[StatedQuantity]] = {}
    for one in found:
        units.setdefault(one.unit, []).append(one)
    return units


def _collect_quantities(text: str, language: str | None) -> Iterator[StatedQuantity]:
    if not any(map(str.isdigit, text)):
        yield from _find_spelt_quantities(text, language)
        return
    for match in SENTENCE_DATE_PATTERN.finditer(text):
        if (day := parse_matched_date(match)) is not None:
            yield _build_exact_quantity(Decimal(day.toordinal()), DATE_UNIT, text, match.span())
    yield from _find_figure_quantities(text, language)
    yield from _find_spelt_quantities(text, language)


def _find_figure_quantities(text: str, language: str | None) -> Iterator[StatedQuantity]:
    at = 0
    while (match := _QUANTITY_PATTERN.search(text, at)) is not None:
        one = _parse_figure_quantity(text, match, language)
        at = max(match.end(), one.end if one else 0)
        if one is not None:
            yield one


def _parse_figure_quantity(
    text: str, match: re.Match[str], language: str | None
) -> StatedQuantity | None:
    low, step = _parse_figure_value(match["low"], language)
    if low is None:
        return None
    if match["ordinal"] or _is_calendar_year(match):
        return _build_exact_quantity(
            low, ORDINAL_UNIT if match["ordinal"] else YEAR_UNIT, text, match.span()
        )
    high, at = _parse_range_end(text, match, low, language)
    unit, factor, end = _parse_quantity_unit(text, at, money=match["money"], language=language)
    sign = -1 if match["sign"] in {"-", "−"} and high == low else 1
    return StatedQuantity(
        low=low * factor * sign,
        high=high * factor * sign,
        unit=unit,
        text=text[match.start() : end],
        start=match.start(),
        end=end,
        precision=step * factor,
    )


def _parse_range_end(
    text: str, match: re.Match[str], low: Decimal, language: str | None
) -> tuple[Decimal, int]:
    """The upper end of a range and the offset after it; `low` itself if there is no range."""
    found = _RANGE_END_PATTERN.match(text, match.end())
    if found is None or (found["by"] == "and" and not _is_after_between(text, match.start())):
        return low, match.end()
    high = _parse_figure_value(found["high"], language)[0]
    return (low, match.end()) if high is None or high <= low else (high, found.end())


def _is_after_between(text: str, at: int) -> bool:
    return _BETWEEN_PATTERN.search(text[max(0, at - 16) : at]) is not None


def _find_spelt_quantities(text: str, language: str | None) -> Iterator[StatedQuantity]:
    """Numbers in words (two million, five percent), only if a unit or magnitude follows."""
    for match in _SPELT_NUMBER_PATTERN.finditer(text):
        value = (
            _SPELT_NUMBER_VALUES[match["word"].lower()]
            + _SPELT_NUMBER_VALUES[(match["one"] or "zero").lower()]
        )
        unit, factor, end = _parse_quantity_unit(text, match.end(), money=None, language=language)
        # "One day" and "one second" are mostly not measurements.
        measured = unit in _MEASURE_UNITS and (value > 1 or unit in {"%", "pp"})
        if factor != 1 or measured or unit in CURRENCY_CODES.values():
            place = (match.start(), end)
            yield replace(
                _build_exact_quantity(value * factor, unit, text, place), precision=factor
            )


def _build_exact_quantity(
    value: Decimal, unit: str, text: str, place: tuple[int, int]
) -> StatedQuantity:
    start, end = place
    written, one = text[start:end], Decimal(1)
    return StatedQuantity(
        low=value, high=value, unit=unit, text=written, start=start, end=end, precision=one
    )


def _is_calendar_year(match: re.Match[str]) -> bool:
    figure = match["low"]
    plain = figure.isdigit() and len(figure) == 4 and "1500" <= figure < "2100"
    behind = match.string[match.end() : match.end() + 2].strip()
    return plain and not match["money"] and not behind.startswith(("%", "€", "°"))


def _parse_figure_value(written: str, language: str | None) -> tuple[Decimal | None, Decimal]:
    """The value of a figure and its precision; the value is None for identifiers and nonsense."""
    digits = re.sub(r"['’\s\u00a0\u202f]", "", written)
    point = _find_decimal_mark(digits, language)
    whole, _, part = digits.rpartition(point) if point else (digits, "", "")
    plain = re.sub(r"[.,]", "", whole) + (f".{part}" if part else "")
    if len(plain) > (_MAX_FIGURE_DIGITS if plain != written else _MAX_UNMARKED_DIGITS):
        return None, Decimal(1)
    try:
        value = Decimal(plain)
    except InvalidOperation:
        return None, Decimal(1)
    return value, Decimal(1).scaleb(-len(part)) if part else _measure_round_precision(value)


def _find_decimal_mark(digits: str, language: str | None) -> str:
    """The decimal separator in the digits; empty if there are no decimals."""
    dot, comma = digits.count("."), digits.count(",")
    if dot and comma:
        return max(".,", key=digits.rfind)
    mark = "." if dot else ","
    if dot + comma != 1:
        return ""
    grouped = re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", digits) is not None
    usual = "," if (language or "en")[:2] in _COMMA_DECIMAL_LANGUAGES else "."
    return mark if not grouped or mark == usual else ""


def _measure_round_precision(value: Decimal) -> Decimal:
    """The precision of a whole number: its trailing zeros if there are three or more, else 1."""
    shown = str(value)
    zeros = len(shown) - len(shown.rstrip("0"))
    return Decimal(10) ** (zeros if value and zeros >= 3 else 0)


def _parse_quantity_unit(
    text: str, at: int, *, money: str | None, language: str | None
) -> tuple[str, Decimal, int]:
    """The unit after a figure, the factor to multiply the figure by, and the offset after the unit."""
    factor, at = _parse_magnitude(text, at, money=money)
    if money:
        return CURRENCY_CODES[money.lower()], factor, at
    for pattern, name in ((_PERCENTAGE_POINTS_PATTERN, "pp"), (_PER_CENT_PATTERN, "%")):
        if match := pattern.match(text, at):
            return name, factor, match.end()
    match = _UNIT_WORD_PATTERN.match(text, at)
    if match is None:
        return "", factor, at
    word = match[1].lower()
    if word in CURRENCY_CODES:
        return CURRENCY_CODES[word], factor, match.end()
    # "an" is a year in French and an article in English.
    spoken = len(word) > 1 and word in stopwords.list_stopwords(language)
    if word in UNIT_FACTORS and not spoken and (word not in TERSE_UNITS or factor == 1):
        unit, scale = UNIT_FACTORS[word]
        return unit, factor * scale, match.end()
    return _parse_counted_things(text, match, factor, at, language)


def _parse_counted_things(
    text: str, match: re.Match[str], factor: Decimal, at: int, language: str | None
) -> tuple[str, Decimal, int]:
    """The stem of the counted things as a unit: "countri" for "30 countries"."""
    word = match[1]
    plain = word.islower() and len(word) > 3 and word not in stopwords.list_stopwords(language)
    if not plain or text[at : at + 1] == "-":
        return "", factor, at
    return tokens.stem_word(word, (language or "en")[:2]), factor, match.end()


def _parse_magnitude(text: str, at: int, *, money: str | None) -> tuple[Decimal, int]:
    if (scale := CJK_MAGNITUDE_FACTORS.get(text[at : at + 1])) is not None:
        return scale, at + 1
    match = _UNIT_WORD_PATTERN.match(text, at)
    word = match[1].lower() if match else ""
    if match is None or word not in MAGNITUDE_FACTORS or (word in SHORT_MAGNITUDES and not money):
        return Decimal(1), at
    return MAGNITUDE_FACTORS[word], match.end() + text.startswith(". ", match.end())
