"""Finds the months of a year and the days of a month that a text names: "June 2020", "on March 14"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal

from citewell.text.dates.month_names import MONTH_NAME_REGEX, find_month_number
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    StatedQuantity,
    build_exact_quantity,
)

MONTH_UNIT, DAY_UNIT = "month#", "day#"  # of a certain year, and of a certain month
_MONTHS_PER_YEAR, _MAX_MONTH_DAYS, _DAY_STEP = 12, 31, 100
_MAX_WORD_LETTERS = 3
_MONTH_PATTERN = re.compile(
    rf"(?<!\w)(?=[^\W\d_]{{3,12}}\.?,?\s)(?P<month>{MONTH_NAME_REGEX})\.?,?\s(?:of\s|del?\s)?(?P<year>[12]\d{{3}})(?![\w.,]?\d)",
    re.IGNORECASE,
)
_DAY_PATTERN = re.compile(
    rf"(?<!\w)(?=[^\W\d_]{{3,12}}\.?\s\d)(?P<month>{MONTH_NAME_REGEX})\.?\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:%]|[.,]?\d)"
    rf"|(?<![\w.,:])(?P<day_before>\d{{1,2}})(?:st|nd|rd|th|\.)?\s(?:of\s|de\s)?(?P<month_behind>{MONTH_NAME_REGEX})(?!\w)",
    re.IGNORECASE,
)


def find_written_months(text: str, stated: Sequence[StatedQuantity]) -> tuple[StatedQuantity, ...]:
    """The months and days; those of the whole dates among `stated` as well."""
    return tuple(_iterate_months(text, stated))


def _iterate_months(text: str, stated: Sequence[StatedQuantity]) -> Iterator[StatedQuantity]:
    dated = [one for one in stated if one.unit == DATE_UNIT]
    for one in dated:
        day = date.fromordinal(int(one.low))
        span = (one.start, one.end)
        yield build_exact_quantity(_count_months(day.year, day.month), MONTH_UNIT, text, span)
        yield build_exact_quantity(_count_days(day.month, day.day), DAY_UNIT, text, span)
    for match in _MONTH_PATTERN.finditer(text):
        month = find_month_number(match["month"])
        if month:
            value = _count_months(int(match["year"]), month)
            yield build_exact_quantity(value, MONTH_UNIT, text, match.span())
    for match in _DAY_PATTERN.finditer(text):
        if any(one.start < match.end() and match.start() < one.end for one in dated):
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
