"""Parses the dates that search providers return into UTC datetimes."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

_NAMED_DATE_FORMATS = (
    "%b %d, %Y",  # Jan 2, 2006
    "%B %d, %Y",  # January 2, 2006
    "%d %b %Y",
    "%d %B %Y",
    "%Y/%m/%d",
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
_ISO_DATE_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?", re.DOTALL)
_MAX_DATE_CHARS = 40  # characters; longer text is a sentence, not a date


def parse_provider_date(text: str | None, *, now: datetime) -> datetime | None:
    """Parse RFC 3339, RFC 1123, "Jan 2, 2006", "3 days ago", "2h" or "yesterday"; else None."""
    words = " ".join((text or "").split())
    if not words or len(words) > _MAX_DATE_CHARS:
        return None
    for reader in (_parse_iso_date, _parse_named_date, _parse_mail_date):
        if (found := reader(words)) is not None:
            return _convert_to_utc(found)
    return _parse_relative_date(words.lower(), now)


def _convert_to_utc(found: datetime) -> datetime | None:
    aware = found if found.tzinfo else found.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC)
    except OverflowError:  # year 1 or 9999, moved out of range by the time zone
        return None


def _parse_iso_date(words: str) -> datetime | None:
    if not _ISO_DATE_PATTERN.fullmatch(words):
        return None
    try:
        return datetime.fromisoformat(words)
    except ValueError:
        return None


def _parse_named_date(words: str) -> datetime | None:
    for pattern in _NAMED_DATE_FORMATS:
        try:
            return datetime.strptime(words, pattern)  # noqa: DTZ007 - parse_provider_date makes it UTC
        except ValueError:
            continue
    return None


def _parse_mail_date(words: str) -> datetime | None:
    if ":" not in words:  # RFC 1123 always has a time; without one the standard library guesses
        return None
    try:
        return parsedate_to_datetime(words)
    except (ValueError, OverflowError):
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
