"""The quantities a text states, each as a value in one unit, so that two texts can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import islice

from citewell.text import stopwords, tokens
from citewell.text.days import DATE, read_day
from citewell.text.units import (
    CJK_MAGNITUDES,
    CURRENCIES,
    MAGNITUDES,
    SHORT_MAGNITUDES,
    TERSE,
    UNITS,
)

_COMMA_DECIMAL = frozenset(
    ("de", "fr", "es", "it", "pt", "nl", "ru", "uk", "pl", "cs", "sv", "da", "no", "fi", "tr", "id")
)
_UNITS_SPELT = "zero one two three four five six seven eight nine ten eleven twelve"
_TENS_SPELT = "twenty thirty forty fifty sixty seventy eighty ninety"
_SPELT = {word: Decimal(value) for value, word in enumerate(_UNITS_SPELT.split())} | {
    word: Decimal(10 * ten) for ten, word in enumerate(_TENS_SPELT.split(), 2)
}
_FIGURE = r"\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?"
_MONEY = r"(?:US|C|A)?\$|[€£¥₹₩₽]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR)(?=\s?\d)"
_QUANTITY = re.compile(
    rf"(?P<sign>(?<!\w)[-−+])?(?:(?P<money>{_MONEY})\s?)?(?<![^\W\u3040-\u9fff\uac00-\ud7af])(?<![.,/:])(?<!\w-)(?P<low>{_FIGURE})"
    r"(?P<ordinal>(?:st|nd|rd|th)\b)?(?!\w*[./:]\d)",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"\s?(?P<by>[-–—]|to|and|bis|à|al?)\s?(?:{_MONEY})?(?P<high>{_FIGURE})(?!\w*[./:]\d)"
)
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|fra)\s+\S{0,4}\Z", re.IGNORECASE)
_ONES = "|".join(_UNITS_SPELT.split()[1:10])
_WORDED = re.compile(
    rf"\b(?P<word>{'|'.join(_SPELT)})(?:(?<=ty)[- ](?P<one>{_ONES}))?\b(?=[\s-])", re.IGNORECASE
)
_MEASURED = frozenset(unit for unit, _ in UNITS.values())
_TAIL = re.compile(r"[\s\u00a0-]?([°µμ]?[^\W\d_]+(?:/[^\W\d_]+)?[²2]?|[%％€£$¥₽°])")
_PER_CENT = re.compile(r"\s?(?:per cent|por ciento|pour cent|per cento|por cento)\b", re.IGNORECASE)
_POINTS = re.compile(
    r"\s?(?:percentage points?|Prozentpunkte?n?|points de pourcentage)\b", re.IGNORECASE
)
_LONGEST, _IDENTIFIER = 20, 10  # digits; more in a row without a mark are an identifier
_LOOKED_AT, _MOST = 20_000, 200  # characters, quantities; more is a table and no sentence
YEAR, DAY, ORDINAL = "year#", "date", "ordinal"
_TOLD = _MEASURED | frozenset(CURRENCIES.values()) | {YEAR, DAY, ORDINAL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A value, or a range of them, in one unit; `start` and `end` are its place in the text."""

    low: Decimal
    high: Decimal
    unit: str  # %, usd, m, day … year# for a calendar year, a stem for things counted, or nothing
    text: str
    start: int
    end: int
    step: Decimal  # the last digit given: 8.1 billion is exact to a hundred million

    def same(self, other: Quantity) -> bool:
        """Whether both may be the one value, as exactly as the rougher of them says it."""
        slack = max(self.step, other.step) / 2
        if self.unit in {YEAR, DAY, ORDINAL} or self.step == other.step:
            slack = Decimal(0)
        return self.low - slack <= other.high and other.low - slack <= self.high


def quantities(text: str, *, language: str | None = None) -> tuple[Quantity, ...]:
    """What is counted or measured in a text, in its order; dates and years among them."""
    found: list[Quantity] = []
    end = 0
    every = islice(_all(text[:_LOOKED_AT], language), _MOST)
    for one in sorted(every, key=lambda one: (one.start, -one.end)):
        if one.start >= end:
            found.append(one)
            end = one.end
    return tuple(found)


