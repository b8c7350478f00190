"""Nominatim, OpenStreetMap's own search of names: the spare for Photon; no key."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import Field, ValidationError

from citewell.core.errors import MalformedResponse, UpstreamUnavailable
from citewell.domains import place_records
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects import brave_places
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.routing.upstream_refusals import build_stated_refusal
from citewell.text.places import is_map_point

SPEC = ProviderSpec(
    name="nominatim",
    title="Nominatim",
    homepage="https://operations.osmfoundation.org/policies/nominatim/",
    base_url="https://nominatim.openstreetmap.org",
    offers=frozenset({Offer.PLACES, Offer.AREAS}),
    applied_arguments={Offer.PLACES: frozenset({"near", "latitude", "longitude", "country"})},
    max_results=20,
    per_second=1.0,
    rank=40,
    covers_whole_web=False,
    terms=f"ODbL: show {place_records.OSM_ATTRIBUTION}. One request a second for the whole installation.",
    test_evidence="seven recorded answers",
)

_BAD_REQUEST = 400
_DEFAULT_RADIUS_METERS = 5_000.0
_MAX_RADIUS_METERS = 50_000.0
_METERS_PER_DEGREE = 111_320.0
_BOX_NUMBERS = 4
_MIN_COSINE = 0.01  # keeps the box finite at the poles

_Texts = dict[str, Any]


class _NamedThing(wire.ResponsePart):
    lat: float  # sent as texts
    lon: float
    place_id: wire.OptionalField[int] = None
    osm_type: wire.OptionalField[str] = None  # a postcode has no element of its own
    osm_id: wire.OptionalField[int] = None
    category: wire.OptionalField[str] = None
    type: wire.OptionalField[str] = None
    name: wire.OptionalField[str] = None
    display_name: wire.OptionalField[str] = None
    address: wire.OptionalField[_Texts] = None
    extratags: wire.OptionalField[_Texts] = None
    boundingbox: wire.OptionalField[Annotated[list[float], Field(max_length=_BOX_NUMBERS)]] = None


class _ThingList(wire.ResponsePart):
    things: wire.TolerantItems[_NamedThing]


class Provider(KitProvider):
    async def search_places(self, query: place_records.PlaceLookup) -> place_records.PlaceHits:
        params = {"q": query.name or query.subject or query.query, "limit": str(query.count)}
        if query.latitude is not None and query.longitude is not None:
            params |= {"viewbox": _format_search_box(query), "bounded": "1"}
        things = await self._search_things(params | _build_country_param(query.country))
        places = filter(None, map(_parse_nominatim_place, things))
        return place_records.PlaceHits(
            places=tuple(places)[: query.count], attribution=place_records.OSM_ATTRIBUTION
        )

    async def find_areas(
        self, query: place_records.AreaQuery
    ) -> tuple[place_records.NamedArea, ...]:
        params = {"q": query.name, "limit": str(query.count)}
        things = await self._search_things(params | _build_country_param(query.country))
        return tuple(filter(None, map(_parse_nominatim_area, things)))[: query.count]

    async def _search_things(self, params: dict[str, str]) -> tuple[_NamedThing, ...]:
        fixed = {
            "format": "jsonv2",
            "addressdetails": "1",
            "extratags": "1",
            "accept-language": "en",
        }
        response = await self._upstream.send_get(
            "/search", params=params | fixed, accept=(_BAD_REQUEST,)
        )
        if response.status == _BAD_REQUEST:
            raise build_stated_refusal(response)
        return read_nominatim_things(response)


def read_nominatim_things(response: HttpResponse) -> tuple[_NamedThing, ...]:
    """The things of a response, which is a bare list, or one thing for a reverse search."""
    body = response.parse_json()
    if isinstance(body, dict) and body.get("error"):
        message = "The upstream returned an error instead of results."
        raise UpstreamUnavailable(message, provider=response.provider)
    listed = [body] if isinstance(body, dict) and "lat" in body else body
    try:
        return _ThingList.model_validate(
            {"things": listed if isinstance(listed, list) else 0}
        ).things
    except ValidationError:
        message = "The response is not the documented list of places."
        raise MalformedResponse(message, provider=response.provider) from None


def _build_country_param(country: str | None) -> dict[str, str]:
    return {"countrycodes": country.lower()} if country else {}


def _format_search_box(query: place_records.PlaceLookup) -> str:
    """The box around the circle to search: west, north, east, south."""
    latitude, longitude = query.latitude or 0.0, query.longitude or 0.0
    reach = min(query.radius or _DEFAULT_RADIUS_METERS, _MAX_RADIUS_METERS)
    high = reach / _METERS_PER_DEGREE
    # A degree of longitude is as much shorter as the circle of latitude is.
    wide = high / max(math.cos(math.radians(latitude)), _MIN_COSINE)
    corners = (
        max(longitude - wide, -180.0),
        min(latitude + high, 90.0),
        min(longitude + wide, 180.0),
        max(latitude - high, -90.0),
    )
    return ",".join(f"{corner:.6f}" for corner in corners)


def _parse_nominatim_place(thing: _NamedThing) -> place_records.Place | None:
    tags, address = _keep_text_values(thing.extratags), _keep_text_values(thing.address)
    tags["name"] = thing.name or _choose_short_name(thing, address)
    if thing.category and thing.type:
        tags[thing.category] = thing.type
    tags["addr:country"] = address.get("country_code", "")
    return brave_places.build_osm_place(
        tags,
        source=SPEC.name,
        # A postcode is no element of the map; it has only Nominatim's own number.
        place_id=brave_places.format_element_id(thing.osm_type, thing.osm_id)
        or (f"nominatim:{thing.place_id}" if thing.place_id else None),
        latitude=thing.lat,
        longitude=thing.lon,
        address=_compose_nominatim_address(address)
        or brave_places.clean_tag(thing.display_name)
        or None,
    )


def _choose_short_name(thing: _NamedThing, address: dict[str, str]) -> str:
    """The first part of the long name; number and street if that is only the number."""
    first = (thing.display_name or "").partition(",")[0]
    if first and first == address.get("house_number") and "road" in address:
        return f"{first} {address['road']}"
    return first


def _parse_nominatim_area(thing: _NamedThing) -> place_records.NamedArea | None:
    label = brave_places.clean_tag(thing.display_name) or brave_places.clean_tag(thing.name)
    if not label or not is_map_point(thing.lat, thing.lon):
        return None
    return place_records.NamedArea(
        label=label,
        latitude=thing.lat,
        longitude=thing.lon,
        country=brave_places.read_country(_keep_text_values(thing.address).get("country_code")),
        reach_meters=_measure_bounding_box(thing.boundingbox),
    )


def _measure_bounding_box(box: list[float] | None) -> float | None:
    if not box or len(box) != _BOX_NUMBERS:
        return None
    south, north, west, east = box
    return brave_places.measure_reach(south, north, west, east)


def _compose_nominatim_address(parts: dict[str, str]) -> str | None:
    town = next((parts[key] for key in ("city", "town", "village", "hamlet") if key in parts), None)
    return brave_places.join_address(
        brave_places.clean_tag(parts.get("road")),
        brave_places.clean_tag(parts.get("house_number")),
        brave_places.clean_tag(parts.get("postcode")),
        brave_places.clean_tag(town),
        brave_places.clean_tag(parts.get("country")),
    )


def _keep_text_values(tags: _Texts | None) -> dict[str, str]:
    return {key: value for key, value in (tags or {}).items() if isinstance(value, str)}
