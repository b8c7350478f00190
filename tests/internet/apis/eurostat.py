"""Eurostat's table of contents and its statistics API, over one data set of our own."""

from __future__ import annotations

from itertools import product
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.internet.statistics import MONTHS, chosen_periods
from tests.internet.world import World

PREFIX = "/eurostat"
CONTENTS = (
    '"title"\t"code"\t"type"\t"last update of data"\t"last table structure change"\t"data start"'
    '\t"data end"\t"values"\n'
    '"Economy and finance"\t"economy"\t"folder"\t" "\t" "\t" "\t" "\t\n'
    '"    Unemployment by sex and age - monthly data"\t"une_rt_m"\t"dataset"\t"30.10.2026"'
    '\t"30.10.2026"\t"1983-01"\t"2026-09"\t17000\n'
    '"    Unemployment by sex and age - annual data"\t"une_rt_a"\t"dataset"\t"30.10.2026"'
    '\t"30.10.2026"\t"2003"\t"2025"\t9000\n'
    '"    HICP - monthly data (annual rate of change)"\t"prc_hicp_manr"\t"dataset"\t"19.10.2026"'
    '\t"19.10.2026"\t"1997-01"\t"2026-09"\t900000\n'
)
SEX = {"F": "Females", "M": "Males", "T": "Total"}
AGE = {"TOTAL": "Total", "Y_LT25": "Less than 25 years"}
GEO = {"DE": "Germany", "UK": "United Kingdom", "EL": "Greece"}
UNIT = {"PC_ACT": "Percentage of population in the labour force"}


def _index(codes: list[str], labels: dict[str, str]) -> dict[str, Any]:
    return {
        "category": {
            "index": {code: number for number, code in enumerate(codes)},
            "label": {code: labels.get(code, code) for code in codes},
        }
    }


def routes(_world: World) -> list[Route]:
    async def contents(_request: Request) -> Response:
        return PlainTextResponse(CONTENTS, media_type="text/plain; charset=utf-8")

    async def data(request: Request) -> Response:
        asked, code = request.query_params, request.path_params["code"]
        if code == "prc_hicp_manr" and "geo" not in asked:
            label = "ASYNCHRONOUS_RESPONSE. The extraction is too big."
            return JSONResponse({"error": [{"status": 413, "id": 413, "label": label}]}, 413)
        if code != "une_rt_m":
            label = f"Dataset {code} was not found"
            return JSONResponse({"error": [{"status": 404, "id": 100, "label": label}]}, 404)
        newest = asked.get("lastTimePeriod")
        dimensions = {
            "sex": (asked.getlist("sex") or list(SEX), SEX),
            "age": (asked.getlist("age") or list(AGE), AGE),
            "unit": (list(UNIT), UNIT),
            "geo": (asked.getlist("geo") or list(GEO), GEO),
            "time": (
                chosen_periods(
                    MONTHS,
                    first=asked.get("sinceTimePeriod"),
                    last=asked.get("untilTimePeriod"),
                    newest=int(newest) if newest else None,
                ),
                {},
            ),
        }
        lists = [codes for codes, _ in dimensions.values()]
        places = list(product(*lists))
        last = str(len(places) - 1)
        return JSONResponse(
            {
                "version": "2.0",
                "class": "dataset",
                "label": "Unemployment by sex and age - monthly data",
                "id": list(dimensions),
                "size": [len(codes) for codes in lists],
                "dimension": {name: _index(*about) for name, about in dimensions.items()},
                "value": {str(number): number + 3.5 for number in range(len(places))},
                "status": {last: "p"} if places else {},
            }
        )

    return [
        Route("/eurostat/catalogue/toc/txt", contents),
        Route("/eurostat/statistics/1.0/data/{code}", data),
    ]