def clash(first: Sequence[Quantity], second: Sequence[Quantity]) -> bool:
    """Whether both give a value in the same unit, and no value of it is in both."""
    mine, theirs = _by_unit(first), _by_unit(second)
    return any(
        not any(one.same(other) for one in mine[unit] for other in theirs[unit])
        for unit in mine.keys() & theirs.keys()
    )


def missing(wanted: Iterable[Quantity], held: Iterable[Quantity]) -> tuple[Quantity, ...]:
    """The quantities that are in no unit, or in their own, among those held."""
    there = tuple(held)
    return tuple(
        one
        for one in wanted
        if not any(one.same(other) and _comparable(one, other) for other in there)
    )


def _comparable(one: Quantity, other: Quantity) -> bool:
    """A table may give a figure without its unit, and what is counted may have another name."""
    if one.unit == other.unit or not one.unit or not other.unit:
        return True
    return one.unit not in _TOLD and other.unit not in _TOLD


def _by_unit(found: Iterable[Quantity]) -> dict[str, list[Quantity]]:
    units: dict[str, list[Quantity]] = {}
    for one in found:
        units.setdefault(one.unit, []).append(one)
    return units


def _all(text: str, language: str | None) -> Iterator[Quantity]:
    if not any(map(str.isdigit, text)):
        yield from _worded(text, language)
        return
    for match in DATE.finditer(text):
        if (day := read_day(match)) is not None:
            yield _exact(Decimal(day.toordinal()), DAY, text, match.span())
    yield from _figures(text, language)
    yield from _worded(text, language)


def _figures(text: str, language: str | None) -> Iterator[Quantity]:
    at = 0
    while (match := _QUANTITY.search(text, at)) is not None:
        one = _quantity(text, match, language)
        at = max(match.end(), one.end if one else 0)
        if one is not None:
            yield one


def _quantity(text: str, match: re.Match[str], language: str | None) -> Quantity | None:
    low, step = _figure(match["low"], language)
    if low is None:
        return None
    if match["ordinal"] or _is_year(match):
        return _exact(low, ORDINAL if match["ordinal"] else YEAR, text, match.span())
    high, at = _upper(text, match, low, language)
    unit, factor, end = _unit(text, at, money=match["money"], language=language)
    sign = -1 if match["sign"] in {"-", "−"} and high == low else 1
    return Quantity(
        low=low * factor * sign,
        high=high * factor * sign,
        unit=unit,
        text=text[match.start() : end],
        start=match.start(),
        end=end,
        step=step * factor,
    )


def _upper(
    text: str, match: re.Match[str], low: Decimal, language: str | None
) -> tuple[Decimal, int]:
    """The other end of a range, and where it ends; the same value where there is none."""
    found = _RANGE.match(text, match.end())
    if found is None or (found["by"] == "and" and not _between(text, match.start())):
        return low, match.end()
    high = _figure(found["high"], language)[0]
    return (low, match.end()) if high is None or high <= low else (high, found.end())


def _between(text: str, at: int) -> bool:
    return _BETWEEN.search(text[max(0, at - 16) : at]) is not None


def _worded(text: str, language: str | None) -> Iterator[Quantity]:
    """Two million, five percent: a number in words counts only before a unit or a magnitude."""
    for match in _WORDED.finditer(text):
        value = _SPELT[match["word"].lower()] + _SPELT[(match["one"] or "zero").lower()]
        unit, factor, end = _unit(text, match.end(), money=None, language=language)
        # One day, one second: mostly no measure.
        measured = unit in _MEASURED and (value > 1 or unit in {"%", "pp"})
        if factor != 1 or measured or unit in CURRENCIES.values():
            place = (match.start(), end)
            yield replace(_exact(value * factor, unit, text, place), step=factor)


