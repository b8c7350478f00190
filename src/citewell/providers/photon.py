"""Photon: searches OpenStreetMap's names and finds where a named area is; no key."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from citewell.domains import place_records
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects import brave_places
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.routing.upstream_refusals import read_stated_json
from citewell.text.places import is_map_point

SPEC = ProviderSpec(
    name="photon",
    title="Photon",
    homepage="https://photon.komoot.io",
    base_url="https://photon.komoot.io",
    offers=frozenset({Offer.PLACES, Offer.AREAS}),
    applied_arguments={Offer.PLACES: frozenset({"near", "latitude", "longitude"})},
    max_results=20,
    per_second=1.0,
    rank=30,
    covers_whole_web=False,
    terms=f"ODbL: show {place_records.OSM_ATTRIBUTION}. Extensive use is throttled or banned.",
    test_evidence="eight recorded answers",
)

_DEFAULT_RADIUS_KM = 5.0
_MAX_RADIUS_KM = 50.0
_BOX_NUMBERS = 4

_Coordinates = Annotated[list[float], Field(min_length=2, max_length=3)]


class _PhotonGeometry(wire.ResponsePart):
    coordinates: _Coordinates  # longitude first


class _PhotonProperties(wire.ResponsePart):
    osm_id: int
    osm_type: str
    osm_key: wire.OptionalField[str] = None
    osm_value: wire.OptionalField[str] = None
    name: wire.OptionalField[str] = None
    housenumber: wire.OptionalField[str] = None
    street: wire.OptionalField[str] = None
    postcode: wire.OptionalField[str] = None
    locality: wire.OptionalField[str] = None
    district: wire.OptionalField[str] = None
    city: wire.OptionalField[str] = None
    county: wire.OptionalField[str] = None
    state: wire.OptionalField[str] = None
    country: wire.OptionalField[str] = None
    countrycode: wire.OptionalField[str] = None
    extent: wire.OptionalField[list[float]] = None


class _PhotonFeature(wire.ResponsePart):
    geometry: _PhotonGeometry
    properties: _PhotonProperties


class _FeatureCollection(wire.JsonResponse):
    features: wire.TolerantItems[_PhotonFeature]


class Provider(KitProvider):
    async def search_places(self, query: place_records.PlaceLookup) -> place_records.PlaceHits:
        path, params = _build_photon_request(query)
        features = await self._fetch_features(path, params)
        places = filter(None, map(_parse_photon_place, features))
        return place_records.PlaceHits(
            places=tuple(places)[: query.count], attribution=place_records.OSM_ATTRIBUTION
        )

    async def find_areas(
        self, query: place_records.AreaQuery
    ) -> tuple[place_records.NamedArea, ...]:
        params = [("q", query.name), ("limit", str(query.count)), ("lang", "en")]
        if query.country:
            params.append(("countrycode", query.country))
        features = await self._fetch_features("/api", params)
        return tuple(filter(None, map(_parse_photon_area, features)))[: query.count]

    async def _fetch_features(
        self, path: str, params: list[tuple[str, str]]
    ) -> tuple[_PhotonFeature, ...]:
        response = await self._upstream.send_get(path, params=params, accept=(400,))
        return read_stated_json(_FeatureCollection, response).features


def _build_photon_request(query: place_records.PlaceLookup) -> tuple[str, list[tuple[str, str]]]:
    """A search by kind around the point if both are known, else one by words."""
    params = [("limit", str(query.count)), ("lang", "en")]
    if query.has_point():
        params += [("lat", f"{query.latitude:.6f}"), ("lon", f"{query.longitude:.6f}")]
    if query.kinds and not query.name and query.has_point():
        asked_km = query.radius / 1000 if query.radius else _DEFAULT_RADIUS_KM
        params.append(("radius", f"{min(asked_km, _MAX_RADIUS_KM):g}"))
        params += [("include", _format_photon_category(kind)) for kind in query.kinds]
        return "/reverse", params
    params.insert(0, ("q", query.name or query.subject or query.query))
    if query.country:
        params.append(("countrycode", query.country))
    return "/api", params


def _format_photon_category(kind: str) -> str:
    """amenity=cafe as osm.amenity.cafe; Photon knows the first tag of a kind only."""
    key, _, value = kind.partition(",")[0].partition("=")
    return f"osm.{key}" if value == "*" else f"osm.{key}.{value}"


def _parse_photon_place(feature: _PhotonFeature) -> place_records.Place | None:
    about, (longitude, latitude) = feature.properties, feature.geometry.coordinates[:2]
    tags = {
        "name": about.name or _format_house_address(about),
        "addr:country": about.countrycode or "",
    }
    if about.osm_key and about.osm_value:
        tags[about.osm_key] = about.osm_value
    return brave_places.build_osm_place(
        tags,
        source=SPEC.name,
        place_id=brave_places.format_element_id(about.osm_type, about.osm_id),
        latitude=latitude,
        longitude=longitude,
        address=_compose_photon_address(about),
    )


def _parse_photon_area(feature: _PhotonFeature) -> place_records.NamedArea | None:
    about, (longitude, latitude) = feature.properties, feature.geometry.coordinates[:2]
    if not is_map_point(latitude, longitude):
        return None
    name = brave_places.clean_tag(about.name) or brave_places.clean_tag(
        _format_house_address(about)
    )
    wider = (about.city, about.county, about.state, about.country)
    parts = dict.fromkeys(part for part in (name, *map(brave_places.clean_tag, wider)) if part)
    if not parts:
        return None
    return place_records.NamedArea(
        label=", ".join(parts),
        latitude=latitude,
        longitude=longitude,
        country=brave_places.read_country(about.countrycode),
        reach_meters=_measure_photon_extent(about.extent),
    )


def _format_house_address(about: _PhotonProperties) -> str:
    """Number and street, which a house without a name is known by."""
    return " ".join(part for part in (about.housenumber, about.street) if part)


def _measure_photon_extent(extent: list[float] | None) -> float | None:
    if not extent or len(extent) != _BOX_NUMBERS:
        return None
    west, north, east, south = extent
    return brave_places.measure_reach(south, north, west, east)


def _compose_photon_address(about: _PhotonProperties) -> str | None:
    postcode = brave_places.clean_tag(about.postcode).partition(";")[
        0
    ]  # a city lists all of its own
    return brave_places.join_address(
        brave_places.clean_tag(about.street),
        brave_places.clean_tag(about.housenumber),
        postcode,
        brave_places.clean_tag(about.city or about.district or about.locality),
        brave_places.clean_tag(about.country),
    )
