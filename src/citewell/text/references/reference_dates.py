"""Dates in references as ISO 8601, as exact as they were given."""

from __future__ import annotations

import re

_MONTH_NUMBERS = {
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
_YEAR_PATTERN = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_NUMERIC_DATE_PATTERN = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)")
_MONTH_WORD_PATTERN = re.compile(r"[^\W\d_]{3,10}")
_DAY_NUMBER_PATTERN = re.compile(r"(?<!\d)([12]\d|3[01]|0?[1-9])(?!\d)")
_MAX_DATE_CHARS = 60  # characters; dates are shorter


def parse_reference_date(text: str) -> str:
    """2019, 2019-05 or 2019-05-12, as exact as the text; empty if it has no year."""
    words = text[:_MAX_DATE_CHARS]
    year = _YEAR_PATTERN.search(words)
    if year is None:
        return ""
    if (numbers := _NUMERIC_DATE_PATTERN.match(words, year.start())) is not None:
        return format_partial_date(int(numbers[1]), int(numbers[2]), int(numbers[3] or 0))
    month = find_named_month(words)
    rest = words[: year.start()] + words[year.end() :]
    day = _DAY_NUMBER_PATTERN.search(rest) if month else None
    return format_partial_date(int(year[1]), month, int(day[1]) if day else 0)


def find_named_month(text: str) -> int:
    """The number of the first month named in a text; 0 if there is none."""
    return next(
        (
            found
            for word in _MONTH_WORD_PATTERN.findall(text)
            if (found := _MONTH_NUMBERS.get(word.casefold(), 0))
        ),
        0,
    )


def format_partial_date(year: int, month: int = 0, day: int = 0) -> str:
    if not 1 <= month <= 12:
        return f"{year:04}"
    return f"{year:04}-{month:02}-{day:02}" if 1 <= day <= 31 else f"{year:04}-{month:02}"


def extract_published_year(published: str) -> int | None:
    return int(published[:4]) if published[:4].isdigit() else None
