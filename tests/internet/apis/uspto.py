"""The USPTO's Open Data Portal: more rows than asked for, 404 when nothing matches."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.patents import PATENTS, Patent
from tests.internet.world import World

PREFIX = "/uspto"


def routes(_world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        if not request.headers.get("x-api-key"):
            return JSONResponse({"message": "Unauthorized"}, 401)
        phrases = re.findall(r'"([^"]+)"', request.query_params["q"])
        found = [
            one for one in PATENTS if one.office == "US" and one.is_granted and _fits(one, phrases)
        ]
        if not found:
            said = {
                "code": 404,
                "message": "Not Found",
                "detailedMessage": "No matching records found",
            }
            return JSONResponse(said, 404)
        rows = list(map(_row, found)) * (int(request.query_params["limit"]) + 3)
        return JSONResponse({"count": len(found), "patentFileWrapperDataBag": rows})

    return [Route("/uspto/search", search)]


def _fits(one: Patent, phrases: list[str]) -> bool:
    return one.serial in phrases or all(phrase.lower() in one.words for phrase in phrases)


def _row(one: Patent) -> dict[str, Any]:
    return {
        "applicationNumberText": "15000001",
        "applicationMetaData": {
            "inventionTitle": one.title.upper(),
            "patentNumber": one.serial,
            "earliestPublicationNumber": "US 2017-0200001 A1",
            "filingDate": one.filed,
            "grantDate": one.published,
            "applicationStatusDescriptionText": "Patented Case",
            "firstApplicantName": one.assignee,
            "firstInventorName": one.inventor,
            "cpcClassificationBag": [one.cpc],
        },
    }
