"""The days between which a search is asked for."""

from __future__ import annotations

import re
from datetime import date

from citewell.errors import InvalidInput

_DAY_PATTERN = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def check_day_range(first: str | None, last: str | None) -> tuple[str | None, str | None]:
    """The days of date_from and date_to; raises InvalidInput if one is no day or they are swapped."""
    start, end = _check_single_day("date_from", first), _check_single_day("date_to", last)
    if start and end and start > end:
        raise InvalidInput(f"date_from {start} is after date_to {end}; swap them.")
    return start, end


def _check_single_day(name: str, text: str | None) -> str | None:
    if not text:
        return None
    written = text.strip()
    try:
        return date.fromisoformat(written if _DAY_PATTERN.fullmatch(written) else "").isoformat()
    except ValueError:
        raise InvalidInput(f"{name} must be a day as YYYY-MM-DD, not {written[:40]!r}.") from None
