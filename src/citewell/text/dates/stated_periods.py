"""Periods as statistical offices write them: a day, week, month, quarter, half-year or year."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

_MAX_PERIOD_CHARS = 40
_YEAR_PATTERN = re.compile(r"(\d{4})(?:-?A1?)?")
_DAY_PATTERN = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T[\d:.]{1,20}Z?)?")
_PART_PATTERN = re.compile(r"(\d{4})\s?-?\s?([QMSHWBT])-?(\d{1,2})", re.IGNORECASE)
_PART_FIRST_PATTERN = re.compile(r"([QMSH])(\d{1,2})[- /](\d{4})", re.IGNORECASE)
_MONTH_PATTERN = re.compile(r"(\d{4})-(\d\d)")
_SPAN_PATTERN = re.compile(r"(\d{4})\s?[-/]\s?(\d{4})")
# How many months a part of a year has, and in which form it is written.
_MONTHS_BY_PART = {"M": 1, "Q": 3, "T": 4, "S": 6, "H": 6, "B": 6}
_WEEK = "W"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedPeriod:
    """A period with its first and last day, in ISO 8601; both are empty if it cannot be read."""

    text: str
    first_day: str = ""
    last_day: str = ""


def parse_stated_period(text: str) -> StatedPeriod:
    """The period, in one form for all offices: 2024, 2024-S1, 2024-Q1, 2024-03, 2024-W09, 2024-03-31.

    A text that is none of these keeps its own form, without days.
    """
    stated = text.strip()[:_MAX_PERIOD_CHARS]
    try:
        return _parse_period(stated) or StatedPeriod(text=stated)
    except (ValueError, OverflowError):  # a month 13, a week 54, the year 0
        return StatedPeriod(text=stated)


def _parse_period(stated: str) -> StatedPeriod | None:
    if match := _YEAR_PATTERN.fullmatch(stated):
        return _build_months(match[1], int(match[1]), 1, 12)
    if match := _DAY_PATTERN.fullmatch(stated):
        day = date(int(match[1]), int(match[2]), int(match[3])).isoformat()
        return StatedPeriod(text=day, first_day=day, last_day=day)
    if match := _MONTH_PATTERN.fullmatch(stated):
        return _build_months(stated, int(match[1]), int(match[2]), 1)
    if match := _PART_PATTERN.fullmatch(stated):
        return _build_part(int(match[1]), match[2].upper(), int(match[3]))
    if match := _PART_FIRST_PATTERN.fullmatch(stated):
        return _build_part(int(match[3]), match[1].upper(), int(match[2]))
    if match := _SPAN_PATTERN.fullmatch(stated):
        return StatedPeriod(
            text=stated,
            first_day=date(int(match[1]), 1, 1).isoformat(),
            last_day=date(int(match[2]), 12, 31).isoformat(),
        )
    return None


def _build_part(year: int, part: str, number: int) -> StatedPeriod:
    if part == _WEEK:
        first = date.fromisocalendar(year, number, 1)
        last = first + timedelta(days=6)
        return StatedPeriod(
            text=f"{year}-W{number:02}", first_day=first.isoformat(), last_day=last.isoformat()
        )
    months = _MONTHS_BY_PART[part]
    text = f"{year}-{number:02}" if part == "M" else f"{year}-{part}{number}"
    return _build_months(text, year, (number - 1) * months + 1, months)


def _build_months(text: str, year: int, month: int, count: int) -> StatedPeriod:
    end = month + count - 1
    last = date(year, end, monthrange(year, end)[1])
    return StatedPeriod(
        text=text, first_day=date(year, month, 1).isoformat(), last_day=last.isoformat()
    )
