"""The IMF's SDMX 3 service, over one data flow of our own."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.internet.statistics import YEARS, flows, message, structure
from tests.internet.world import World

PREFIX = "/imf"
INDICATORS = {"NGDP_RPCH": "Real GDP growth", "PCPIPCH": "Inflation, average consumer prices"}


def routes(_world: World) -> list[Route]:
    async def listing(_request: Request) -> Response:
        return JSONResponse(
            flows(
                [
                    ("IMF.RES", "WEO", "9.0.0", "World Economic Outlook (WEO)"),
                    ("IMF.STA", "CPI", "5.0.0", "Consumer Price Index (CPI)"),
                ]
            )
        )

    async def described(request: Request) -> Response:
        if request.path_params["flow"] != "WEO":
            return PlainTextResponse("not found", status_code=404)
        return JSONResponse(structure("IMF.RES", "WEO", ("COUNTRY", "INDICATOR", "FREQUENCY")))

    async def data(request: Request) -> Response:
        country, indicator, _ = request.path_params["key"].split(".")
        if request.path_params["flow"] != "WEO" or country not in {"FRA", "*"}:
            return PlainTextResponse("no data", status_code=404)
        chosen = {code: name for code, name in INDICATORS.items() if indicator in {"*", code}}
        dimensions = {
            "COUNTRY": {"FRA": "France"},
            "INDICATOR": chosen,
            "FREQUENCY": {"A": "Annual"},
        }
        held = {
            f"0:{x}:0": {year: f"{x}.{year[-1]}0" for year in YEARS} for x in range(len(chosen))
        }
        return JSONResponse(message("World Economic Outlook (WEO)", dimensions, held, YEARS))

    return [
        Route("/imf/structure/dataflow/all/*/+", listing),
        Route("/imf/structure/dataflow/{agency}/{flow}/{version}", described),
        Route("/imf/data/dataflow/{agency}/{flow}/{version}/{key}", data),
    ]
