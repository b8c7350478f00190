"""Dates as references write them, as ISO 8601 cut to what was said."""

from __future__ import annotations

import re

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january janvier januar enero gennaio janeiro januari",
            "feb february février fevrier februar febrero febbraio fevereiro februari",
            "mar march mars märz marz marzo março maart",
            "apr april avril abril aprile",
            "may mai mayo maggio maio mei",
            "jun june juin juni junio giugno junho",
            "jul july juillet juli julio luglio julho",
            "aug august août aout agosto augustus",
            "sep sept september septembre septiembre settembre setembro",
            "oct october octobre okt oktober octubre ottobre outubro",
            "nov november novembre noviembre novembro",
            "dec december décembre decembre dez dezember diciembre dicembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_NUMBERS = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)")
_WORD = re.compile(r"[^\W\d_]{3,10}")
_DAY = re.compile(r"(?<!\d)([12]\d|3[01]|0?[1-9])(?!\d)")
_LONGEST = 60  # characters; a date is shorter


def iso(text: str) -> str:
    """2019, 2019-05 or 2019-05-12, as exact as the words are; empty when there is no year."""
    words = text[:_LONGEST]
    year = _YEAR.search(words)
    if year is None:
        return ""
    if (numbers := _NUMBERS.match(words, year.start())) is not None:
        return joined(int(numbers[1]), int(numbers[2]), int(numbers[3] or 0))
    month = month_of(words)
    rest = words[: year.start()] + words[year.end() :]
    day = _DAY.search(rest) if month else None
    return joined(int(year[1]), month, int(day[1]) if day else 0)


def month_of(text: str) -> int:
    """The month a text names; 0 when it names none."""
    return next(
        (found for word in _WORD.findall(text) if (found := _MONTHS.get(word.casefold(), 0))), 0
    )


def joined(year: int, month: int = 0, day: int = 0) -> str:
    if not 1 <= month <= 12:
        return f"{year:04}"
    return f"{year:04}-{month:02}-{day:02}" if 1 <= day <= 31 else f"{year:04}-{month:02}"


def year_of(published: str) -> int | None:
    return int(published[:4]) if published[:4].isdigit() else None