def _exact(value: Decimal, unit: str, text: str, place: tuple[int, int]) -> Quantity:
    start, end = place
    written, one = text[start:end], Decimal(1)
    return Quantity(low=value, high=value, unit=unit, text=written, start=start, end=end, step=one)


def _is_year(match: re.Match[str]) -> bool:
    figure = match["low"]
    plain = figure.isdigit() and len(figure) == 4 and "1500" <= figure < "2100"
    behind = match.string[match.end() : match.end() + 2].strip()
    return plain and not match["money"] and not behind.startswith(("%", "€", "°"))


def _figure(written: str, language: str | None) -> tuple[Decimal | None, Decimal]:
    """The value of a figure, and that of its last digit."""
    digits = re.sub(r"['’\s\u00a0\u202f]", "", written)
    point = _point(digits, language)
    whole, _, part = digits.rpartition(point) if point else (digits, "", "")
    plain = re.sub(r"[.,]", "", whole) + (f".{part}" if part else "")
    if len(plain) > (_LONGEST if plain != written else _IDENTIFIER):
        return None, Decimal(1)
    try:
        value = Decimal(plain)
    except InvalidOperation:
        return None, Decimal(1)
    return value, Decimal(1).scaleb(-len(part)) if part else _round(value)


def _point(digits: str, language: str | None) -> str:
    """The mark before the decimals, empty when there are none."""
    dot, comma = digits.count("."), digits.count(",")
    if dot and comma:
        return max(".,", key=digits.rfind)
    mark = "." if dot else ","
    if dot + comma != 1:
        return ""
    grouped = re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", digits) is not None
    usual = "," if (language or "en")[:2] in _COMMA_DECIMAL else "."
    return mark if not grouped or mark == usual else ""


def _round(value: Decimal) -> Decimal:
    """What the trailing zeros of a whole number leave open."""
    shown = str(value)
    zeros = len(shown) - len(shown.rstrip("0"))
    return Decimal(10) ** (zeros if value and zeros >= 3 else 0)


def _unit(
    text: str, at: int, *, money: str | None, language: str | None
) -> tuple[str, Decimal, int]:
    """The unit behind a figure, what the figure is to be multiplied by, and where it ends."""
    factor, at = _magnitude(text, at, money=money)
    if money:
        return CURRENCIES[money.lower()], factor, at
    for pattern, name in ((_POINTS, "pp"), (_PER_CENT, "%")):
        if match := pattern.match(text, at):
            return name, factor, match.end()
    match = _TAIL.match(text, at)
    if match is None:
        return "", factor, at
    word = match[1].lower()
    if word in CURRENCIES:
        return CURRENCIES[word], factor, match.end()
    # `an` is a year in French and an article in English.
    spoken = len(word) > 1 and word in stopwords.listed(language)
    if word in UNITS and not spoken and (word not in TERSE or factor == 1):
        unit, scale = UNITS[word]
        return unit, factor * scale, match.end()
    return _counted(text, match, factor, at, language)


def _counted(
    text: str, match: re.Match[str], factor: Decimal, at: int, language: str | None
) -> tuple[str, Decimal, int]:
    """The things counted are their own unit: 30 countries."""
    word = match[1]
    plain = word.islower() and len(word) > 3 and word not in stopwords.listed(language)
    if not plain or text[at : at + 1] == "-":
        return "", factor, at
    return tokens.stem(word, (language or "en")[:2]), factor, match.end()


def _magnitude(text: str, at: int, *, money: str | None) -> tuple[Decimal, int]:
    if (scale := CJK_MAGNITUDES.get(text[at : at + 1])) is not None:
        return scale, at + 1
    match = _TAIL.match(text, at)
    word = match[1].lower() if match else ""
    if match is None or word not in MAGNITUDES or (word in SHORT_MAGNITUDES and not money):
        return Decimal(1), at
    return MAGNITUDES[word], match.end() + text.startswith(". ", match.end())
