"""Nominatim's search, over the places of Photon's double."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.apis.photon import AREAS, SPOTS, Spot
from tests.internet.world import World

PREFIX = "/nominatim"


def routes(_world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        asked = request.query_params
        words = asked["q"].lower().replace(",", " ").split()
        country = asked.get("countrycodes", "").upper()
        found = [
            spot
            for spot in (*AREAS, *SPOTS)
            if _fits(spot, words, asked.get("viewbox")) and country in {"", spot.country[1]}
        ]
        return JSONResponse(list(map(_thing, found[: int(asked["limit"])])))

    return [Route("/nominatim/search", search)]


def _fits(spot: Spot, words: list[str], box: str | None) -> bool:
    if box:
        west, north, east, south = map(float, box.split(","))
        if not (west <= spot.lon <= east and south <= spot.lat <= north):
            return False
    text = f"{spot.name} {spot.tag[1]}s {spot.city} {spot.country[0]}".lower()
    return all(word in text for word in words)


def _thing(spot: Spot) -> dict[str, Any]:
    return {
        "place_id": 1000 + spot.number,
        "osm_type": "node",
        "osm_id": spot.number,
        "lat": str(spot.lat),
        "lon": str(spot.lon),
        "category": spot.tag[0],
        "type": spot.tag[1],
        "name": spot.name,
        "display_name": f"{spot.name}, {spot.city or spot.name}, {spot.country[0]}",
        "address": {"city": spot.city or spot.name, "country_code": spot.country[1].lower()},
        "boundingbox": [str(spot.lat), str(spot.lat), str(spot.lon), str(spot.lon)],
        "extratags": spot.more,
    }
