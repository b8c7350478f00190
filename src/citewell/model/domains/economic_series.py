"""Statistical series: queries to their providers, the series found, and their observations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesQuery:
    """A search for series by words, already validated."""

    text: str
    count: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationQuery:
    """A request for the observations of one series or data set, already validated."""

    series_id: str
    count: int = 10
    country: str | None = None  # ISO 3166-1 alpha-3, or the World Bank's code of a group
    first_day: str | None = None  # ISO 8601; with it the oldest observations come first
    last_day: str | None = None
    frequency: str | None = None  # d, w, m, q or a
    units: str | None = None  # a transformation of FRED


@dataclass(frozen=True, slots=True, kw_only=True)
class EconomicSeries:
    """A series or data set, as its provider's catalogue describes it."""

    series_id: str
    title: str
    units: str | None = None
    frequency: str | None = None
    last_updated: str | None = None  # as the provider writes it, or an ISO 8601 day
    notes: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesHits:
    series: tuple[EconomicSeries, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesObservation:
    """One value; `title` and `units` tell the series of one data set apart."""

    series_id: str
    date: str | None  # the period: 2024, 2024-Q1, 2024-03, 2024-03-31; data of one time have none
    value: str | None = None  # exactly as the provider writes it; None if it is missing
    title: str | None = None
    units: str | None = None
    notes: str | None = None  # status flags


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationList:
    observations: tuple[SeriesObservation, ...] = ()
    title: str | None = None  # of the series or data set
    country: str | None = None  # the provider's code, if it was asked for a country
    notes: tuple[str, ...] = ()
