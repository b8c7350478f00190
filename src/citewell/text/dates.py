"""Dates as search providers write them, read into UTC; what cannot be read is no date."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

_FORMATS = (
    "%b %d, %Y",  # Jan 2, 2006
    "%B %d, %Y",  # January 2, 2006
    "%d %b %Y",
    "%d %B %Y",
    "%Y/%m/%d",
    "%b %d, %Y, %I:%M %p",
    "%m/%d/%Y, %I:%M %p, %z UTC",  # as news engines that quote Google print it
)
_UNITS = {
    "s": 1 / 86400, "sec": 1 / 86400, "second": 1 / 86400,
    "m": 1 / 1440, "min": 1 / 1440, "minute": 1 / 1440,
    "h": 1 / 24, "hr": 1 / 24, "hour": 1 / 24,
    "d": 1.0, "day": 1.0,
    "w": 7.0, "wk": 7.0, "week": 7.0,
    "mo": 30.0, "month": 30.0,
    "y": 365.0, "yr": 365.0, "year": 365.0,
}  # fmt: skip
_AGO = re.compile(r"(?P<count>\d{1,6}|an?)\s*(?P<unit>[a-z]{1,7}?)s?(?:\s+ago)?", re.IGNORECASE)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?", re.DOTALL)
_LONGEST = 40  # characters; a real date is shorter, and a sentence is not a date


def read_date(text: str | None, *, now: datetime) -> datetime | None:
    """RFC 3339, RFC 1123, "Jan 2, 2006", "3 days ago", "2h", "yesterday"; anything else is None."""
    words = " ".join((text or "").split())
    if not words or len(words) > _LONGEST:
        return None
    for reader in (_iso, _named, _mail):
        if (found := reader(words)) is not None:
            return _utc(found)
    return _relative(words.lower(), now)


def _utc(found: datetime) -> datetime | None:
    aware = found if found.tzinfo else found.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC)
    except OverflowError:  # year 1 or 9999 shifted over the edge
        return None


def _iso(words: str) -> datetime | None:
    if not _ISO.fullmatch(words):
        return None
    try:
        return datetime.fromisoformat(words)
    except ValueError:
        return None


def _named(words: str) -> datetime | None:
    for pattern in _FORMATS:
        try:
            return datetime.strptime(words, pattern)  # noqa: DTZ007 - read_date makes it UTC
        except ValueError:
            continue
    return None


def _mail(words: str) -> datetime | None:
    if ":" not in words:  # RFC 1123 always has a time; without it the reader guesses
        return None
    try:
        return parsedate_to_datetime(words)
    except (ValueError, OverflowError):
        return None


def _relative(words: str, now: datetime) -> datetime | None:
    if words in {"today", "just now", "now"}:
        return now
    if words == "yesterday":
        return now - timedelta(days=1)
    match = _AGO.fullmatch(words)
    unit = _UNITS.get(match["unit"]) if match else None
    if match is None or unit is None:
        return None
    count = int(match["count"]) if match["count"].isdigit() else 1
    try:
        return now - timedelta(days=count * unit)
    except OverflowError:
        return None
