"""Collects the numbers, shares and months of a sentence that can be compared with those of another text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise

from citewell.core.lazy_patterns import compile_on_use
from citewell.text.calendar_dates import MONTH_NAME_REGEX, find_month_number
from citewell.text.quantities.spelt_numbers import find_stated_fractions
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    ORDINAL_UNIT,
    StatedQuantity,
    build_exact_quantity,
)

MONTH_UNIT, DAY_UNIT = "month#", "day#"  # of a certain year, and of a certain month
_MONTHS_PER_YEAR, _MAX_MONTH_DAYS, _DAY_STEP = 12, 31, 100
_MAX_WORD_LETTERS = 3
_MONTH_PATTERN = compile_on_use(
    rf"(?<!\w)(?=[^\W\d_]{{3,12}}\.?,?\s)(?P<month>{MONTH_NAME_REGEX})\.?,?\s(?:of\s|del?\s)?(?P<year>[12]\d{{3}})(?![\w.,]?\d)",
    re.IGNORECASE,
)
_DAY_PATTERN = compile_on_use(
    rf"(?<!\w)(?=[^\W\d_]{{3,12}}\.?\s\d)(?P<month>{MONTH_NAME_REGEX})\.?\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:%]|[.,]?\d)"
    rf"|(?<![\w.,:])(?P<day_before>\d{{1,2}})(?:st|nd|rd|th|\.)?\s(?:of\s|de\s)?(?P<month_behind>{MONTH_NAME_REGEX})(?!\w)",
    re.IGNORECASE,
)

# How many of the next smaller unit make one.
_PARTS = {
    ("minute", "second"): Decimal(60),
    ("hour", "minute"): Decimal(60),
    ("day", "hour"): Decimal(24),
    ("year", "month"): Decimal(12),
}
_JOINT_PATTERN = compile_on_use(r",?\s{0,2}(?:(?:and|und|et|y)\s)?")
_CONJUNCTION_PATTERN = compile_on_use(r"\s(?:and|und|et|y)\s")

MIN_TELLING_VALUE = 10  # of a number without a unit
# A number after these names a part of a law or a text.
_LABEL_BEFORE_PATTERN = compile_on_use(
    r"(?:§{1,2}|\b(?:art(?:icle|ikel|ículo)?s?|sec(?:tion)?s?|sección|abs(?:atz)?|abschnitt|par(?:agraph|agraphe|ágrafo)?s?|no|nos|nr|nº|n°|núm|satz|chapter"
    r"|kapitel|chapitre|capítulo|table|tabelle|tableau|tabla|fig(?:ure|ura)?|abbildung|abb|annex|anhang|annexe|anexo|page|seite|pages?|pp?|ch|vol|volume|step|part)\b\.?)\s{0,3}\(?\Z",
    re.IGNORECASE,
)
_LABEL_NUMBER_PATTERN = compile_on_use(r"\(?\d{1,3}[a-z]?[.)]\s")


def collect_sentence_values(
    text: str, quantities: tuple[StatedQuantity, ...], language: str | None
) -> tuple[StatedQuantity, ...]:
    """The quantities of a sentence with its shares in words, without those that name a section."""
    shares = find_stated_fractions(text, language)
    figures = [
        value
        for value in quantities
        if not _is_label_number(value, text)
        and not any(each.start < value.end and value.start < each.end for each in shares)
    ]
    return tuple(sorted((*join_durations(figures, text), *shares), key=lambda value: value.start))


def _is_label_number(value: StatedQuantity, text: str) -> bool:
    """Whether a number without a unit names a part of a text: "§ 8", "Article 33", "(3) The …"."""
    if value.unit not in {"", ORDINAL_UNIT} and value.low >= MIN_TELLING_VALUE:
        return False
    before = text[max(0, value.start - 16) : value.start]
    if _LABEL_BEFORE_PATTERN.search(before):
        return True
    is_first = not before.strip(" (#*-\n\t") and value.start < 16
    at = value.start - 1 if text[value.start - 1 : value.start] == "(" else value.start
    return is_first and value.unit == "" and _LABEL_NUMBER_PATTERN.match(text, at) is not None


# Joins the parts of a duration, "4 min 50 s", to one value.


def join_durations(found: Sequence[StatedQuantity], text: str) -> tuple[StatedQuantity, ...]:
    """The values, with one in the larger unit for each two that follow each other directly.

    The parts stay where a word joins them: "up to nine hours and 45 minutes if" may be two values.
    """
    joined = _join_parts(found, text)
    whole = [duration for duration in joined if not _CONJUNCTION_PATTERN.search(duration.text)]
    parts = [row for row in found if not any(each.start <= row.start < each.end for each in whole)]
    return (*parts, *joined)


def _join_parts(found: Sequence[StatedQuantity], text: str) -> tuple[StatedQuantity, ...]:
    ordered = sorted(found, key=lambda quantity: quantity.start)
    return tuple(
        StatedQuantity(
            low=first.low + second.low / count,
            high=first.high + second.high / count,
            unit=first.unit,
            text=text[first.start : second.end],
            start=first.start,
            end=second.end,
            precision=second.precision / count,
        )
        for first, second in pairwise(ordered)
        if (count := _PARTS.get((first.unit, second.unit))) is not None
        and second.low < count
        and _JOINT_PATTERN.fullmatch(text[first.end : second.start])
    )


# Finds the months of a year and the days of a month that a text names: "June 2020", "on March 14".


def find_written_months(text: str, stated: Sequence[StatedQuantity]) -> Iterator[StatedQuantity]:
    """The months and days; those of the whole dates among `stated` as well."""
    dated = [quantity for quantity in stated if quantity.unit == DATE_UNIT]
    for quantity in dated:
        day = date.fromordinal(int(quantity.low))
        span = (quantity.start, quantity.end)
        yield build_exact_quantity(_count_months(day.year, day.month), MONTH_UNIT, text, span)
        yield build_exact_quantity(_count_days(day.month, day.day), DAY_UNIT, text, span)
    for match in _MONTH_PATTERN.finditer(text):
        month = find_month_number(match["month"])
        if month:
            value = _count_months(int(match["year"]), month)
            yield build_exact_quantity(value, MONTH_UNIT, text, match.span())
    for match in _DAY_PATTERN.finditer(text):
        if any(quantity.start < match.end() and match.start() < quantity.end for quantity in dated):
            continue
        month = find_month_number(match["month"] or match["month_behind"])
        number = int(match["day"] or match["day_before"])
        if month and _is_month_name(match) and 1 <= number <= _MAX_MONTH_DAYS:
            yield build_exact_quantity(_count_days(month, number), DAY_UNIT, text, match.span())


def _is_month_name(match: re.Match[str]) -> bool:
    """Whether the word is no verb: "they march 3 miles", "14 may stay"."""
    before, behind = match["month"], match["month_behind"]
    return before[0].isupper() if before else behind[0].isupper() or len(behind) > _MAX_WORD_LETTERS


def _count_months(year: int, month: int) -> Decimal:
    return Decimal(year * _MONTHS_PER_YEAR + month)


def _count_days(month: int, day: int) -> Decimal:
    return Decimal(month * _DAY_STEP + day)
