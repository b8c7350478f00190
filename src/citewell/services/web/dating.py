"""When a result was published, and how we know."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, time

from citewell.model.search import Hit
from citewell.text import urls
from citewell.text.dates import read_date

# Engines put the date before the snippet proper: "Mar 14, 2026 — …", "3 days ago · …".
_LEADING = re.compile(
    r"(?P<date>[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4}|\d{1,2} [A-Z][a-z]{2,8} \d{4}|\d{4}-\d\d-\d\d"
    r"|\d{1,2} (?:minute|hour|day|week|month|year)s? ago)\s*(?:[—–·|:-]|\.\.\.|…)"
)
_TIMED = re.compile(r"minute|hour")


def dated(hit: Hit, *, now: datetime) -> Hit:
    """The hit with a date from its snippet or its address, where the provider gave none."""
    if hit.published is not None:
        return hit if hit.published_basis else replace(hit, published_basis="provider")
    found, basis = _from_snippet(hit.snippet, now), "snippet"
    if found is None:
        found, basis = _from_url(hit.url, now), "url"
    return hit if found is None else replace(hit, published=found, published_basis=basis)


def written(moment: datetime) -> str:
    """ISO 8601 in UTC; midnight to the second is a day whose hour nobody knew."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    utc = aware.astimezone(UTC)
    if utc.time() == time.min:
        return utc.date().isoformat()
    return utc.replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def _from_snippet(snippet: str, now: datetime) -> datetime | None:
    match = _LEADING.match(snippet)
    found = read_date(match["date"].replace(".", ""), now=now) if match else None
    if found is None or _TIMED.search(snippet, 0, match.end() if match else 0):
        return found
    return datetime.combine(found.date(), time.min, tzinfo=UTC)  # "3 days ago" tells no hour


def _from_url(url: str, now: datetime) -> datetime | None:
    day = urls.dated(url, today=now.date())
    return datetime.combine(day, time.min, tzinfo=UTC) if day else None
