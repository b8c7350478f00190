"""Brave's local search in three calls: locations, their details, and their descriptions."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Annotated
from urllib.parse import quote

from pydantic import Field

from citewell.dialects.json_responses import (
    HttpLink,
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
    drop_negative_count,
    read_json_response,
)
from citewell.dialects.osm_places import clean_categories, clean_tag
from citewell.errors import UpstreamError
from citewell.model.domains.place import Place, PlaceHits, PlaceQuery
from citewell.net.upstream.upstream_client import Upstream
from citewell.text.geography.map_distance import is_map_point
from citewell.text.safety.markup_cleaning import clean_markup

_SOURCE = "brave"
_MAX_IDS = 20
_MAX_HEADER_CHARS = 200
_MAX_RATING = 5.0
_MAX_DAYS = 7
_JSON_ONLY = {"Accept": "application/json"}
_CLOCK_PATTERN = r"^(?:[01]\d|2[0-4]):[0-5]\d$"

_ClockTime = Annotated[str, Field(pattern=_CLOCK_PATTERN)]
_LocationId = Annotated[str, Field(min_length=1, max_length=500)]


class _BraveLocation(ResponsePart):
    id: _LocationId


class _BraveLocations(ResponsePart):
    results: TolerantItems[_BraveLocation] = ()


class _LocationsResponse(JsonResponse):
    type: OptionalField[str] = None
    query: OptionalField[dict[str, object]] = None
    locations: _BraveLocations | None = None  # absent when nothing was found


class _PostalAddress(ResponsePart):
    display_address: Annotated[OptionalField[str], Field(alias="displayAddress")] = None


class _PlaceContact(ResponsePart):
    telephone: OptionalField[str] = None


class _PlaceRating(ResponsePart):
    value: Annotated[OptionalField[float], Field(alias="ratingValue")] = None
    best: Annotated[OptionalField[float], Field(alias="bestRating")] = None
    count: Annotated[OptionalField[int], Field(alias="reviewCount")] = None


class _OpenTime(ResponsePart):
    full_name: Annotated[str, Field(pattern=r"^[A-Z][a-z]{5,8}$")]
    opens: _ClockTime
    closes: _ClockTime


class _OpeningHours(ResponsePart):
    current_day: OptionalField[TolerantItems[_OpenTime]] = None
    days: OptionalField[TolerantItems[TolerantItems[_OpenTime]]] = None


class _PointOfInterest(ResponsePart):
    id: _LocationId
    title: OptionalField[str] = None
    url: OptionalField[HttpLink] = None
    coordinates: OptionalField[Annotated[list[float], Field(min_length=2, max_length=2)]] = None
    postal_address: OptionalField[_PostalAddress] = None
    contact: OptionalField[_PlaceContact] = None
    categories: OptionalField[TolerantItems[str]] = None
    rating: OptionalField[_PlaceRating] = None
    opening_hours: OptionalField[_OpeningHours] = None


class _DetailsResponse(JsonResponse):
    results: TolerantItems[_PointOfInterest]


class _PlaceDescription(ResponsePart):
    id: _LocationId
    description: str


class _DescriptionsResponse(JsonResponse):
    results: TolerantItems[_PlaceDescription]


async def search_brave_places(
    upstream: Upstream, key: Mapping[str, str], query: PlaceQuery
) -> PlaceHits:
    """The places for a query. Location ids live for this call only, and nothing keeps them."""
    ids = await _list_location_ids(upstream, key, query)
    if not ids:
        return PlaceHits()
    asked = [("ids", one) for one in ids]
    response = await upstream.send_get(
        "/local/pois",
        params=[*asked, ("units", query.units)],
        headers=_JSON_ONLY,
        secret_headers=key,
    )
    found = [poi for poi in read_json_response(_DetailsResponse, response).results if poi.title]
    texts = await _fetch_descriptions(upstream, key, asked)
    places = (_parse_brave_place(poi, texts.get(poi.id)) for poi in found)
    return PlaceHits(places=tuple(place for place in places if place)[: query.count])


async def _list_location_ids(
    upstream: Upstream, key: Mapping[str, str], query: PlaceQuery
) -> tuple[str, ...]:
    response = await upstream.send_get(
        "/web/search",
        params={"q": query.text, "result_filter": "locations", "count": str(_MAX_IDS)},
        headers={**_JSON_ONLY, "Api-Version": "2023-01-01"},
        # Where somebody is must not be logged, so these travel like a key.
        secret_headers={**key, **_build_location_headers(query)},
    )
    answer = read_json_response(_LocationsResponse, response)
    listed = answer.locations.results if answer.locations else ()
    return tuple(dict.fromkeys(location.id for location in listed))[:_MAX_IDS]


def _build_location_headers(query: PlaceQuery) -> dict[str, str]:
    """The point if there is one; otherwise the named place and the country."""
    headers = {}
    if query.latitude is not None and query.longitude is not None:
        headers["X-Loc-Lat"] = f"{query.latitude:.6f}"
        headers["X-Loc-Long"] = f"{query.longitude:.6f}"
    elif query.near:
        headers["X-Loc-City"] = _encode_location_header(query.near)
    if query.country:
        headers["X-Loc-Country"] = query.country
    return headers


def _encode_location_header(text: str) -> str:
    """The text in ASCII: without accents, or percent-encoded if it has other letters."""
    folded = unicodedata.normalize("NFKD", text[:_MAX_HEADER_CHARS])
    plain = "".join(char for char in folded if not unicodedata.combining(char))
    return plain if plain.isascii() and plain.isprintable() else quote(text[:_MAX_HEADER_CHARS])


async def _fetch_descriptions(
    upstream: Upstream, key: Mapping[str, str], asked: list[tuple[str, str]]
) -> dict[str, str]:
    """The descriptions by id; none if that call fails, for the places are worth having without."""
    try:
        response = await upstream.send_get(
            "/local/descriptions", params=asked, headers=_JSON_ONLY, secret_headers=key
        )
        listed = read_json_response(_DescriptionsResponse, response).results
    except UpstreamError:
        return {}
    return {one.id: clean_markup(one.description) for one in listed}


def _parse_brave_place(poi: _PointOfInterest, description: str | None) -> Place | None:
    name = clean_tag(poi.title)
    if not name:
        return None
    latitude, longitude = poi.coordinates or (None, None)
    if latitude is None or longitude is None or not is_map_point(latitude, longitude):
        latitude = longitude = None
    rating = poi.rating or _PlaceRating()
    return Place(
        id=clean_tag(poi.id) or name,
        name=name,
        source=_SOURCE,
        address=clean_tag(poi.postal_address.display_address if poi.postal_address else "") or None,
        latitude=latitude,
        longitude=longitude,
        phone=clean_tag(poi.contact.telephone if poi.contact else "") or None,
        website=poi.url,
        categories=clean_categories(poi.categories or ()),
        rating=_keep_rating(rating),
        rating_count=drop_negative_count(rating.count),
        hours=_list_brave_hours(poi.opening_hours),
        description=description or None,
    )


def _keep_rating(rating: _PlaceRating) -> float | None:
    value = rating.value
    return value if value is not None and 0 <= value <= (rating.best or _MAX_RATING) else None


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
