"""Extracts the quantities a text states, in normalized units, so that texts can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from itertools import islice

from citewell.core.lazy_patterns import compile_on_use
from citewell.text.calendar_dates import SENTENCE_DATE_PATTERN, parse_matched_date
from citewell.text.language.scripts import CJK_RANGES
from citewell.text.quantities import quantity_words
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    MEASURE_UNITS,
    ORDINAL_UNIT,
    UNIT_FACTORS,
    UNITS_OF_NO_YEAR,
    YEAR_UNIT,
    StatedQuantity,
    build_exact_quantity,
)

_FRACTION_PATTERN = compile_on_use(
    r"(?<![\w./,:$€£])(?:(?P<whole>\d{1,3})(?:[ -]|(?=[¼-¾⅐-⅞])))?"
    r"(?:(?P<top>\d{1,2})/(?P<bottom>2|3|4|5|8|10|16|32|64)(?![\d/.,]\d|\d|/)|(?P<sign>[½¼¾⅓⅔⅛⅜⅝⅞]))"
)
_SIGN_PARTS = {
    "½": (1, 2), "¼": (1, 4), "¾": (3, 4), "⅓": (1, 3), "⅔": (2, 3),
    "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8),
}  # fmt: skip
_INCH_MARK_PATTERN = compile_on_use(r"\s?[\"″”]")
_INCH_UNIT = UNIT_FACTORS["inch"]
# "A third year" is no length; a part other than a quarter needs the "of".
_PART_PATTERN = compile_on_use(
    r"\b(?:(?P<count>an?|one|two|three|five|seven)[\s-])?"
    r"(?:(?P<quarter>quarter)s?(?:[\s-]of[\s-](?:an?|one))?|(?P<part>third|fifth|eighth|tenth|sixteenth)s?[\s-]of[\s-](?:an?|one))(?=[\s-])",
    re.IGNORECASE,
)
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "five": 5, "seven": 7}
_PARTS = {"quarter": 4, "third": 3, "fifth": 5, "eighth": 8, "tenth": 10, "sixteenth": 16}
# A share or a multiple is no measure that has parts.
_WHOLE_UNITS = MEASURE_UNITS - {"%", "pp", "x"}

_COMMA_DECIMAL_LANGUAGES = frozenset(
    ("de", "fr", "es", "it", "pt", "nl", "ru", "uk", "pl", "cs", "sv", "da", "no", "fi", "tr", "id")
)
_FIGURE_REGEX = r"\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?"
_FIGURE_PATTERN = compile_on_use(_FIGURE_REGEX)
_CURRENCY_PREFIX_REGEX = r"(?:US|C|A)?\$|[€£¥₹₩₽]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR)(?=\s?\d)"
_QUANTITY_PATTERN = compile_on_use(
    rf"(?P<sign>(?<!\w)[-−+])?(?:(?P<money>{_CURRENCY_PREFIX_REGEX})\s?)?(?:(?<![^\W{CJK_RANGES}])|(?<=[1-9]x)|(?<=\d0x))(?<![.,/:])(?<!\w-)(?P<low>{_FIGURE_REGEX}|(?<=[$€£])\.\d\d(?!\d)|(?<=[\s(=])\.\d{{2,4}}(?!\.?\d))"
    r"(?P<ordinal>(?:st|nd|rd|th)\b)?(?!\w*[./:]\d)",
    re.IGNORECASE,
)
_RANGE_END_PATTERN = compile_on_use(
    rf"\s?(?P<by>[-–—]|to|and|und|et|y|or|oder|ou|o|bis|auf|à|al?|hasta)\s?(?:{_CURRENCY_PREFIX_REGEX})?(?P<high>{_FIGURE_REGEX})(?!\w*[./:]\d)"
)
_BETWEEN_PATTERN = compile_on_use(
    r"\b(?:between|zwischen|entre|tra|fra)\s+\S{0,4}\Z", re.IGNORECASE
)
# "Rose from 7 to 17 percent" gives two values and no range.
_FROM_PATTERN = compile_on_use(
    r"\b(?:from|von|vom|de|du|del?|desde(?: el)?|da|dal)\s+\S{0,4}\Z", re.IGNORECASE
)
_JOINING_WORDS = frozenset(("and", "und", "et", "y"))  # a range only after "between"
_UNCERTAINTY_PATTERN = compile_on_use(
    rf"\s?(?:±|\+\s?/\s?[-−–]|\+-|\\pm)\s?(?P<error>{_FIGURE_REGEX})(?!\w*[./:]\d)"
)
_SHORT_YEAR_PATTERN = compile_on_use(r"[-–/](\d\d)(?![\w.,]?\d)")
# The further sides of "130 x 100 mm".
_SIDES_PATTERN = compile_on_use(rf"(?:\s?[x×]\s?(?:{_FIGURE_REGEX})){{1,2}}(?!\w*[./:]\d)")
# Digits, with and without separators; longer ones are identifiers.
_MAX_FIGURE_DIGITS, _MAX_UNMARKED_DIGITS = 20, 10
# Characters, quantities; more than that is a table.
_MAX_QUANTITY_TEXT_CHARS, _MAX_QUANTITIES = 20_000, 200
_HALF_STEP = Decimal("0.1")  # the precision of a number with a half


def extract_quantities(text: str, *, language: str | None = None) -> tuple[StatedQuantity, ...]:
    """The quantities in a text, in text order; dates and years are included."""
    found: list[StatedQuantity] = []
    end = 0
    every = islice(_collect_quantities(text[:_MAX_QUANTITY_TEXT_CHARS], language), _MAX_QUANTITIES)
    for opinion in sorted(every, key=lambda quantity: (quantity.start, -quantity.end)):
        if opinion.start >= end:
            found.append(opinion)
            end = opinion.end
    return tuple(found)


def _collect_quantities(text: str, language: str | None) -> Iterator[StatedQuantity]:
    if any(map(str.isdigit, text)):
        for match in SENTENCE_DATE_PATTERN.finditer(text):
            if (day := parse_matched_date(match)) is not None:
                yield build_exact_quantity(Decimal(day.toordinal()), DATE_UNIT, text, match.span())
        yield from _find_figure_quantities(text, language)
    yield from find_written_fractions(text, language)
    yield from quantity_words.find_spelt_quantities(text, language)


def _find_figure_quantities(text: str, language: str | None) -> Iterator[StatedQuantity]:
    at = 0
    while (match := _QUANTITY_PATTERN.search(text, at)) is not None:
        found = _parse_figure_quantities(text, match, language)
        at = max([match.end(), *(row.end for row in found)])
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
        exact = build_exact_quantity(low, unit, text, match.span())
        return (exact, *_find_short_year(text, match))
    error = _UNCERTAINTY_PATTERN.match(text, match.end())
    range_end = None if error else _find_range_end(text, match, low, language)
    high, at = range_end or (low, error.end() if error else match.end())
    half, at = quantity_words.parse_added_half(text, at)
    magnitude, unit, scale, end = quantity_words.parse_quantity_unit(
        text, at, money=match["money"], language=language
    )
    if not unit and (sides := _SIDES_PATTERN.match(text, at)) is not None:
        unit, scale = _parse_side_unit(text, sides.end(), language)
    if not half:
        half, end = quantity_words.parse_added_half(text, end)
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


def _parse_side_unit(text: str, at: int, language: str | None) -> tuple[str, Decimal]:
    """The unit behind the last side, if it is a length; a grid of 8 x 8 fields has none."""
    _, unit, scale, _ = quantity_words.parse_quantity_unit(text, at, money=None, language=language)
    return (unit, scale) if unit == "m" else ("", Decimal(1))


def _find_short_year(text: str, match: re.Match[str]) -> Iterator[StatedQuantity]:
    """The second year of "2018–19"."""
    found = _SHORT_YEAR_PATTERN.match(text, match.end())
    if found is not None and not match["ordinal"] and found[1] > match["low"][2:]:
        value = Decimal(match["low"][:2] + found[1])
        yield build_exact_quantity(value, YEAR_UNIT, text, found.span(1))


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


def _find_range_end(
    text: str, match: re.Match[str], low: Decimal, language: str | None
) -> tuple[Decimal, int] | None:
    """The upper end of a range and the offset after it; None if there is no range."""
    found = _RANGE_END_PATTERN.match(text, match.end())
    if found is None:
        return None
    before = text[max(0, match.start() - 16) : match.start()]
    if found["by"] in _JOINING_WORDS and not _BETWEEN_PATTERN.search(before):
        return None
    high = _parse_figure_value(found["high"], language)[0]
    return None if high is None or high <= low else (high, found.end())


def _is_calendar_year(match: re.Match[str]) -> bool:
    figure = match["low"]
    plain = figure.isdigit() and len(figure) == 4 and "1500" <= figure < "2100"
    if not plain or match["money"]:
        return False
    behind = match.string[match.end() : match.end() + 2].strip()
    unit = quantity_words.UNIT_WORD_PATTERN.match(match.string, match.end())
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


# Finds measures that are written as fractions: "1/8 inch", "2 1/2 cups", "a quarter of a mile".


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
    magnitude, unit, scale, end = quantity_words.parse_quantity_unit(
        text, at, money=None, language=language
    )
    return (unit, scale, end) if magnitude == 1 and unit in _WHOLE_UNITS else None


def _build_part(
    value: Decimal, bottom: int, unit: tuple[str, Decimal], text: str, place: tuple[int, int]
) -> StatedQuantity:
    name, scale = unit
    exact = build_exact_quantity(value * scale, name, text, place)
    digits = 1 if bottom in {2, 5, 10} else 2 if bottom <= 8 else 3
    return replace(exact, precision=scale.scaleb(-digits), scale=scale)
