"""The European Central Bank's SDMX service: structures in XML, data in SDMX-JSON 1.0."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.internet.statistics import chosen_periods, message
from tests.internet.world import World

PREFIX = "/ecb"
DAYS = tuple(f"2026-11-{day:02}" for day in range(2, 14))
_HEAD = (
    '<mes:Structure xmlns:mes="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/message"'
    ' xmlns:str="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/structure"'
    ' xmlns:com="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/common"><mes:Structures>'
)
_TAIL = "</mes:Structures></mes:Structure>"
_FLOWS = (("EXR", "Exchange Rates"), ("ICP", "Indices of Consumer Prices"))
_DIMENSIONS = ("FREQ", "CURRENCY", "CURRENCY_DENOM", "EXR_TYPE", "EXR_SUFFIX")


def routes(_world: World) -> list[Route]:
    async def listing(_request: Request) -> Response:
        rows = "".join(
            f'<str:Dataflow id="{name}" agencyID="ECB" version="1.0">'
            f'<com:Name xml:lang="en">{title}</com:Name></str:Dataflow>'
            for name, title in _FLOWS
        )
        text = f"{_HEAD}<str:Dataflows>{rows}</str:Dataflows>{_TAIL}"
        return Response(text, media_type="application/vnd.sdmx.structure+xml")

    async def described(_request: Request) -> Response:
        rows = "".join(
            f'<str:Dimension id="{name}" position="{number}"/>'
            for number, name in enumerate(_DIMENSIONS, start=1)
        )
        text = (
            f'{_HEAD}<str:DataStructures><str:DataStructure id="ECB_EXR1" agencyID="ECB">'
            f"<str:DimensionList>{rows}</str:DimensionList></str:DataStructure>"
            f"</str:DataStructures>{_TAIL}"
        )
        return Response(text, media_type="application/vnd.sdmx.structure+xml")

    async def data(request: Request) -> Response:
        parts = request.path_params["key"].split(".")
        if request.path_params["flow"] != "EXR" or parts[1:2] not in (["USD"], [""]):
            return PlainTextResponse("No results found for the submitted query", status_code=404)
        newest = request.query_params.get("lastNObservations")
        days = chosen_periods(
            DAYS,
            first=request.query_params.get("startPeriod"),
            last=request.query_params.get("endPeriod"),
            newest=int(newest) if newest else None,
        )
        dimensions = {
            "FREQ": {"D": "Daily"},
            "CURRENCY": {"USD": "US dollar"},
            "CURRENCY_DENOM": {"EUR": "Euro"},
            "EXR_TYPE": {"SP00": "Spot"},
            "EXR_SUFFIX": {"A": "Average"},
        }
        values = {day: 1.05 + int(day[-2:]) / 1000 for day in days}
        return JSONResponse(
            message("Exchange Rates", dimensions, {"0:0:0:0:0": values}, days, version=1)
        )

    return [
        Route("/ecb/dataflow", listing),
        Route("/ecb/dataflow/ECB/{flow}/latest", described),
        Route("/ecb/data/{flow}/{key}", data),
    ]
