"""The World Bank's API, version 2, over two indicators of our own."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet.statistics import YEARS, chosen_periods
from tests.internet.world import World

PREFIX = "/worldbank"
INDICATORS = (
    ("NY.GDP.MKTP.CD", "GDP (current US$)"),
    ("NY.GDP.MKTP.KD.ZG", "GDP growth (annual %)"),
    ("NY.GDP.PCAP.KD.ZG", "GDP per capita growth (annual %)"),
    ("FP.CPI.TOTL.ZG", "Inflation, consumer prices (annual %)"),
    ("SP.POP.TOTL", "Population, total"),
    ("EN.GHG.CO2.PC.CE.AR5", "Carbon dioxide (CO2) emissions per capita (t CO2e/capita)"),
)
COUNTRIES = {"WLD": ("1W", "World"), "DEU": ("DE", "Germany"), "GBR": ("GB", "United Kingdom")}
VALUES: dict[str, Any] = {
    year: None if year == "2025" else 1000000 + int(year) * 10 + 0.50 for year in YEARS
}


def _refuse(code: str, words: str) -> Response:
    return JSONResponse([{"message": [{"id": code, "key": "Invalid value", "value": words}]}])


def routes(_world: World) -> list[Route]:
    async def indicators(_request: Request) -> Response:
        rows = [
            {"id": code, "name": name, "unit": "", "sourceNote": f"{name}, of our own making."}
            for code, name in INDICATORS
        ]
        return JSONResponse([{"page": 1, "pages": 1, "per_page": "3000", "total": len(rows)}, rows])

    async def observations(request: Request) -> Response:
        code, country = request.path_params["indicator"], request.path_params["country"]
        name = dict(INDICATORS).get(code)
        if name is None:
            return _refuse("175", "The indicator was not found. It may have been deleted.")
        if country not in COUNTRIES:
            return _refuse("120", "The provided parameter value is not valid")
        first, _, last = request.query_params.get("date", ":").partition(":")
        years = chosen_periods(YEARS, first=first, last=last, newest=None)[::-1]
        size = int(request.query_params["per_page"])
        short, label = COUNTRIES[country]
        rows = [
            {
                "indicator": {"id": code, "value": name},
                "country": {"id": short, "value": label},
                "countryiso3code": country,
                "date": year,
                "value": VALUES[year],
                "unit": "",
                "obs_status": "",
                "decimal": 0,
            }
            for year in years[:size]
        ]
        about = {"page": 1, "pages": 1, "per_page": size, "total": len(years)}
        return JSONResponse([about, rows or None])

    return [
        Route("/worldbank/indicator", indicators),
        Route("/worldbank/country/{country}/indicator/{indicator}", observations),
    ]
