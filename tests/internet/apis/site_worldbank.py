"""Observations of the World Bank, as the reader of its indicator pages asks for them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet.apis.worldbank import COUNTRIES, INDICATORS, VALUES
from tests.internet.world import World

PREFIX = "/site_worldbank"


def routes(_world: World) -> list[Route]:
    async def show(request: Request) -> Response:
        code, asked = request.path_params["indicator"], request.path_params["country"].split(";")
        name = dict(INDICATORS).get(code)
        places = [label for long, (short, label) in COUNTRIES.items() if {long, short} & set(asked)]
        if name is None or not places:
            return JSONResponse([{"message": [{"id": "120", "value": "not valid"}]}])
        rows = [
            {"indicator": {"id": code, "value": name}, "country": {"value": place}, "date": year, "value": value}
            for place in places
            for year, value in sorted(VALUES.items(), reverse=True)
        ]  # fmt: skip
        return JSONResponse([{"page": 1, "pages": 1, "lastupdated": "2026-10-01"}, rows])

    return [Route("/site_worldbank/country/{country}/indicator/{indicator}", show)]
