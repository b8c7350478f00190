"""Parses dates as pages write them into ISO form: a time, a day, a month or a year."""

from __future__ import annotations

import re
from datetime import date, datetime
from email.utils import parsedate_to_datetime

_MONTH_WORDS = (
    "january januar janvier enero gennaio janeiro januari jan ene gen gener январ styczeń ocak",
    "february februar février fevrier febrero febbraio fevereiro februari feb fév feb fev феврал luty şubat",
    "march märz maerz mars marzo março maart mar mrz март marzec mart",
    "april avril abril aprile apr abr avr апрел kwiecień nisan",
    "may mai mayo maggio maio mei май мая maj mayıs",
    "june juni juin junio giugno junho jun июн czerwiec haziran",
    "july juli juillet julio luglio julho jul juil июл lipiec temmuz",
    "august août aout agosto augustus aug ago август sierpień ağustos",
    "september septembre septiembre settembre setembro sep sept set сентябр wrzesień eylül",
    "october oktober octobre octubre ottobre outubro oct okt ott out октябр październik ekim",
    "november novembre noviembre novembro nov ноябр listopad kasım",
    "december dezember décembre decembre diciembre dicembre dezembro dec dez déc dic декабр grudzień aralık",
)
_MONTH_BY_NAME = {
    name: place for place, names in enumerate(_MONTH_WORDS, 1) for name in names.split()
}
_SLASHED_DATE = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_ZONE_WITHOUT_COLON = re.compile(r"([+-]\d{2})(\d{2})$")
_YEAR_AND_MONTH = re.compile(r"((?:1[5-9]|20)\d\d)(?:[-/](\d{1,2}))?")
_DAY_FIRST_DATE = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|\.|º|ª)?\s+(?:de\s+)?([^\W\d_]{3,12})\.?,?\s+(?:de\s+|del\s+)?(\d{4})(?!\d)"
)
_MONTH_FIRST_DATE = re.compile(r"([^\W\d_]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)")
_IDEOGRAPHIC_DATE = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]")
_NUMERIC_DATE = re.compile(r"(?<![\d.])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)")
_ISO_DATE_INSIDE = re.compile(r"(?<!\d)((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)")
_MAX_LINE_CHARS = 120


def parse_machine_date(value: object) -> str | None:
    """A date or time in ISO, slashed or email form, as ISO text; None for anything else."""
    if not isinstance(value, str):
        return None
    text = value.strip()[:64]
    slashed = _SLASHED_DATE.match(text)
    if slashed:
        text = f"{slashed[1]}-{slashed[2]:0>2}-{slashed[3]:0>2}{text[slashed.end() :]}"
    text = _ZONE_WITHOUT_COLON.sub(r"\1:\2", text) if "T" in text else text
    for read in (_parse_iso_day, _parse_iso_time, _parse_email_date):
        if found := read(text):
            return found
    return None


def parse_partial_date(value: object) -> str | None:
    """Like `parse_machine_date`, but also a year, or a year and month: many journals give no more."""
    if found := parse_machine_date(value):
        return found
    match = _YEAR_AND_MONTH.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    month = int(match[2] or 1)
    return (f"{match[1]}-{month:02}" if match[2] else match[1]) if 1 <= month <= 12 else None


def find_written_date(text: str) -> str | None:
    """The first date in a short line such as a byline, in a dozen languages; None for long texts."""
    if len(text) > _MAX_LINE_CHARS:
        return None
    low = text.lower()
    for pattern, order in (
        (_ISO_DATE_INSIDE, (0, 1, 2)),
        (_IDEOGRAPHIC_DATE, (0, 1, 2)),
        (_DAY_FIRST_DATE, (2, 1, 0)),
        (_MONTH_FIRST_DATE, (2, 0, 1)),
    ):
        for match in pattern.finditer(low):
            parts = match.groups()
            if found := _build_iso_date(*(parts[place] for place in order)):
                return found
    return _find_numeric_date(low)


def _find_numeric_date(text: str) -> str | None:
    """A numeric date; None if day and month cannot be told apart, as in 3/4/2026."""
    match = _NUMERIC_DATE.search(text)
    if match is None:
        return None
    first, sign, second, year = match.groups()
    if sign == "." or int(first) > 12:
        return _build_iso_date(year, second, first)
    return _build_iso_date(year, first, second) if int(second) > 12 else None


def _build_iso_date(year: str, month: str, day: str) -> str | None:
    number = int(month) if month.isdigit() else _find_month_number(month)
    try:
        return date(int(year), number, int(day)).isoformat()
    except ValueError:
        return None


def _find_month_number(word: str) -> int:
    """The month's number; 0 if it is no month. Inflected forms are recognized by their stem."""
    if word in _MONTH_BY_NAME:
        return _MONTH_BY_NAME[word]
    return next(
        (
            n
            for name, n in _MONTH_BY_NAME.items()
            if _is_month_stem(name) and word.startswith(name[:6])
        ),
        0,
    )


def _is_month_stem(name: str) -> bool:
    return len(name) >= (5 if name.isascii() else 4)


def _parse_iso_day(text: str) -> str | None:
    try:
        return date.fromisoformat(text).isoformat() if "-" in text else None
    except ValueError:
        return None


def _parse_iso_time(text: str) -> str | None:
    if "-" not in text[:8]:
        return None
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        return None


def _parse_email_date(text: str) -> str | None:
    if ":" not in text or not text[:1].isalpha():
        return None
    try:
        return parsedate_to_datetime(text).isoformat()
    except (ValueError, OverflowError):
        return None
