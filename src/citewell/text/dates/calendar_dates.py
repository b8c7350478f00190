"""Parses days and times in machine form, written out in many languages, or relative to now."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from email.utils import parsedate_to_datetime

from citewell.text.dates.month_names import (
    DATED_MONTH_REGEX,
    MONTH_NAME_REGEX,
    find_month_number,
)

_ISO_DAY_REGEX = r"(?P<y1>[12]\d{3})-(?P<m1>\d\d)-(?P<d1>\d\d)(?!\d)"
_DAY_FIRST_REGEX = rf"(?P<d2>\d{{1,2}})(?:st|nd|rd|th|er|\.|º|ª)?\s+(?:of\s+|de\s+)?(?P<m2>{DATED_MONTH_REGEX})\.?,?\s+(?:de\s+|del\s+)?(?P<y2>\d{{4}})(?!\d)"
# The look-ahead only saves time: few words stand before a number.
_MONTH_FIRST_REGEX = rf"(?<!\w)(?=[^\W\d_]{{3,12}}\.?\s+\d)(?P<m3>{MONTH_NAME_REGEX})\.?\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y3>\d{{4}})(?!\d)"
_IDEOGRAPHIC_REGEX = r"(?P<y4>\d{4})\s*[年년]\s*(?P<m4>\d{1,2})\s*[月월]\s*(?P<d4>\d{1,2})\s*[日일]"
SENTENCE_DATE_PATTERN = re.compile(
    rf"(?<![\w-]){_ISO_DAY_REGEX}|(?<!\w){_DAY_FIRST_REGEX}|{_MONTH_FIRST_REGEX}|{_IDEOGRAPHIC_REGEX}",
    re.IGNORECASE,
)
# In a byline a date may follow a word without a space, because they are two elements of a page.
_LINE_DATE_PATTERN = re.compile(
    rf"(?<!\d){_ISO_DAY_REGEX}|(?<!\d){_DAY_FIRST_REGEX}|{_MONTH_FIRST_REGEX}|{_IDEOGRAPHIC_REGEX}",
    re.IGNORECASE,
)
_NUMERIC_DATE_PATTERN = re.compile(r"(?<![\d.])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)")
_ISO_BEGINNING_PATTERN = re.compile(
    r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
_SLASHED_DATE_PATTERN = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_ZONE_WITHOUT_COLON_PATTERN = re.compile(r"([+-]\d{2})(\d{2})$")
_CLOCK_TIME_FORMATS = (
    "%b %d, %Y, %I:%M %p",
    "%m/%d/%Y, %I:%M %p, %z UTC",  # from news engines that copy Google's format
)
_DAYS_PER_UNIT = {
    "s": 1 / 86400, "sec": 1 / 86400, "second": 1 / 86400,
    "m": 1 / 1440, "min": 1 / 1440, "minute": 1 / 1440,
    "h": 1 / 24, "hr": 1 / 24, "hour": 1 / 24,
    "d": 1.0, "day": 1.0,
    "w": 7.0, "wk": 7.0, "week": 7.0,
    "mo": 30.0, "month": 30.0,
    "y": 365.0, "yr": 365.0, "year": 365.0,
}  # fmt: skip
_RELATIVE_AGE_PATTERN = re.compile(
    r"(?P<count>\d{1,6}|an?)\s*(?P<unit>[a-z]{1,7}?)s?(?:\s+ago)?", re.IGNORECASE
)
_MAX_MACHINE_CHARS = 64
_MAX_LINE_CHARS = 120
_MAX_PROVIDER_CHARS = 40  # longer text is a sentence, not a date


def parse_machine_date(value: object) -> str | None:
    """A date or time in ISO, slashed or email form, as ISO text; None for anything else."""
    if not isinstance(value, str):
        return None
    found = _parse_machine_time(value.strip()[:_MAX_MACHINE_CHARS])
    return found.isoformat() if found else None


def parse_declared_date(value: object) -> str | None:
    """A date in a field for dates, in machine form or written out, as ISO text; None if it is neither."""
    if not isinstance(value, str):
        return None
    return parse_machine_date(value) or find_written_date(value)


def parse_document_date(text: str | None) -> str | None:
    """Like `parse_declared_date`, but an ISO date or time at the start is returned as it is written."""
    match = _ISO_BEGINNING_PATTERN.match((text or "").strip())
    return match.group() if match else parse_declared_date(text)


def find_written_date(text: str) -> str | None:
    """The first date in a short line such as a byline, as ISO text; None for long texts."""
    if len(text) > _MAX_LINE_CHARS:
        return None
    found = map(parse_matched_date, _LINE_DATE_PATTERN.finditer(text))
    day = next((day for day in found if day), None) or _find_numeric_date(text)
    return day.isoformat() if day else None


def parse_matched_date(match: re.Match[str]) -> date | None:
    """The date of a match of SENTENCE_DATE_PATTERN; None if there is no such day."""
    parts = match.groupdict()
    for form in "1234":
        if parts[f"y{form}"]:
            month = parts[f"m{form}"]
            number = (
                int(month) if month.isdigit() else find_month_number(month, after_day=form == "2")
            )
            return _build_date(parts[f"y{form}"], number, parts[f"d{form}"])
    return None


def parse_provider_date(text: str | None, *, now: datetime) -> datetime | None:
    """Parse RFC 3339, RFC 1123, "Jan 2, 2006", "3 maart 2021", "3 days ago", "2h" or "yesterday"; else None."""
    words = " ".join((text or "").split())
    if not words or len(words) > _MAX_PROVIDER_CHARS:
        return None
    for reader in (_parse_machine_time, _parse_whole_date, _parse_clock_time):
        if (found := reader(words)) is not None:
            return _convert_to_utc(found)
    return _parse_relative_date(words.lower(), now)


def _parse_machine_time(text: str) -> date | datetime | None:
    """A `date` if the text has no time of day."""
    slashed = _SLASHED_DATE_PATTERN.match(text)
    if slashed:
        text = f"{slashed[1]}-{slashed[2]:0>2}-{slashed[3]:0>2}{text[slashed.end() :]}"
    text = _ZONE_WITHOUT_COLON_PATTERN.sub(r"\1:\2", text) if "T" in text else text
    return _parse_iso_day(text) or _parse_iso_time(text) or _parse_email_time(text)


def _parse_iso_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if "-" in text else None
    except ValueError:
        return None


def _parse_iso_time(text: str) -> datetime | None:
    if "-" not in text[:8]:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _parse_email_time(text: str) -> datetime | None:
    if ":" not in text:  # RFC 1123 always has a time; without one the standard library guesses
        return None
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _parse_whole_date(words: str) -> date | None:
    match = _LINE_DATE_PATTERN.fullmatch(words)
    return parse_matched_date(match) if match else None


def _parse_clock_time(words: str) -> datetime | None:
    for pattern in _CLOCK_TIME_FORMATS:
        try:
            return datetime.strptime(words, pattern)  # noqa: DTZ007 - parse_provider_date makes it UTC
        except ValueError:
            continue
    return None


def _parse_relative_date(words: str, now: datetime) -> datetime | None:
    if words in {"today", "just now", "now"}:
        return now
    if words == "yesterday":
        return now - timedelta(days=1)
    match = _RELATIVE_AGE_PATTERN.fullmatch(words)
    unit = _DAYS_PER_UNIT.get(match["unit"]) if match else None
    if match is None or unit is None:
        return None
    count = int(match["count"]) if match["count"].isdigit() else 1
    try:
        return now - timedelta(days=count * unit)
    except OverflowError:
        return None


def _find_numeric_date(text: str) -> date | None:
    """A numeric date; None if day and month cannot be told apart, as in 3/4/2026."""
    match = _NUMERIC_DATE_PATTERN.search(text)
    if match is None:
        return None
    first, sign, second, year = match.groups()
    if sign == "." or int(first) > 12:
        return _build_date(year, int(second), first)
    return _build_date(year, int(first), second) if int(second) > 12 else None


def _build_date(year: str, month: int, day: str) -> date | None:
    try:
        return date(int(year), month, int(day))
    except ValueError:
        return None


def _convert_to_utc(found: date) -> datetime | None:
    """The moment in UTC; a day alone, or a time without a zone, is taken as UTC."""
    moment = found if isinstance(found, datetime) else datetime.combine(found, time.min, UTC)
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC)
    except OverflowError:  # year 1 or 9999, moved out of range by the time zone
        return None
