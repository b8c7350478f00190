"""Dates that may lack the day or the month, as ISO 8601: 2019, 2019-05 or 2019-05-12."""

from __future__ import annotations

import re
from datetime import date

from citewell.text.dates.calendar_dates import find_written_date
from citewell.text.dates.month_names import find_month_number

_YEAR_PATTERN = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_NUMERIC_DATE_PATTERN = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)")
_MONTH_WORD_PATTERN = re.compile(r"[^\W\d_]{3,12}")
_DAY_NUMBER_PATTERN = re.compile(r"(?<!\d)([12]\d|3[01]|0?[1-9])(?!\d)")
_MAX_DATE_CHARS = 60


def parse_partial_date(text: str) -> str:
    """The first date of the text, as exact as it is written; empty if the text has no year.

    1998 Dec-1999 Jan is 1998-12, 2000 Spring is 2000.
    """
    words = text[:_MAX_DATE_CHARS]
    year = _YEAR_PATTERN.search(words)
    if year is None:
        return ""
    if (numbers := _NUMERIC_DATE_PATTERN.match(words, year.start())) is not None:
        return build_partial_date(int(numbers[1]), int(numbers[2]), int(numbers[3] or 0))
    month = _find_named_month(words)
    if not month:
        return find_written_date(words) or year[1]
    day = _DAY_NUMBER_PATTERN.search(words[: year.start()] + words[year.end() :])
    return build_partial_date(int(year[1]), month, int(day[1]) if day else 0)


def build_partial_date(year: int, month: int = 0, day_of_month: int = 0) -> str:
    """An ISO date of the valid parts: the year, with month and day if the calendar has them."""
    if not 1 <= month <= 12:
        return f"{year:04}"
    try:
        return date(year, month, day_of_month).isoformat()
    except ValueError:
        return f"{year:04}-{month:02}"


def parse_month_number(text: str) -> int:
    """The month of a number, or of the first month named in the text; 0 for anything else."""
    if text.isascii() and text.isdigit() and len(text) < 3:
        return int(text)
    return _find_named_month(text)


def extract_year(iso_date: str | None) -> int | None:
    """The year of an ISO date; None if there is no date."""
    year = (iso_date or "")[:4]
    return int(year) if year.isdecimal() else None


def _find_named_month(text: str) -> int:
    return next(filter(None, map(find_month_number, _MONTH_WORD_PATTERN.findall(text))), 0)
