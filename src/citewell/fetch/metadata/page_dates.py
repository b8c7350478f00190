"""Dates that journals declare in the meta tags of a page, which may lack the day or the month."""

from __future__ import annotations

import re

from citewell.text.dates.calendar_dates import parse_declared_date
from citewell.text.dates.partial_dates import build_partial_date

_YEAR_AND_MONTH_PATTERN = re.compile(r"((?:1[5-9]|20)\d\d)(?:[-/](\d{1,2}))?")


def parse_citation_date(value: object) -> str | None:
    """Like `parse_declared_date`, but also a year, or a year and month: many journals give no more."""
    if found := parse_declared_date(value):
        return found
    match = _YEAR_AND_MONTH_PATTERN.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    built = build_partial_date(int(match[1]), int(match[2] or 0))
    return built if match[2] is None or len(built) > len(match[1]) else None
