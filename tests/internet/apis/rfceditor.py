"""The RFC Editor's JSON file of each RFC, for a few of them."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from tests.internet.papers import UNHURRIED
from tests.internet.world import World

PREFIX = "/rfceditor"
RFCS: dict[int, dict[str, Any]] = {
    2119: {
        "title": "Key words for use in RFCs to Indicate Requirement Levels",
        "authors": ["S. Bradner"],
        "pub_date": "March 1997",
        "status": "BEST CURRENT PRACTICE",
    },
    9110: {
        "title": "HTTP Semantics",
        "authors": ["R. Fielding, Ed.", "M. Nottingham, Ed.", "J. Reschke, Ed."],
        "pub_date": "June 2022",
        "status": "INTERNET STANDARD",
        "obsoletes": ["RFC2818", "RFC7230", "RFC7231"],
    },
}


def routes(world: World) -> list[Route]:
    del world

    async def one(request: Request) -> Response:
        number = request.path_params["number"]
        if number not in RFCS:
            return HTMLResponse("<html><body>404 Not Found</body></html>", 404)
        rest = {"doc_id": f"RFC{number:04d}", "doi": f"10.17487/RFC{number:04d}"}
        return JSONResponse(rest | RFCS[number], headers=UNHURRIED)

    return [Route(f"{PREFIX}/rfc/rfc{{number:int}}.json", one)]
