"""Places of the world in words: opening hours as people write them, and distances on the map."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

MAX_HOURS_CHARS = 500
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

# Times that the tag leaves open, or that depend on the sun: the library would fill them in.
_UNSTATED_TIMES = re.compile(r"\d\+|sunrise|sunset|dawn|dusk", re.IGNORECASE)
_LONGEST_NIGHT = timedelta(hours=12)  # what ends later belongs to the next day's line
_EARTH_RADIUS_METERS = 6_371_008.8  # the mean radius
METERS_PER_MILE = 1609.344


def list_weekly_hours(tag: str, *, today: date, country: str | None = None) -> tuple[str, ...]:
    """Lines such as "Thursday: 06:59-17:00" for the week of `today`, Monday first.

    Empty if the tag is invalid, too long, or does not state the times: no line is ever guessed.
    `country` (ISO 3166-1 alpha-2) tells which days are public holidays.
    """
    if len(tag) > MAX_HOURS_CHARS or _UNSTATED_TIMES.search(tag):
        return ()
    monday = datetime.combine(today - timedelta(days=today.weekday()), time())
    spans = _read_open_spans(tag, monday, country)
    if spans is None:
        return ()
    by_day: list[list[str]] = [[] for _ in WEEKDAYS]
    for start, end in spans:
        if monday <= start < monday + timedelta(days=len(WEEKDAYS)):
            closing = "24:00" if end.time() == time() and end > start else f"{end:%H:%M}"
            by_day[start.weekday()].append(f"{start:%H:%M}-{closing}")
    return tuple(
        f"{name}: {', '.join(times) or 'closed'}"
        for name, times in zip(WEEKDAYS, by_day, strict=True)
    )


def _read_open_spans(
    tag: str, monday: datetime, country: str | None
) -> list[tuple[datetime, datetime]] | None:
    """The times of the week at which the tag says open; None if it says nothing certain."""
    import opening_hours

    stated = tag.encode("utf-8", "replace").decode()
    if not opening_hours.validate(stated):
        return None
    try:
        rules = opening_hours.OpeningHours(stated, country=country)
    except opening_hours.UnknownCountryError:  # type: ignore[attr-defined]  # missing in its stubs
        rules = opening_hours.OpeningHours(stated)
    # A day more on each side, so that no span of the week is cut at its ends.
    week = rules.intervals(monday - timedelta(days=1), monday + timedelta(days=8))
    spans: list[tuple[datetime, datetime]] = []
    for start, end, state, _comment in week:
        if state == opening_hours.State.UNKNOWN:
            return None
        if state == opening_hours.State.OPEN:
            spans += _split_at_midnight(start, end)
    return spans


def _split_at_midnight(start: datetime, end: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Spans of one day each; a night that ends before noon stays with the day it began."""
    midnight = datetime.combine(start.date() + timedelta(days=1), time())
    while end - midnight >= _LONGEST_NIGHT:
        yield start, midnight
        start, midnight = midnight, midnight + timedelta(days=1)
    yield start, end


# Distances between points on the map.


def is_map_point(latitude: float, longitude: float) -> bool:
    """Whether these are finite WGS-84 coordinates within their ranges."""
    # Not a number fails both comparisons.
    return -90 <= latitude <= 90 and -180 <= longitude <= 180


def measure_distance(
    latitude: float, longitude: float, other_latitude: float, other_longitude: float
) -> float:
    """Metres along the great circle, by the haversine formula."""
    start, end = math.radians(latitude), math.radians(other_latitude)
    across = math.radians(other_longitude - longitude)
    half_chord = (
        math.sin((end - start) / 2) ** 2
        + math.cos(start) * math.cos(end) * math.sin(across / 2) ** 2
    )
    return 2 * _EARTH_RADIUS_METERS * math.asin(math.sqrt(min(1.0, half_chord)))
