"""Places of the world: opening hours in words, distances on the map, countries and languages by code or name."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from importlib import resources

from citewell.text.data_tables import load_table, load_words

MAX_HOURS_CHARS = 500
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

# Times that the tag leaves open, or that depend on the sun: the library would fill them in.
_UNSTATED_TIMES = re.compile(r"\d\+|sunrise|sunset|dawn|dusk", re.IGNORECASE)
_LONGEST_NIGHT = timedelta(hours=12)  # what ends later belongs to the next day's line
_EARTH_RADIUS_METERS = 6_371_008.8  # the mean radius
METERS_PER_MILE = 1609.344
_LANGUAGE_TAG_PATTERN = re.compile(r"([a-z]{2})(?:-([A-Z]{2}))?")

_NAMES_FILE = "country_names.txt"  # two codes, then the English names, the usual one first
_MAX_NEAR_NAMES = 4
_MIN_LIKENESS = 0.6
_MAX_COUNTRY_CHARS = 80

_ALIASES = {"UK": "GBR", "EL": "GRC"}  # codes that are not ISO's

# Where an office departs from the plain rule: two letters (Eurostat, ECB) or three (the others).
_SPECIAL_CODES = {
    "eurostat": {"GBR": "UK", "GRC": "EL", "EUU": "EU27_2020", "EMU": "EA20"},
    "ecb": {"EMU": "U2", "EUU": "B0"},
    "worldbank": {},
    "oecd": {"EUU": "EU27_2020", "EMU": "EA20", "OED": "OECD", "WLD": "W"},
    "imf": {"WLD": "G001", "EMU": "G163", "EUU": "G998", "XKX": "KOS"},
}
_TWO_LETTER_OFFICES = frozenset({"eurostat", "ecb"})


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CountryEntry:
    """A country, or a group of countries, which has no code of two letters."""

    code: str  # ISO 3166-1 alpha-3, or the World Bank's code of a group
    short_code: str | None
    name: str


def find_country(text: str) -> CountryEntry | None:
    """The country with this code or English name, in any case; None if there is none."""
    return _load_country_index().get(_fold_country(text))


def suggest_countries(text: str) -> tuple[str, ...]:
    """The names most like this text, with their codes; empty if none is."""
    from difflib import get_close_matches

    index = _load_country_index()
    wanted = _fold_country(text)
    near = get_close_matches(wanted, index, n=_MAX_NEAR_NAMES * 2, cutoff=_MIN_LIKENESS)
    entries = dict.fromkeys(index[key] for key in near)
    return tuple(f"{entry.name} ({entry.code})" for entry in entries)[:_MAX_NEAR_NAMES]


def choose_office_code(code: str, office: str) -> str | None:
    """The code by which this office knows a country; None if it has none for the group.

    `code` is that of a CountryEntry; `office` is eurostat, ecb, worldbank, oecd or imf.
    """
    special = _SPECIAL_CODES[office].get(code)
    if special:
        return special
    if code in load_table(__package__, "country_groups"):
        return code if office == "worldbank" else None
    entry = find_country(code)
    if entry is None:
        return None
    return entry.short_code if office in _TWO_LETTER_OFFICES else entry.code


@cache
def _load_country_index() -> dict[str, CountryEntry]:
    found: dict[str, CountryEntry] = {}
    listed = resources.files(__package__).joinpath(_NAMES_FILE).read_text(encoding="utf-8")
    for line in listed.splitlines():
        short, code, listed_names = line.split(" ", 2)
        names = listed_names.split("; ")
        entry = CountryEntry(code=code, short_code=short, name=names[0])
        found |= {_fold_country(key): entry for key in (short, code, *names)}
    # Groups of countries, by the World Bank's codes.
    for code, group_names in load_table(__package__, "country_groups").items():
        entry = CountryEntry(code=code, short_code=None, name=group_names[0])
        found |= {_fold_country(key): entry for key in (code, *group_names)}
    return found | {
        _fold_country(alias): found[_fold_country(code)] for alias, code in _ALIASES.items()
    }


def _fold_country(text: str) -> str:
    """Letters, digits and single spaces in lower case, without accents, "the" and full stops."""
    plain = unicodedata.normalize("NFKD", text[:_MAX_COUNTRY_CHARS]).casefold()
    kept = "".join(
        sign if sign.isalnum() else "" if sign in ".'’" or unicodedata.combining(sign) else " "
        for sign in plain.replace("&", " and ")
    )
    return " ".join(word for word in kept.split() if word != "the")


# Language codes (ISO 639-1) and country codes (ISO 3166-1 alpha-2).


def is_language_code(code: str) -> bool:
    """Whether this is a known language code, with or without a region: de, pt-BR."""
    match = _LANGUAGE_TAG_PATTERN.fullmatch(code)
    if match is None or match[1] not in load_words(__package__, "locale_codes", "language_codes"):
        return False
    return match[2] is None or match[2] in load_words(__package__, "locale_codes", "country_codes")


def is_country_code(code: str) -> bool:
    return code in load_words(__package__, "locale_codes", "country_codes")
