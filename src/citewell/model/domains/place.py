"""Places on the map: queries to providers, and the places and areas they return."""

from __future__ import annotations

from dataclasses import dataclass

OSM_ATTRIBUTION = "© OpenStreetMap contributors"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceQuery:
    """One query to one provider of places, already validated."""

    text: str  # as the caller wrote it
    subject: str | None = None  # the text without the words that say where
    kinds: tuple[str, ...] = ()  # OSM tags such as amenity=cafe; "a=b,c=d" needs both
    name: str | None = None  # words of a place's own name
    near: str | None = None
    latitude: float | None = None  # given together with longitude
    longitude: float | None = None
    radius_meters: float | None = None
    country: str | None = None
    units: str = "metric"
    count: int = 5

    def has_anchor(self) -> bool:
        return self.latitude is not None and self.longitude is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place as its provider describes it; what it does not state is absent."""

    id: str
    name: str
    source: str  # the provider's name
    address: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    country: str | None = None  # ISO 3166-1 alpha-2
    phone: str | None = None
    website: str | None = None
    categories: tuple[str, ...] = ()
    rating: float | None = None
    rating_count: int | None = None
    hours: tuple[str, ...] = ()  # in the form "Thursday: 06:59-17:00"
    opening_hours: str | None = None  # in the language of OSM's tag, still to be read
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceHits:
    places: tuple[Place, ...] = ()
    notes: tuple[str, ...] = ()
    attribution: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaQuery:
    """The name of a city, district, street or landmark, to be found on the map."""

    name: str
    country: str | None = None
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedArea:
    """Where a named city, district, street or landmark is."""

    label: str
    latitude: float
    longitude: float
    country: str | None = None
    reach_meters: float | None = None  # from its centre to the corner of its box
