"""Reads the unit and magnitude behind a number, and quantities in words: "two million", "half a litre"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache

from citewell.text.language import word_forms
from citewell.text.quantities.spelt_numbers import compile_number_pattern, list_number_words
from citewell.text.quantities.stated_quantities import (
    CENT_FACTOR,
    CJK_MAGNITUDE_FACTORS,
    CURRENCY_CODES,
    DOZEN,
    MAGNITUDE_FACTORS,
    MEASURE_UNITS,
    SHORT_MAGNITUDES,
    SQUARE_FACTORS,
    TERSE_UNITS,
    TIME_ADJECTIVES,
    UNIT_FACTORS,
    StatedQuantity,
    build_exact_quantity,
)

# "70B parameters", "340M users": capitals directly after the figure; small letters are units there.
_ATTACHED_MAGNITUDES = {"B": Decimal(10**9), "M": Decimal(10**6)}
_ATTACHED_PATTERN = re.compile(r"([BM])(?=[\s,.;:)-]|\Z)(?!-?[A-Z])")
_ATTACHED_THOUSANDS_PATTERN = re.compile(r"(?<=\d\d)K(?=[ -][a-z])")  # "95K pairs", but not "4K"
_AND_A_HALF_PATTERN = re.compile(r"\s(?:and a half|et demie?|y medi[oa])\b|½", re.IGNORECASE)
_HUNDRED_WORDS = frozenset(("hundred", "hundert"))
UNIT_WORD_PATTERN = re.compile(r"[\s\u00a0-]?([°µμ]?[^\W\d_]+(?:/[^\W\d_]+)?[²2]?|[%％€£$¥₽°])")
_PER_CENT_PATTERN = re.compile(
    r"\s?(?:per cent|por ciento|pour cent|per cento|por cento)\b", re.IGNORECASE
)
_PERCENTAGE_POINTS_PATTERN = re.compile(
    r"\s?(?:percentage points?|Prozentpunkte?n?|points de pourcentage)\b", re.IGNORECASE
)
_DEGREES_PATTERN = re.compile(
    r"[\s\u00a0]?(?:degrees?|Grad|grados?|degrés?)[\s\u00a0](Celsius|Fahrenheit)\b", re.IGNORECASE
)
_ATTACHED_TIMES_PATTERN = re.compile(r"[x×](?![\w×])")  # "8.4x smaller"
_METRIC_TON_PATTERN = re.compile(r"[\s-]metric[\s-]ton(?:ne)?s?\b", re.IGNORECASE)
# "2,700-square-foot", "250 sq. m".
_SQUARE_PATTERN = re.compile(
    r"[\s\u00a0-]?(?:square|sq\.?)[\s\u00a0-]([^\W\d_]{1,12})(?!\w)", re.IGNORECASE
)
_CENTS_PATTERN = re.compile(r"[\s\u00a0-]?(?:cents?\b|¢)", re.IGNORECASE)
_CENT_CURRENCIES = {"de": "eur", "fr": "eur", "es": "eur", "it": "eur"}  # elsewhere dollars
# Words between a number and its unit that say what kind of day or mile it is, or that it is one more.
_UNIT_KIND_PATTERN = re.compile(
    r"[\s\u00a0-](?:calendar|consecutive|full|whole|straight|solid|long|short|fewer|extra|additional)(?=[\s-][^\W\d_])",
    re.IGNORECASE,
)
# Words before the counted things that say how many they are compared with.
_MORE_PATTERN = re.compile(r"\s(?:fewer|additional|extra)(?=\s[^\W\d_])")
_UNIT_LETTERS_PATTERN = re.compile(r"\w[^\WA-Z]*+[A-Z]\w*+|[A-Z][^\W\daeiouyAEIOUY]++")
_MAX_UNIT_LETTERS = 5  # of an unknown unit in capitals, such as Mpc, GeV or BLEU
HALF_VALUE = Decimal("0.5")

_SPELT_RANGE_PATTERN = re.compile(
    r"([^\W\d_]{2,12})\s(?:or|to|oder|bis|ou|à|o|a)\s\Z", re.IGNORECASE
)
_HALF_OF_UNIT_PATTERN = re.compile(
    r"\b(?:half an?|ein(?:e[rnms]?)? halbe[rnms]?|une? demi(?:e)?|medi[oa])(?=[\s-])", re.IGNORECASE
)
_ROUND_NUMBER_PATTERN = re.compile(
    r"\ba(?=\s(?:dozen|hundred|thousand|million|billion)\b)", re.IGNORECASE
)
_HALF_STEP = Decimal("0.1")


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
            exact = build_exact_quantity(HALF_VALUE * factor, unit, text, (match.start(), end))
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


# Reads the unit and the magnitude that follow a number in a text.


def parse_quantity_unit(
    text: str, at: int, *, money: str | None, language: str | None
) -> tuple[Decimal, str, Decimal, int]:
    """The magnitude and the unit after a figure, the factor of the unit, and the offset behind both."""
    magnitude, at = _parse_magnitude(text, at, money=money)
    unit, scale, end = _parse_unit_word(
        text, at, money=money, has_magnitude=magnitude != 1, language=language
    )
    return magnitude, unit, scale, end


def parse_added_half(text: str, at: int) -> tuple[Decimal, int]:
    """The half of "2½" or "and a half", and the offset after it."""
    found = _AND_A_HALF_PATTERN.match(text, at)
    return (HALF_VALUE, found.end()) if found else (Decimal(0), at)


def _parse_unit_word(
    text: str, at: int, *, money: str | None, has_magnitude: bool, language: str | None
) -> tuple[str, Decimal, int]:
    unscaled = Decimal(1)
    if money:
        return CURRENCY_CODES[money.lower()], unscaled, at
    if found := _parse_written_unit(text, at, language):
        return found
    match = _match_unit_word(text, at)
    if match is None:
        return "", unscaled, at
    word = match[1].lower()
    if word in CURRENCY_CODES:
        return CURRENCY_CODES[word], unscaled, match.end()
    # "an" is a year in French and an article in English.
    spoken = len(word) > 1 and word in word_forms.list_stopwords(language)
    if word in UNIT_FACTORS and not spoken and not (word in TERSE_UNITS and has_magnitude):
        unit, scale = UNIT_FACTORS[word]
        return unit, scale, match.end()
    unit, end = _parse_counted_things(text, match, at, language)
    return unit, unscaled, end


def _parse_written_unit(
    text: str, at: int, language: str | None
) -> tuple[str, Decimal, int] | None:
    """A unit that is not a single word: "per cent", "degrees Celsius", "square feet", "¢"."""
    unscaled = Decimal(1)
    for pattern, name in (
        (_PERCENTAGE_POINTS_PATTERN, "pp"),
        (_PER_CENT_PATTERN, "%"),
        (_ATTACHED_TIMES_PATTERN, "x"),
    ):
        if match := pattern.match(text, at):
            return name, unscaled, match.end()
    if match := _DEGREES_PATTERN.match(text, at):
        return f"°{match[1][0].lower()}", unscaled, match.end()
    if match := _METRIC_TON_PATTERN.match(text, at):
        return *UNIT_FACTORS["tons"], match.end()
    if match := _CENTS_PATTERN.match(text, at):
        return _CENT_CURRENCIES.get((language or "en")[:2], "usd"), CENT_FACTOR, match.end()
    match = _SQUARE_PATTERN.match(text, at)
    factor = SQUARE_FACTORS.get(match[1].lower()) if match else None
    return ("m²", factor, match.end()) if match and factor is not None else None


def _match_unit_word(text: str, at: int) -> re.Match[str] | None:
    """The word behind a number, or the unit after a word for its kind: "21 calendar days"."""
    kind = _UNIT_KIND_PATTERN.match(text, at)
    if kind is not None:
        match = UNIT_WORD_PATTERN.match(text, kind.end())
        if match is not None and match[1].lower() in UNIT_FACTORS:
            return match
    return UNIT_WORD_PATTERN.match(text, at)


def _parse_counted_things(
    text: str, match: re.Match[str], at: int, language: str | None
) -> tuple[str, int]:
    """The stem of the counted things as a unit: "countri" for "30 countries"."""
    if (more := _MORE_PATTERN.match(text, at)) is not None:
        at = more.end()
        match = UNIT_WORD_PATTERN.match(text, at) or match
    word = match[1]
    if text[at : at + 1] == "-" or word.lower() in word_forms.list_stopwords(language):
        return "", at
    if word in list_number_words(language):
        return "", at  # the next number: "has a million forty years later"
    if 1 < len(word) <= _MAX_UNIT_LETTERS and _UNIT_LETTERS_PATTERN.fullmatch(word):
        return word.lower(), match.end()
    if not word.islower() or len(word) <= 3:
        return "", at
    return word_forms.stem_word(word, (language or "en")[:2]), match.end()


def _parse_magnitude(text: str, at: int, *, money: str | None) -> tuple[Decimal, int]:
    if (scale := CJK_MAGNITUDE_FACTORS.get(text[at : at + 1])) is not None:
        return scale, at + 1
    if not money and (attached := _ATTACHED_PATTERN.match(text, at)) is not None:
        return _ATTACHED_MAGNITUDES[attached[1]], attached.end()
    match = UNIT_WORD_PATTERN.match(text, at)
    word = match[1].lower() if match else ""
    if text.startswith("k ", at) or _ATTACHED_THOUSANDS_PATTERN.match(text, at):
        return MAGNITUDE_FACTORS["k"], at + 1
    if match is None or word not in MAGNITUDE_FACTORS or (word in SHORT_MAGNITUDES and not money):
        return Decimal(1), at
    end = match.end() + text.startswith(". ", match.end())
    if word in _HUNDRED_WORDS:  # "two hundred million"
        more, further = _parse_magnitude(text, end, money=money)
        return MAGNITUDE_FACTORS[word] * more, further
    return MAGNITUDE_FACTORS[word], end
