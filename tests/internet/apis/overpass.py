"""The interpreter of Overpass, for the form of query that we send, over the places of Photon's double."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from tests.internet.apis.photon import SPOTS, Spot, meters_between
from tests.internet.world import World

PREFIX = "/overpass"
_STATEMENT = re.compile(r"nwr\(around:(\d+),(-?[\d.]+),(-?[\d.]+)\)((?:\[[^\]]*\])+);")
_FILTER = re.compile(r'\["([\w:]+)"(=|~)?(?:"([^"]*)")?(?:,i)?\]')


def routes(_world: World) -> list[Route]:
    async def interpret(request: Request) -> Response:
        asked = str((await request.form()).get("data", ""))
        statements = _STATEMENT.findall(asked)
        if not statements:
            return HTMLResponse(
                "<html><body><p><strong>Error</strong>: parse error</p></body></html>", 400
            )
        found = {
            spot.number: spot
            for radius, lat, lon, filters in statements
            for spot in SPOTS
            if meters_between(spot, float(lat), float(lon)) <= float(radius)
            and all(_fits(spot, *one) for one in _FILTER.findall(filters))
        }
        # The real one has no order either.
        elements = [_element(found[number]) for number in sorted(found, reverse=True)]
        return JSONResponse({"version": 0.6, "osm3s": {}, "elements": elements})

    return [Route("/overpass/interpreter", interpret, methods=["POST"])]


def _fits(spot: Spot, key: str, how: str, value: str) -> bool:
    stated = {"name": spot.name, spot.tag[0]: spot.tag[1], **spot.more}.get(key)
    if stated is None:
        return False
    return bool(re.search(value, stated, re.IGNORECASE)) if how == "~" else stated == value


def _element(spot: Spot) -> dict[str, Any]:
    tags = {"name": spot.name, spot.tag[0]: spot.tag[1], **spot.more}
    return {"type": "node", "id": spot.number, "lat": spot.lat, "lon": spot.lon, "tags": tags}
