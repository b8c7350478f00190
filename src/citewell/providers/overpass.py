"""Overpass: queries OpenStreetMap's data around a point, with hours and contacts; no key."""

from __future__ import annotations

import re
from collections.abc import Mapping

from citewell.core.errors import InvalidInput, RateLimited, RejectedRequest, UpstreamUnavailable
from citewell.domains.place_records import OSM_ATTRIBUTION, Place, PlaceHits, PlaceLookup
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects.brave_places import build_osm_place, format_element_id
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.text.places import measure_distance

SPEC = ProviderSpec(
    name="overpass",
    title="OpenStreetMap (Overpass)",
    homepage="https://wiki.openstreetmap.org/wiki/Overpass_API",
    base_url="https://overpass-api.de/api",
    offers=frozenset({Offer.PLACES}),
    applied_arguments={Offer.PLACES: frozenset({"near", "latitude", "longitude", "radius"})},
    max_results=20,
    per_second=1.0,
    burst=3,
    rank=20,
    covers_whole_web=False,
    terms=f"ODbL: show {OSM_ATTRIBUTION}. Two requests at a time; anonymous clients are refused.",
    test_evidence="four recorded answers, none of them of a search around a point",
)

_SLOTS = 2  # requests at a time for one address
_QUERY_SECONDS = 10  # the server stops then; our own limit is the operator's
_MAX_ELEMENTS = 300
_MAX_QUERY_BYTES = 64 * 2**20  # memory that one query may take of the server
_REST_SECONDS = 30.0  # the least that its maintainers ask for after a 429
_STEPS_METERS = (500.0, 2_500.0, 15_000.0)  # wider and wider, until enough is found
_MAX_RADIUS_METERS = 50_000.0
_MAX_NAME_CHARS = 80
_NOT_ACCEPTABLE = 406
_LISTED_KEYS = frozenset({"cuisine", "sport", "craft"})  # their values are lists: "pizza;pasta"
_TAG_PATTERN = re.compile(r"[a-z_:]{1,40}=[a-z0-9_*-]{1,40}")
_PLAIN_CHAR_PATTERN = re.compile(r"[^\w ]")


class _MapCenter(wire.ResponsePart):
    lat: float
    lon: float


class _MapBounds(wire.ResponsePart):
    minlat: float
    minlon: float
    maxlat: float
    maxlon: float


class _MapElement(wire.ResponsePart):
    type: str
    id: int
    lat: wire.OptionalField[float] = None
    lon: wire.OptionalField[float] = None
    center: wire.OptionalField[_MapCenter] = None
    bounds: wire.OptionalField[_MapBounds] = None
    tags: wire.OptionalField[dict[str, str]] = None


class _OverpassResponse(wire.JsonResponse):
    elements: wire.TolerantItems[_MapElement]
    remark: wire.OptionalField[str] = None


class Provider(KitProvider):
    def _set_up(self) -> None:
        self._upstream.limit_concurrency(_SLOTS)

    async def search_places(self, query: PlaceLookup) -> PlaceHits:
        """Places around the query's point; the circle grows until there are enough."""
        if query.latitude is None or query.longitude is None:
            raise InvalidInput("Overpass searches around a point: give near or coordinates.")
        places: tuple[Place, ...] = ()
        largest = min(query.radius or _STEPS_METERS[-1], _MAX_RADIUS_METERS)
        for radius in (*(step for step in _STEPS_METERS if step < largest), largest):
            asked = build_overpass_query(query, radius)
            places = _list_nearest(read_overpass_places(await self._send_query(asked)), query)
            if len(places) >= query.count:
                break
        return PlaceHits(places=places[: query.count], attribution=OSM_ATTRIBUTION)

    async def _send_query(self, asked: str) -> HttpResponse:
        try:
            response = await self._upstream.send_post(
                "/interpreter",
                form={"data": asked},
                accept=(_NOT_ACCEPTABLE,),
                idempotent=False,  # an overloaded server is left alone
            )
        except RateLimited as error:
            self._upstream.pause_requests(max(_REST_SECONDS, error.retry_after or 0.0))
            raise
        if response.status == _NOT_ACCEPTABLE:
            raise RejectedRequest(
                "Overpass refuses clients that do not say who runs them. Set CITEWELL_CONTACT to "
                "your mail address or page.",
                provider=SPEC.name,
                detail="HTTP 406",
                settings=("CITEWELL_CONTACT",),
                remedy="CITEWELL_CONTACT=<your mail address or page>",
            )
        return response


