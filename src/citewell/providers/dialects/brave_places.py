"""Brave's local search in three calls: locations, their details, and their descriptions."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Annotated
from urllib.parse import quote

from pydantic import Field

from citewell.core.errors import UpstreamError
from citewell.domains.place_records import Place, PlaceHits, PlaceLookup
from citewell.net.upstream import json_responses as wire
from citewell.net.upstream.upstream_client import Upstream
from citewell.text.addresses import is_web_address
from citewell.text.places import is_country_code, is_map_point, measure_distance
from citewell.text.safety.text_cleaning import clean_markup

# Keys that say what a thing is, the most telling first.
KIND_KEYS = (
    "amenity", "shop", "tourism", "leisure", "office", "craft", "healthcare", "historic",
    "railway", "public_transport", "aeroway", "man_made", "natural", "sport", "building",
)  # fmt: skip
_NAME_KEYS = ("name", "name:en", "int_name", "brand", "operator")
_PHONE_KEYS = ("phone", "contact:phone", "contact:mobile", "mobile")
_WEBSITE_KEYS = ("website", "contact:website", "url", "brand:website")
_MAX_CATEGORIES = 6
_MAX_FIELD_CHARS = 300
_ELEMENT_LETTERS = {"node": "N", "way": "W", "relation": "R", "n": "N", "w": "W", "r": "R"}

_SOURCE = "brave"
_MAX_IDS = 20
_MAX_HEADER_CHARS = 200
_MAX_RATING = 5.0
_MAX_DAYS = 7
_JSON_ONLY = {"Accept": "application/json"}
_CLOCK_PATTERN = r"^(?:[01]\d|2[0-4]):[0-5]\d$"

_ClockTime = Annotated[str, Field(pattern=_CLOCK_PATTERN)]
_LocationId = Annotated[str, Field(min_length=1, max_length=500)]


class _BraveLocation(wire.ResponsePart):
    id: _LocationId


class _BraveLocations(wire.ResponsePart):
    results: wire.TolerantItems[_BraveLocation] = ()


class _LocationsResponse(wire.JsonResponse):
    type: wire.OptionalField[str] = None
    query: wire.OptionalField[dict[str, object]] = None
    locations: _BraveLocations | None = None  # absent when nothing was found


class _OpenTime(wire.ResponsePart):
    full_name: Annotated[str, Field(pattern=r"^[A-Z][a-z]{5,8}$")]
    opens: _ClockTime
    closes: _ClockTime


class _OpeningHours(wire.ResponsePart):
    current_day: wire.OptionalField[wire.TolerantItems[_OpenTime]] = None
    days: wire.OptionalField[wire.TolerantItems[wire.TolerantItems[_OpenTime]]] = None


class _PointOfInterest(wire.ResponsePart):
    id: _LocationId
    title: wire.OptionalField[str] = None
    url: wire.OptionalField[wire.HttpLink] = None
    coordinates: wire.OptionalField[Annotated[list[float], Field(min_length=2, max_length=2)]] = (
        None
    )
    address: wire.OptionalField[str] = wire.nested_field("postal_address.displayAddress")
    telephone: wire.OptionalField[str] = wire.nested_field("contact.telephone")
    categories: wire.OptionalField[wire.TolerantItems[str]] = None
    rating: wire.OptionalField[float] = wire.nested_field("rating.ratingValue")
    best_rating: wire.OptionalField[float] = wire.nested_field("rating.bestRating")
    review_count: wire.OptionalField[int] = wire.nested_field("rating.reviewCount")
    opening_hours: wire.OptionalField[_OpeningHours] = None


class _DetailsResponse(wire.JsonResponse):
    results: wire.TolerantItems[_PointOfInterest]


class _PlaceDescription(wire.ResponsePart):
    id: _LocationId
    description: str


class _DescriptionsResponse(wire.JsonResponse):
    results: wire.TolerantItems[_PlaceDescription]


async def search_brave_places(upstream: Upstream, query: PlaceLookup) -> PlaceHits:
    """The places for a query. Location ids live for this call only, and nothing keeps them."""
    ids = await _list_location_ids(upstream, query)
    if not ids:
        return PlaceHits()
    asked = [("ids", location_id) for location_id in ids]
    response = await upstream.send_get(
        "/local/pois", params=[*asked, ("units", query.units)], headers=_JSON_ONLY
    )
    found = [
        poi for poi in wire.read_json_response(_DetailsResponse, response).results if poi.title
    ]
    texts = await _fetch_descriptions(upstream, asked)
    places = (_parse_brave_place(poi, texts.get(poi.id)) for poi in found)
    return PlaceHits(places=tuple(place for place in places if place)[: query.count])


async def _list_location_ids(upstream: Upstream, query: PlaceLookup) -> tuple[str, ...]:
    response = await upstream.send_get(
        "/web/search",
        params={"q": query.query, "result_filter": "locations", "count": str(_MAX_IDS)},
        headers={**_JSON_ONLY, "Api-Version": "2023-01-01"},
        # Where somebody is must not be logged, so these travel like a key.
        secret_headers=_build_location_headers(query),
    )
    answer = wire.read_json_response(_LocationsResponse, response)
    listed = answer.locations.results if answer.locations else ()
    return tuple(dict.fromkeys(location.id for location in listed))[:_MAX_IDS]


def _build_location_headers(query: PlaceLookup) -> dict[str, str]:
    """The point if there is one; otherwise the named place and the country."""
    headers = {}
    if query.latitude is not None and query.longitude is not None:
        headers["X-Loc-Lat"] = f"{query.latitude:.6f}"
        headers["X-Loc-Long"] = f"{query.longitude:.6f}"
    elif query.near:
        # The text in ASCII: without accents, or percent-encoded if it has other letters.
        folded = unicodedata.normalize("NFKD", query.near[:_MAX_HEADER_CHARS])
        plain = "".join(char for char in folded if not unicodedata.combining(char))
        headers["X-Loc-City"] = (
            plain
            if plain.isascii() and plain.isprintable()
            else quote(query.near[:_MAX_HEADER_CHARS])
        )
    if query.country:
        headers["X-Loc-Country"] = query.country
    return headers


async def _fetch_descriptions(upstream: Upstream, asked: list[tuple[str, str]]) -> dict[str, str]:
    """The descriptions by id; none if that call fails, for the places are worth having without."""
    try:
        response = await upstream.send_get("/local/descriptions", params=asked, headers=_JSON_ONLY)
        listed = wire.read_json_response(_DescriptionsResponse, response).results
    except UpstreamError:
        return {}
    return {place.id: clean_markup(place.description) for place in listed}


def _parse_brave_place(poi: _PointOfInterest, description: str | None) -> Place | None:
    name = clean_tag(poi.title)
    if not name:
        return None
    latitude, longitude = poi.coordinates or (None, None)
    if latitude is None or longitude is None or not is_map_point(latitude, longitude):
        latitude = longitude = None
    rating = poi.rating
    if rating is not None and not 0 <= rating <= (poi.best_rating or _MAX_RATING):
        rating = None
    return Place(
        id=clean_tag(poi.id) or name,
        name=name,
        source=_SOURCE,
        address=clean_tag(poi.address) or None,
        lat=latitude,
        lon=longitude,
        phone=clean_tag(poi.telephone) or None,
        website=poi.url,
        categories=clean_categories(poi.categories or ()),
        rating=rating,
        rating_count=wire.drop_negative_count(poi.review_count),
        hours=_list_brave_hours(poi.opening_hours) or None,
        description=description or None,
    )


def _list_brave_hours(hours: _OpeningHours | None) -> tuple[str, ...]:
    """A line for each day: "Thursday: 06:59-17:00", several times joined by commas."""
    if hours is None:
        return ()
    days = [*(hours.days or ()), hours.current_day or ()]
    by_day: dict[str, list[str]] = {}
    for day in days[: _MAX_DAYS + 1]:
        for span in day:
            line = f"{span.opens}-{span.closes}"
            if line not in (times := by_day.setdefault(span.full_name, [])):
                times.append(line)
    return tuple(f"{name}: {', '.join(times)}" for name, times in by_day.items())


# What the services on OpenStreetMap's data share: names, addresses and contacts from its tags.


def build_osm_place(
    tags: Mapping[str, str],
    *,
    source: str,
    place_id: str | None,
    latitude: float,
    longitude: float,
    address: str | None = None,
) -> Place | None:
    """The place that these tags describe; None without a name, a valid point or an id."""
    name = _pick_tag(tags, _NAME_KEYS)
    if not (place_id and name and is_map_point(latitude, longitude)):
        return None
    # What the thing is, in words: cafe, ice cream, and its cuisines.
    values = [tags[key] for key in KIND_KEYS if tags.get(key)]
    values += [tags["cuisine"]] if tags.get("cuisine") else []
    words = (word for value in values for word in value.split(";"))
    return Place(
        id=place_id,
        name=name,
        source=source,
        address=address or compose_address(tags),
        lat=latitude,
        lon=longitude,
        country=read_country(tags.get("addr:country")),
        phone=_pick_tag(tags, _PHONE_KEYS) or None,
        website=_pick_website(tags),
        categories=clean_categories(words),
        opening_hours=_pick_tag(tags, ("opening_hours",)) or None,
        description=_pick_tag(tags, ("description:en", "description")) or None,
    )


def format_element_id(kind: str | None, number: int | None) -> str | None:
    """The id of a node, way or relation, such as osm:N42; None if it is no valid one."""
    letter = _ELEMENT_LETTERS.get((kind or "").lower())
    return f"osm:{letter}{number}" if letter and number and number > 0 else None


def compose_address(tags: Mapping[str, str]) -> str | None:
    """One line from the addr:* tags: street and number, postcode and city."""
    if full := _pick_tag(tags, ("addr:full",)):
        return full
    street = _pick_tag(tags, ("addr:street", "addr:place"))
    number = _pick_tag(tags, ("addr:housenumber",))
    city = _pick_tag(tags, ("addr:city", "addr:suburb"))
    return join_address(street, number, _pick_tag(tags, ("addr:postcode",)), city)


def join_address(
    street: str | None,
    number: str | None,
    postcode: str | None,
    city: str | None,
    *more: str | None,
) -> str | None:
    """One line of the parts that there are; None if there are none."""
    line = " ".join(part for part in (number, street) if part) if street else ""
    town = " ".join(part for part in (postcode, city) if part)
    parts = dict.fromkeys(part for part in (line, town, *more) if part)
    return ", ".join(parts) or None


def clean_categories(words: Iterable[str]) -> tuple[str, ...]:
    cleaned = (clean_markup(word.replace("_", " "))[:_MAX_FIELD_CHARS] for word in words)
    kept = dict.fromkeys(word for word in cleaned if word and word not in {"yes", "no"})
    return tuple(kept)[:_MAX_CATEGORIES]


def read_country(code: str | None) -> str | None:
    """The upstream's country code in capitals; None if it is absent or unknown."""
    upper = (code or "").strip().upper()
    return upper if is_country_code(upper) else None


def clean_tag(text: str | None) -> str:
    return clean_markup(text)[:_MAX_FIELD_CHARS]


def measure_reach(south: float, north: float, west: float, east: float) -> float | None:
    """Metres from the centre of a box to its corner; None if the numbers are no box."""
    if not (is_map_point(south, west) and is_map_point(north, east)) or north < south:
        return None
    return measure_distance(south, west, north, east) / 2


def _pick_tag(tags: Mapping[str, str], keys: Iterable[str]) -> str:
    return next((text for key in keys if (text := clean_tag(tags.get(key)))), "")


def _pick_website(tags: Mapping[str, str]) -> str | None:
    """The first valid address; one that lacks the scheme gets https."""
    for key in _WEBSITE_KEYS:
        stated = (tags.get(key) or "").split(";")[0].strip()
        if stated and "://" not in stated and "." in stated and " " not in stated:
            stated = f"https://{stated}"
        if is_web_address(stated):
            return stated
    return None
