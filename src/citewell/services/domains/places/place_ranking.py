"""Filters found places by distance and country, sorts them, and builds the results."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from citewell.model.answers.place_results import PlaceResult
from citewell.model.domains.place import Place
from citewell.services.domains.places.place_anchor import PlaceAnchor
from citewell.services.domains.places.place_kinds import fold_words
from citewell.services.domains.places.place_request import PlaceSearchRequest
from citewell.text.dates.opening_hours import list_weekly_hours
from citewell.text.geography.map_distance import METERS_PER_MILE, measure_distance

_ELEMENT_KINDS = {"N": "node", "W": "way", "R": "relation"}
_METERS_PER_KM = 1000.0
_SAME_PLACE_DIGITS = 3  # of a degree: about a hundred metres


def rank_places(
    places: Iterable[Place], ask: PlaceSearchRequest, anchor: PlaceAnchor | None
) -> tuple[Place, ...]:
    """The places within the radius and the country, each once; the nearest first if there is a point."""
    kept = [place for place in _drop_repetitions(places) if _fits_request(place, ask, anchor)]
    if anchor is not None:
        kept.sort(key=lambda place: _choose_order(place, anchor))
    return tuple(kept[: ask.count])


def _fits_request(place: Place, ask: PlaceSearchRequest, anchor: PlaceAnchor | None) -> bool:
    if ask.country and place.country and place.country != ask.country:
        return False
    if not ask.radius or not ask.has_point() or anchor is None:
        return True
    distance = find_distance(place, anchor)
    return distance is not None and distance <= ask.radius


def _drop_repetitions(places: Iterable[Place]) -> Iterable[Place]:
    """Without a second entry of the same name at the same spot, such as a building and its shop."""
    seen = set()
    for place in places:
        spot = (
            fold_words(place.name),
            round(place.latitude or 0.0, _SAME_PLACE_DIGITS),
            round(place.longitude or 0.0, _SAME_PLACE_DIGITS),
        )
        if spot not in seen or place.latitude is None:
            yield place
        seen.add(spot)


def _choose_order(place: Place, anchor: PlaceAnchor) -> float:
    distance = find_distance(place, anchor)
    return float("inf") if distance is None else distance


def find_distance(place: Place, anchor: PlaceAnchor | None) -> float | None:
    """Metres from the anchor; None if either point is unknown."""
    if anchor is None or place.latitude is None or place.longitude is None:
        return None
    return measure_distance(anchor.latitude, anchor.longitude, place.latitude, place.longitude)


def build_place_result(
    place: Place, ask: PlaceSearchRequest, anchor: PlaceAnchor | None, *, today: date
) -> PlaceResult:
    """The place as the caller receives it, with its distance and hours."""
    area = anchor.area if anchor else None
    country = place.country or (area.country if area else None) or ask.country
    hours, description = place.hours, place.description
    if place.opening_hours and not hours:
        hours = list_weekly_hours(place.opening_hours, today=today, country=country)
        if not hours:  # said as it stands, because it cannot be read with certainty
            stated = f"Opening hours as stated: {place.opening_hours}"
            description = f"{description} {stated}" if description else stated
    meters = find_distance(place, anchor)
    return PlaceResult(
        id=place.id,
        name=place.name,
        source=place.source,
        url=_find_map_page(place.id),
        address=place.address,
        lat=place.latitude,
        lon=place.longitude,
        distance=None if meters is None else _convert_distance(meters, ask.units),
        phone=place.phone,
        website=place.website,
        categories=place.categories,
        rating=place.rating,
        rating_count=place.rating_count,
        hours=hours or None,
        description=description,
    )


def _find_map_page(place_id: str) -> str | None:
    """The page of an element of OpenStreetMap, whose id is like osm:N42."""
    prefix, letter, number = place_id[:4], place_id[4:5], place_id[5:]
    kind = _ELEMENT_KINDS.get(letter) if prefix == "osm:" else None
    return f"https://www.openstreetmap.org/{kind}/{number}" if kind else None


def _convert_distance(meters: float, units: str) -> float:
    return round(meters / (METERS_PER_MILE if units == "imperial" else _METERS_PER_KM), 3)
