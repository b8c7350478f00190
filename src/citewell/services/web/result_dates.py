"""Publication dates of search hits, and how they are known."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, time

from citewell.model.search_queries import SearchHit
from citewell.text.dates.calendar_dates import parse_provider_date
from citewell.text.web import addresses

# Engines put the date at the start of the snippet: "Mar 14, 2026 — …", "3 days ago · …".
_LEADING_DATE_PATTERN = re.compile(
    r"(?P<date>[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4}|\d{1,2}\.? (?:de )?[^\W\d_]{3,12}\.?(?: de)? \d{4}|\d{4}-\d\d-\d\d"
    r"|\d{1,2} (?:minute|hour|day|week|month|year)s? ago)\s*(?:[—–·|:-]|\.\.\.|…)"
)
_HOURLY_AGE_PATTERN = re.compile(r"minute|hour")


def add_publication_date(hit: SearchHit, *, now: datetime) -> SearchHit:
    """The hit with a date from its snippet or address, if the provider gave none."""
    if hit.published is not None:
        return hit if hit.published_basis else replace(hit, published_basis="provider")
    found, basis = _find_date_in_snippet(hit.snippet, now), "snippet"
    if found is None:
        found, basis = _find_date_in_url(hit.url, now), "url"
    return hit if found is None else replace(hit, published=found, published_basis=basis)


def format_publication_date(moment: datetime) -> str:
    """ISO 8601 in UTC; exact midnight means that only the day is known, and is written as a date."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    utc = aware.astimezone(UTC)
    if utc.time() == time.min:
        return utc.date().isoformat()
    return utc.replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def _find_date_in_snippet(snippet: str, now: datetime) -> datetime | None:
    match = _LEADING_DATE_PATTERN.match(snippet)
    found = parse_provider_date(match["date"].replace(".", ""), now=now) if match else None
    if found is None or _HOURLY_AGE_PATTERN.search(snippet, 0, match.end() if match else 0):
        return found
    return datetime.combine(found.date(), time.min, tzinfo=UTC)  # "3 days ago" gives no hour


def _find_date_in_url(url: str, now: datetime) -> datetime | None:
    day = addresses.find_path_date(url, today=now.date())
    return datetime.combine(day, time.min, tzinfo=UTC) if day else None
