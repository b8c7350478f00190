"""The OECD's SDMX service, over one data flow of our own."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.internet.statistics import YEARS, chosen_periods, flows, message, structure
from tests.internet.world import World

PREFIX = "/oecd"
FLOW = "OECD.SDD.NAD,DSD_NAMAIN1@DF_GROWTH,1.0"
LARGE_FLOW = "OECD.STI.PIE,DSD_TIVA@DF_MAIN,1.0"  # refuses to count observations
AREAS = {"DEU": "Germany", "USA": "United States"}
SUBJECTS = {"B1GQ": "Gross domestic product", "P3": "Final consumption expenditure"}


def routes(_world: World) -> list[Route]:
    async def listing(_request: Request) -> Response:
        return JSONResponse(
            flows(
                [
                    ("OECD.SDD.NAD", "DSD_NAMAIN1@DF_GROWTH", "1.0", "Annual GDP growth"),
                    ("OECD.STI.PIE", "DSD_TIVA@DF_MAIN", "1.0", "Trade in value added"),
                    ("OECD.SDD.TPS", "DSD_LFS@DF_UNE", "1.0", "Unemployment rates, monthly"),
                ]
            )
        )

    async def described(request: Request) -> Response:
        if request.path_params["flow"] not in {"DSD_NAMAIN1@DF_GROWTH", "DSD_TIVA@DF_MAIN"}:
            return PlainTextResponse("Could not find Dataflow", status_code=404)
        return JSONResponse(structure("OECD.SDD.NAD", "GROWTH", ("FREQ", "REF_AREA", "SUBJECT")))

    async def data(request: Request) -> Response:
        asked, flow = request.query_params, request.path_params["flow"]
        if flow not in {FLOW, LARGE_FLOW}:
            return PlainTextResponse("Could not find Dataflow", status_code=404)
        if flow == LARGE_FLOW and "lastNObservations" in asked:
            return PlainTextResponse("lastNObservations is not allowed here", status_code=413)
        key = request.path_params["key"]
        _, area, subject = ("", "", "") if key == "all" else key.split(".")
        areas = {code: name for code, name in AREAS.items() if area in {"", code}}
        subjects = {code: name for code, name in SUBJECTS.items() if subject in {"", code}}
        if not areas or not subjects:
            return PlainTextResponse("NoRecordsFound", status_code=404)
        newest = asked.get("lastNObservations")
        years = chosen_periods(
            YEARS,
            first=asked.get("startPeriod"),
            last=asked.get("endPeriod"),
            newest=int(newest) if newest else None,
        )
        held = {
            f"0:{x}:{y}": {year: int(year) * 10 + x + y + 0.25 for year in years}
            for x in range(len(areas))
            for y in range(len(subjects))
        }
        dimensions = {"FREQ": {"A": "Annual"}, "REF_AREA": areas, "SUBJECT": subjects}
        return JSONResponse(message("Annual GDP growth and consumption", dimensions, held, years))

    return [
        Route("/oecd/dataflow/all/all/latest", listing),
        Route("/oecd/dataflow/{agency}/{flow}/{version}", described),
        Route("/oecd/data/{flow}/{key}", data),
    ]
