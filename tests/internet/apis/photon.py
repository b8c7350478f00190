"""Photon, over a few places of our own in Lyon and Seattle; the other doubles of maps share them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet.world import World

PREFIX = "/photon"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    number: int
    name: str
    tag: tuple[str, str]
    lat: float
    lon: float
    city: str
    country: tuple[str, str]
    more: dict[str, str] = field(default_factory=dict)


FRANCE, STATES = ("France", "FR"), ("United States", "US")
AREAS = (
    Spot(number=1, name="Lyon", tag=("place", "city"), lat=45.7578, lon=4.832, city="", country=FRANCE),
    Spot(number=2, name="Downtown", tag=("place", "quarter"), lat=47.6075, lon=-122.337, city="Seattle", country=STATES),
)  # fmt: skip
SPOTS = (
    Spot(
        number=11,
        name="Café du Pont",
        tag=("amenity", "cafe"),
        lat=45.7583,
        lon=4.8331,
        city="Lyon",
        country=FRANCE,
        more={
            "opening_hours": "Mo-Fr 08:00-19:00; Sa 09:00-12:00; Su off",
            "phone": "+33 4 00 00 00 00",
            "website": "https://cafe.example.org/",
            "addr:street": "Rue de l'Exemple",
            "addr:housenumber": "12",
            "addr:postcode": "69002",
            "addr:city": "Lyon",
        },
    ),
    Spot(number=12, name="Café des Deux Rives", tag=("amenity", "cafe"), lat=45.7569, lon=4.8302, city="Lyon", country=FRANCE, more={"opening_hours": "whenever we like"}),
    Spot(number=13, name="Musée de l'Exemple", tag=("tourism", "museum"), lat=45.7601, lon=4.8355, city="Lyon", country=FRANCE),
    Spot(number=14, name="Café Lointain", tag=("amenity", "cafe"), lat=45.79, lon=4.86, city="Lyon", country=FRANCE, more={"opening_hours": "24/7"}),
    Spot(number=21, name="Example Coffee", tag=("amenity", "cafe"), lat=47.608, lon=-122.3365, city="Seattle", country=STATES),
)  # fmt: skip


def routes(_world: World) -> list[Route]:
    async def search(request: Request) -> Response:
        asked = request.query_params
        if not asked.get("q"):
            return JSONResponse({"message": "missing search term 'q'"}, status_code=400)
        words = asked["q"].lower().replace(",", " ").split()
        country = asked.get("countrycode")
        found = [
            spot
            for spot in (*AREAS, *SPOTS)
            if all(word in f"{spot.name} {spot.city} {spot.country[0]}".lower() for word in words)
            and country in {None, spot.country[1]}
        ]
        return _collection(found[: int(asked.get("limit", "10"))])

    async def reverse(request: Request) -> Response:
        asked = request.query_params
        wanted = {tuple(one.split(".")[1:]) for one in asked.getlist("include")}
        lat, lon, radius = float(asked["lat"]), float(asked["lon"]), float(asked["radius"])
        found = [
            spot
            for spot in SPOTS
            if spot.tag in wanted and meters_between(spot, lat, lon) <= 1000 * radius
        ]
        found.sort(key=lambda spot: meters_between(spot, lat, lon))
        return _collection(found[: int(asked.get("limit", "1"))])

    return [Route("/photon/api", search), Route("/photon/reverse", reverse)]


def meters_between(spot: Spot, lat: float, lon: float) -> float:
    east = (spot.lon - lon) * math.cos(math.radians(lat))
    return 111_320 * math.hypot(spot.lat - lat, east)


def _collection(spots: list[Spot]) -> JSONResponse:
    return JSONResponse({"type": "FeatureCollection", "features": list(map(_feature, spots))})


def _feature(spot: Spot) -> dict[str, Any]:
    properties = {
        "osm_type": "N",
        "osm_id": spot.number,
        "osm_key": spot.tag[0],
        "osm_value": spot.tag[1],
        "name": spot.name,
        "country": spot.country[0],
        "countrycode": spot.country[1],
    } | ({"city": spot.city} if spot.city else {})
    point = {"type": "Point", "coordinates": [spot.lon, spot.lat]}
    return {"type": "Feature", "geometry": point, "properties": properties}