def build_overpass_query(query: PlaceLookup, radius: float) -> str:
    """The query in Overpass's language; no character of the user's text has a meaning in it."""
    around = f"nwr(around:{radius:.0f},{query.latitude:.6f},{query.longitude:.6f})"
    # A filter by name in which everything but letters, digits and spaces matches any character.
    plain = _PLAIN_CHAR_PATTERN.sub(".", (query.name or "")[:_MAX_NAME_CHARS]).strip()
    name = f'["name"~"{plain}",i]' if plain.strip(". ") else ""
    kinds = [_build_kind_filter(kind) for kind in query.kinds] or [""]
    wanted = "".join(f"{around}{kind}{name};" for kind in kinds if kind or name)
    if not wanted:
        raise InvalidInput("Overpass needs a kind of place or a name to search for.")
    settings = f"[out:json][timeout:{_QUERY_SECONDS}][maxsize:{_MAX_QUERY_BYTES}];"
    return f"{settings}({wanted});out center tags {_MAX_ELEMENTS};"


def _build_kind_filter(kind: str) -> str:
    filters = ""
    for tag in kind.split(","):
        if not _TAG_PATTERN.fullmatch(tag):
            raise InvalidInput(f"{tag[:80]!r} is not a tag of OpenStreetMap.")
        key, value = tag.split("=")
        if value == "*":
            filters += f'["{key}"]'
        elif key in _LISTED_KEYS:
            filters += f'["{key}"~"(^|;) *{value} *(;|$)"]'
        else:
            filters += f'["{key}"="{value}"]'
    return filters


def read_overpass_places(response: HttpResponse) -> tuple[Place, ...]:
    """The named places of a response; raises UpstreamUnavailable for an error sent with status 200."""
    answer = wire.read_json_response(_OverpassResponse, response)
    if "error" in (answer.remark or "").lower():
        raise UpstreamUnavailable(
            "Overpass broke the query off: it is overloaded, or the area is too large.",
            provider=response.provider,
        )
    return tuple(filter(None, map(_parse_overpass_element, answer.elements)))


def _parse_overpass_element(element: _MapElement) -> Place | None:
    tags: Mapping[str, str] = element.tags or {}
    point = _find_element_point(element)
    if point is None:
        return None
    return build_osm_place(
        tags,
        source=SPEC.name,
        place_id=format_element_id(element.type, element.id),
        latitude=point.lat,
        longitude=point.lon,
    )


def _find_element_point(element: _MapElement) -> _MapCenter | None:
    """A node's own point, or the middle of a way or relation."""
    if element.center is not None:
        return element.center
    if element.lat is not None and element.lon is not None:
        return _MapCenter(lat=element.lat, lon=element.lon)
    if (box := element.bounds) is not None:
        return _MapCenter(lat=(box.minlat + box.maxlat) / 2, lon=(box.minlon + box.maxlon) / 2)
    return None


def _list_nearest(places: tuple[Place, ...], query: PlaceLookup) -> tuple[Place, ...]:
    """Sorted by distance, because `out` cuts its list without an order."""

    def measure_from_anchor(place: Place) -> float:
        return measure_distance(
            query.latitude or 0.0,
            query.longitude or 0.0,
            place.lat or 0.0,
            place.lon or 0.0,
        )

    return tuple(sorted(places, key=measure_from_anchor))
