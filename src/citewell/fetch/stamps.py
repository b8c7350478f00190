"""Dates as pages write them, in ISO form: a time, a day, or as much of a day as the page says."""

from __future__ import annotations

import re
from datetime import date, datetime
from email.utils import parsedate_to_datetime

_MONTHS = (
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
_MONTH = {name: place for place, names in enumerate(_MONTHS, 1) for name in names.split()}
_SLASHED = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_SHORT_ZONE = re.compile(r"([+-]\d{2})(\d{2})$")
_PART = re.compile(r"((?:1[5-9]|20)\d\d)(?:[-/](\d{1,2}))?")
_DAY_FIRST = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|\.|º|ª)?\s+(?:de\s+)?([^\W\d_]{3,12})\.?,?\s+(?:de\s+|del\s+)?(\d{4})(?!\d)"
)
_MONTH_FIRST = re.compile(r"([^\W\d_]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)")
_IDEOGRAPHIC = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]")
_NUMERIC = re.compile(r"(?<![\d.])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)")
_ISO_INSIDE = re.compile(r"(?<!\d)((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)")
_LONGEST = 120


def iso(value: object) -> str | None:
    """A date or time as machines write it; None for what is not one."""
    if not isinstance(value, str):
        return None
    text = value.strip()[:64]
    slashed = _SLASHED.match(text)
    if slashed:
        text = f"{slashed[1]}-{slashed[2]:0>2}-{slashed[3]:0>2}{text[slashed.end() :]}"
    text = _SHORT_ZONE.sub(r"\1:\2", text) if "T" in text else text
    for read in (_day, _time, _mailed):
        if found := read(text):
            return found
    return None


def partly(value: object) -> str | None:
    """The same, or a year, or a year and a month, which is all that many journals say."""
    if found := iso(value):
        return found
    match = _PART.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    month = int(match[2] or 1)
    return (f"{match[1]}-{month:02}" if match[2] else match[1]) if 1 <= month <= 12 else None


def written(text: str) -> str | None:
    """The one day that a short line such as a byline names, in a dozen languages."""
    if len(text) > _LONGEST:
        return None
    low = text.lower()
    for pattern, order in (
        (_ISO_INSIDE, (0, 1, 2)),
        (_IDEOGRAPHIC, (0, 1, 2)),
        (_DAY_FIRST, (2, 1, 0)),
        (_MONTH_FIRST, (2, 0, 1)),
    ):
        for match in pattern.finditer(low):
            parts = match.groups()
            if found := _made(*(parts[place] for place in order)):
                return found
    return _numeric(low)


def _numeric(text: str) -> str | None:
    """3/4/2026 may be March or April: only a day above twelve, or dots, settle it."""
    match = _NUMERIC.search(text)
    if match is None:
        return None
    first, sign, second, year = match.groups()
    if sign == "." or int(first) > 12:
        return _made(year, second, first)
    return _made(year, first, second) if int(second) > 12 else None


def _made(year: str, month: str, day: str) -> str | None:
    number = int(month) if month.isdigit() else _named(month)
    try:
        return date(int(year), number, int(day)).isoformat()
    except ValueError:
        return None


def _named(word: str) -> int:
    """The month's number; inflected forms are known by their stem, 0 is no month."""
    if word in _MONTH:
        return _MONTH[word]
    return next(
        (n for name, n in _MONTH.items() if _is_stem(name) and word.startswith(name[:6])), 0
    )


def _is_stem(name: str) -> bool:
    return len(name) >= (5 if name.isascii() else 4)


def _day(text: str) -> str | None:
    try:
        return date.fromisoformat(text).isoformat() if "-" in text else None
    except ValueError:
        return None


def _time(text: str) -> str | None:
    if "-" not in text[:8]:
        return None
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        return None


def _mailed(text: str) -> str | None:
    if ":" not in text or not text[:1].isalpha():
        return None
    try:
        return parsedate_to_datetime(text).isoformat()
    except (ValueError, OverflowError):
        return None
