"""Extracts the quantities a text states, in normalized units, so that texts can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import cache
from itertools import islice

from citewell.text.dates.calendar_dates import SENTENCE_DATE_PATTERN, parse_matched_date
from citewell.text.language import stopwords, tokens
from citewell.text.language.scripts import CJK_RANGES
from citewell.text.quantities.number_words import compile_number_pattern, list_number_words
from citewell.text.quantities.units import (
    CJK_MAGNITUDE_FACTORS,
    CURRENCY_CODES,
    MAGNITUDE_FACTORS,
    SHORT_MAGNITUDES,
    TERSE_UNITS,
    TIME_ADJECTIVES,
    UNIT_FACTORS,
    UNITS_OF_NO_YEAR,
)

_COMMA_DECIMAL_LANGUAGES = frozenset(
    ("de", "fr", "es", "it", "pt", "nl", "ru", "uk", "pl", "cs", "sv", "da", "no", "fi", "tr", "id")
)
_FIGURE_REGEX = r"\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?"
_FIGURE_PATTERN = re.compile(_FIGURE_REGEX)
_CURRENCY_PREFIX_REGEX = r"(?:US|C|A)?\$|[€£¥₹₩₽]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR)(?=\s?\d)"
_QUANTITY_PATTERN = re.compile(
    rf"(?P<sign>(?<!\w)[-−+])?(?:(?P<money>{_CURRENCY_PREFIX_REGEX})\s?)?(?<![^\W{CJK_RANGES}])(?<![.,/:])(?<!\w-)(?P<low>{_FIGURE_REGEX})"
    r"(?P<ordinal>(?:st|nd|rd|th)\b)?(?!\w*[./:]\d)",
    re.IGNORECASE,
)
_RANGE_END_PATTERN = re.compile(
    rf"\s?(?P<by>[-–—]|to|and|und|et|y|or|oder|ou|o|bis|auf|à|al?|hasta)\s?(?:{_CURRENCY_PREFIX_REGEX})?(?P<high>{_FIGURE_REGEX})(?!\w*[./:]\d)"
)
_BETWEEN_PATTERN = re.compile(r"\b(?:between|zwischen|entre|tra|fra)\s+\S{0,4}\Z", re.IGNORECASE)
# "Rose from 7 to 17 percent" gives two values and no range.
_FROM_PATTERN = re.compile(
    r"\b(?:from|von|vom|de|du|del?|desde(?: el)?|da|dal)\s+\S{0,4}\Z", re.IGNORECASE
)
_JOINING_WORDS = frozenset(("and", "und", "et", "y"))  # a range only after "between"
_SPELT_RANGE_PATTERN = re.compile(
    r"([^\W\d_]{2,12})\s(?:or|to|oder|bis|ou|à|o|a)\s\Z", re.IGNORECASE
)
_UNCERTAINTY_PATTERN = re.compile(
    rf"\s?(?:±|\+\s?/\s?[-−–]|\+-|\\pm)\s?(?P<error>{_FIGURE_REGEX})(?!\w*[./:]\d)"
)
_SHORT_YEAR_PATTERN = re.compile(r"[-–/](\d\d)(?![\w.,]?\d)")
# "70B parameters", "340M users": capitals directly after the figure; small letters are units there.
_ATTACHED_MAGNITUDES = {"B": Decimal(10**9), "M": Decimal(10**6)}
_ATTACHED_PATTERN = re.compile(r"([BM])(?=[\s,.;:)-]|\Z)(?!-?[A-Z])")
_ATTACHED_THOUSANDS_PATTERN = re.compile(r"(?<=\d\d)K(?=[ -][a-z])")  # "95K pairs", but not "4K"
_AND_A_HALF_PATTERN = re.compile(r"\s(?:and a half|et demie?|y medi[oa])\b|½", re.IGNORECASE)
_HALF_OF_UNIT_PATTERN = re.compile(
    r"\b(?:half an?|ein(?:e[rnms]?)? halbe[rnms]?|une? demi(?:e)?|medi[oa])(?=[\s-])", re.IGNORECASE
)
_HUNDRED_WORDS = frozenset(("hundred", "hundert"))
_ROUND_NUMBER_PATTERN = re.compile(
    r"\ba(?=\s(?:hundred|thousand|million|billion)\b)", re.IGNORECASE
)
_MEASURE_UNITS = frozenset(unit for unit, _ in UNIT_FACTORS.values())
_UNIT_WORD_PATTERN = re.compile(r"[\s\u00a0-]?([°µμ]?[^\W\d_]+(?:/[^\W\d_]+)?[²2]?|[%％€£$¥₽°])")
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
_PLAIN_DEGREES = frozenset({"degre", "degré", "grad", "grado"})  # as stems
_SCALED_DEGREES = frozenset({"°c", "°f"})
_UNIT_LETTERS_PATTERN = re.compile(r"\w[^\WA-Z]*+[A-Z]\w*+|[A-Z][^\W\daeiouyAEIOUY]++")
_MAX_UNIT_LETTERS = 5  # of an unknown unit in capitals, such as Mpc, GeV or BLEU
# Digits, with and without separators; longer ones are identifiers.
_MAX_FIGURE_DIGITS, _MAX_UNMARKED_DIGITS = 20, 10
# Characters, quantities; more than that is a table.
_MAX_QUANTITY_TEXT_CHARS, _MAX_QUANTITIES = 20_000, 200
_HALF, _HALF_STEP = Decimal("0.5"), Decimal("0.1")
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
    scale: Decimal = Decimal(1)  # by which the figure as written was multiplied for its unit

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


def find_number_word(value: Decimal, language: str | None = None) -> str:
    """The word for a whole number below a hundred; empty for any other."""
    words = list_number_words(language)
    return next((word for word, number in words.items() if number == value), "")


def _group_by_unit(found: Iterable[StatedQuantity]) -> dict[str, list[StatedQuantity]]:
    units: dict[str, list[StatedQuantity]] = {}
    for one in found:
        units.setdefault(one.unit, []).append(one)
    return units


def _collect_quantities(text: str, language: str | None) -> Iterator[StatedQuantity]:
    if not any(map(str.isdigit, text)):
        yield from _find_spelt_quantities(text, language)
        yield from _find_round_numbers(text, language)
        yield from _find_halved_units(text, language)
        yield from _find_joined_adjectives(text, language)
        return
    for match in SENTENCE_DATE_PATTERN.finditer(text):
        if (day := parse_matched_date(match)) is not None:
            yield _build_exact_quantity(Decimal(day.toordinal()), DATE_UNIT, text, match.span())
    yield from _find_figure_quantities(text, language)
    yield from _find_spelt_quantities(text, language)
    yield from _find_round_numbers(text, language)
    yield from _find_halved_units(text, language)
    yield from _find_joined_adjectives(text, language)


def _find_figure_quantities(text: str, language: str | None) -> Iterator[StatedQuantity]:
    at = 0
    while (match := _QUANTITY_PATTERN.search(text, at)) is not None:
        found = _parse_figure_quantities(text, match, language)
        at = max([match.end(), *(one.end for one in found)])
        yield from found


def _parse_figure_quantities(
    text: str, match: re.Match[str], language: str | None
) -> tuple[StatedQuantity, ...]:
    """The value at a figure; two for a change "from 7 to 17 percent", and for "6.5 ± 0.7"."""
    low, step = _parse_figure_value(match["low"], language)
    if low is None:
        return ()
    if match["ordinal"] or _is_calendar_year(match):
        unit = ORDINAL_UNIT if match["ordinal"] else YEAR_UNIT
        exact = _build_exact_quantity(low, unit, text, match.span())
        return (exact, *_find_short_year(text, match))
    error = _UNCERTAINTY_PATTERN.match(text, match.end())
    range_end = None if error else _find_range_end(text, match, low, language)
    high, at = range_end or (low, error.end() if error else match.end())
    half, at = _parse_added_half(text, at)
    magnitude, unit, scale, end = _parse_quantity_unit(
        text, at, money=match["money"], language=language
    )
    if not half:
        half, end = _parse_added_half(text, end)
    if half:
        low, high, step = low + half, high + half, _HALF_STEP
    factor = magnitude * scale
    sign = -1 if match["sign"] in {"-", "−"} and high == low else 1
    whole = StatedQuantity(
        low=low * factor * sign,
        high=high * factor * sign,
        unit=unit,
        text=text[match.start() : end],
        start=match.start(),
        end=end,
        precision=step * factor,
        scale=scale,
    )
    if error is not None:
        return _split_uncertainty(whole, error, factor, language)
    if range_end and _FROM_PATTERN.search(text[max(0, match.start() - 16) : match.start()]):
        return _split_change(whole, match)
    return (whole,)


def _find_short_year(text: str, match: re.Match[str]) -> Iterator[StatedQuantity]:
    """The second year of "2018–19"."""
    found = _SHORT_YEAR_PATTERN.match(text, match.end())
    if found is not None and not match["ordinal"] and found[1] > match["low"][2:]:
        value = Decimal(match["low"][:2] + found[1])
        yield _build_exact_quantity(value, YEAR_UNIT, text, found.span(1))


def _split_uncertainty(
    whole: StatedQuantity, error: re.Match[str], factor: Decimal, language: str | None
) -> tuple[StatedQuantity, ...]:
    """The value, and its uncertainty in the same unit."""
    value, step = _parse_figure_value(error["error"], language)
    if value is None:
        return (whole,)
    at = error.start("error")
    cut = whole.text[: error.start() - whole.start] + whole.text[error.end() - whole.start :]
    value_part = replace(whole, text=cut, end=error.start())
    error_part = replace(
        whole,
        low=value * factor,
        high=value * factor,
        text=whole.text[at - whole.start :],
        start=at,
        precision=step * factor,
    )
    return value_part, error_part


def _split_change(whole: StatedQuantity, match: re.Match[str]) -> tuple[StatedQuantity, ...]:
    """The values before and after a change."""
    first = replace(whole, high=whole.low, text=match[0], end=match.end())
    found = _FIGURE_PATTERN.search(whole.text, match.end() - whole.start)
    at = found.start() if found else 0
    return first, replace(whole, low=whole.high, text=whole.text[at:], start=whole.start + at)


def _parse_added_half(text: str, at: int) -> tuple[Decimal, int]:
    """The half of "2½" or "and a half", and the offset after it."""
    found = _AND_A_HALF_PATTERN.match(text, at)
    return (_HALF, found.end()) if found else (Decimal(0), at)


def _find_range_end(
    text: str, match: re.Match[str], low: Decimal, language: str | None
) -> tuple[Decimal, int] | None:
    """The upper end of a range and the offset after it; None if there is no range."""
    found = _RANGE_END_PATTERN.match(text, match.end())
    if found is None:
        return None
    if found["by"] in _JOINING_WORDS and not _is_after_between(text, match.start()):
        return None
    high = _parse_figure_value(found["high"], language)[0]
    return None if high is None or high <= low else (high, found.end())


def _is_after_between(text: str, at: int) -> bool:
    return _BETWEEN_PATTERN.search(text[max(0, at - 16) : at]) is not None


def _find_spelt_quantities(text: str, language: str | None) -> Iterator[StatedQuantity]:
    """Numbers in words (two million, five percent), only if a unit or magnitude follows."""
    values = list_number_words(language)
    for match in compile_number_pattern(language).finditer(text):
        value = Decimal(values[match["word"].lower()])
        low = _find_spelt_low(text, match, value, language)
        half, at = _parse_added_half(text, match.end())
        magnitude, unit, scale, end = _parse_quantity_unit(text, at, money=None, language=language)
        if not half:
            half, end = _parse_added_half(text, end)
        factor = magnitude * scale
        # "One day" and "one second" are mostly not measurements.
        measured = unit in _MEASURE_UNITS and (value > 1 or unit in {"%", "pp"})
        if factor != 1 or measured or unit in CURRENCY_CODES.values():
            exact = _build_exact_quantity((value + half) * factor, unit, text, (match.start(), end))
            exact = replace(exact, precision=factor * (_HALF_STEP if half else 1), scale=scale)
            yield replace(exact, low=low * factor) if low is not None else exact


def _find_round_numbers(text: str, language: str | None) -> Iterator[StatedQuantity]:
    """A hundred, a thousand or a million of something, in English."""
    for match in _ROUND_NUMBER_PATTERN.finditer(text):
        magnitude, unit, scale, end = _parse_quantity_unit(
            text, match.end(), money=None, language=language
        )
        factor = magnitude * scale
        exact = _build_exact_quantity(factor, unit, text, (match.start(), end))
        yield replace(exact, precision=factor, scale=scale)


def _find_halved_units(text: str, language: str | None) -> Iterator[StatedQuantity]:
    """Half of a unit: "half a litre", "eine halbe Stunde"."""
    for match in _HALF_OF_UNIT_PATTERN.finditer(text):
        magnitude, unit, scale, end = _parse_quantity_unit(
            text, match.end(), money=None, language=language
        )
        if magnitude != 1 or (unit in _MEASURE_UNITS and unit not in {"%", "pp", "x"}):
            factor = magnitude * scale
            exact = _build_exact_quantity(_HALF * factor, unit, text, (match.start(), end))
            yield replace(exact, precision=_HALF_STEP * factor, scale=scale)


def _find_joined_adjectives(text: str, language: str | None) -> Iterator[StatedQuantity]:
    """Lengths of time in one German word: "vierwöchig"."""
    if (language or "en")[:2] != "de":
        return
    for match in _compile_adjective_pattern().finditer(text):
        unit, scale = TIME_ADJECTIVES[match["unit"].lower()]
        value = Decimal(list_number_words("de").get(match["number"].lower(), 1))
        exact = _build_exact_quantity(value * scale, unit, text, match.span())
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
    if not plain or match["money"]:
        return False
    behind = match.string[match.end() : match.end() + 2].strip()
    unit = _UNIT_WORD_PATTERN.match(match.string, match.end())
    has_unit = unit is not None and unit[1].lower() in UNITS_OF_NO_YEAR
    return not has_unit and not behind.startswith(("%", "€", "°"))


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
) -> tuple[Decimal, str, Decimal, int]:
    """The magnitude and the unit after a figure, the factor of the unit, and the offset behind both."""
    magnitude, at = _parse_magnitude(text, at, money=money)
    unit, scale, end = _parse_unit_word(
        text, at, money=money, has_magnitude=magnitude != 1, language=language
    )
    return magnitude, unit, scale, end


def _parse_unit_word(
    text: str, at: int, *, money: str | None, has_magnitude: bool, language: str | None
) -> tuple[str, Decimal, int]:
    one = Decimal(1)
    if money:
        return CURRENCY_CODES[money.lower()], one, at
    for pattern, name in (
        (_PERCENTAGE_POINTS_PATTERN, "pp"),
        (_PER_CENT_PATTERN, "%"),
        (_ATTACHED_TIMES_PATTERN, "x"),
    ):
        if match := pattern.match(text, at):
            return name, one, match.end()
    if match := _DEGREES_PATTERN.match(text, at):
        return f"°{match[1][0].lower()}", one, match.end()
    if match := _METRIC_TON_PATTERN.match(text, at):
        return *UNIT_FACTORS["tons"], match.end()
    match = _UNIT_WORD_PATTERN.match(text, at)
    if match is None:
        return "", one, at
    word = match[1].lower()
    if word in CURRENCY_CODES:
        return CURRENCY_CODES[word], one, match.end()
    # "an" is a year in French and an article in English.
    spoken = len(word) > 1 and word in stopwords.list_stopwords(language)
    if word in UNIT_FACTORS and not spoken and not (word in TERSE_UNITS and has_magnitude):
        unit, scale = UNIT_FACTORS[word]
        return unit, scale, match.end()
    unit, end = _parse_counted_things(text, match, at, language)
    return unit, one, end


def _parse_counted_things(
    text: str, match: re.Match[str], at: int, language: str | None
) -> tuple[str, int]:
    """The stem of the counted things as a unit: "countri" for "30 countries"."""
    word = match[1]
    known = stopwords.list_stopwords(language)
    if text[at : at + 1] == "-" or word.lower() in known:
        return "", at
    if 1 < len(word) <= _MAX_UNIT_LETTERS and _UNIT_LETTERS_PATTERN.fullmatch(word):
        return word.lower(), match.end()
    if not word.islower() or len(word) <= 3:
        return "", at
    return tokens.stem_word(word, (language or "en")[:2]), match.end()


def _parse_magnitude(text: str, at: int, *, money: str | None) -> tuple[Decimal, int]:
    if (scale := CJK_MAGNITUDE_FACTORS.get(text[at : at + 1])) is not None:
        return scale, at + 1
    if not money and (attached := _ATTACHED_PATTERN.match(text, at)) is not None:
        return _ATTACHED_MAGNITUDES[attached[1]], attached.end()
    match = _UNIT_WORD_PATTERN.match(text, at)
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
