"""Formats stored numbers as a spreadsheet shows them: dates, times, durations and percentages."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache

DAYS_FROM_1900 = datetime(1899, 12, 30)  # noqa: DTZ001 - sheet dates have no zone
DAYS_FROM_1904 = datetime(1904, 1, 1)  # noqa: DTZ001 - as above
# Built-in formats by number; those that are not listed show a number as it is.
BUILTIN_FORMATS = {9: "0%", 10: "0.00%", 46: "[h]:mm:ss"} | dict.fromkeys(
    (*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)), "yyyy-mm-dd hh:mm:ss"
)
_MAX_WHOLE_NUMBER = 1e18
_MAX_FORMAT_CHARS = 255  # the most that Excel allows
_FORMAT_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.')
_FORMAT_BRACKET = re.compile(r"\[[^\]]*\]")
_DURATION_CODE = re.compile(r"\[(?:h{1,4}|m{1,4}|s{1,4})\]", re.IGNORECASE)
_DATE_CODE = re.compile(r"[ymdhs]|AM/PM|A/P", re.IGNORECASE)
_PERCENT_DECIMALS = re.compile(r"\.([0#?]{1,15})")


def format_stored_number(raw: str, code: str, *, days_from: datetime = DAYS_FROM_1900) -> str:
    """A number as text; `code` is its number format. What is no number is returned unchanged."""
    try:
        value = float(raw)
        kind = _detect_format_kind(code[:_MAX_FORMAT_CHARS])
        if kind == "date":
            return _format_sheet_time(days_from + timedelta(days=value), whole=0 <= value < 1)
        if kind == "duration":
            return _format_duration(value)
        if kind == "percent":
            return _format_percentage(value, code)
    except (ValueError, OverflowError):
        return raw
    if value.is_integer() and abs(value) < _MAX_WHOLE_NUMBER:
        return str(int(value))
    short = f"{value:.15g}"
    return short if "e" not in short else raw


@lru_cache(maxsize=512)
def _detect_format_kind(code: str) -> str:
    """Whether a format shows a "date", "duration" or "percent"; "" for other numbers and text."""
    shown = _FORMAT_LITERAL.sub("", code)
    if _DURATION_CODE.search(shown):
        return "duration"
    shown = _FORMAT_BRACKET.sub("", shown)
    if shown.lower() != "general" and _DATE_CODE.search(shown):
        return "date"
    return "percent" if "%" in shown else ""


def _format_percentage(value: float, code: str) -> str:
    found = _PERCENT_DECIMALS.search(code)
    shown = f"{value * 100:.{len(found[1]) if found else 0}f}"
    exact = f"{value * 100:.12g}"
    # Where the format would round, five digits of the stored value are kept.
    return f"{shown if float(shown) == float(exact) else f'{value * 100:.5g}'}%"


def _format_duration(days: float) -> str:
    seconds = round(abs(days) * 86_400)
    sign = "-" if days < 0 and seconds else ""
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _format_sheet_time(moment: datetime, *, whole: bool) -> str:
    moment = (moment + timedelta(milliseconds=500)).replace(microsecond=0)
    if whole:
        return moment.time().isoformat()
    if moment.hour == moment.minute == moment.second == 0:
        return moment.date().isoformat()
    return moment.isoformat(sep=" ")
