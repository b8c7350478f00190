"""The API of ClinicalTrials.gov, version 2, over a few trials of our own."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.internet.world import World

PREFIX = "/clinicaltrials"
TRIALS = (
    ("NCT09000001", "Melatonin for sleep onset insomnia", "insomnia", "COMPLETED", "PHASE3", True),
    ("NCT09000002", "Light therapy in shift workers", "insomnia", "RECRUITING", "NA", False),
    (
        "NCT09000003",
        "Heat exposure and sleep quality",
        "heat stress",
        "RECRUITING",
        "PHASE2",
        False,
    ),
)
_STATUSES = ("RECRUITING", "COMPLETED", "TERMINATED")


def routes(_world: World) -> list[Route]:
    async def search(request: Request) -> Response:
        asked = request.query_params
        status = asked.get("filter.overallStatus")
        if status and status not in _STATUSES:
            return PlainTextResponse(f"Unknown status: {status}", status_code=400)
        found = [_study(row) for row in TRIALS if _matches(row, asked)]
        start, size = int(asked.get("pageToken", "0")), int(asked.get("pageSize", "10"))
        body: dict[str, Any] = {"studies": found[start : start + size]}
        if "countTotal" in asked:
            body["totalCount"] = len(found)
        if start + size < len(found):
            body["nextPageToken"] = str(start + size)
        return JSONResponse(body)

    async def one(request: Request) -> Response:
        wanted = request.path_params["nct"]
        found = next((row for row in TRIALS if row[0] == wanted), None)
        if found is None:
            return PlainTextResponse(f"NCT number {wanted} not found", status_code=404)
        return JSONResponse(_study(found))

    return [
        Route("/clinicaltrials/studies", search),
        Route("/clinicaltrials/studies/{nct}", one),
    ]


def _matches(row: tuple[Any, ...], asked: Any) -> bool:
    text = f"{row[1]} {row[2]} Melatonin Example University".lower()
    words = [
        word
        for name in ("query.term", "query.cond", "query.intr", "query.spons")
        for word in asked.get(name, "").lower().split()
    ]
    phase = f"phase:{row[4].removeprefix('PHASE')}"
    filters = [one for one in asked.get("aggFilters", "").split(",") if one]
    return (
        all(word in text for word in words)
        and asked.get("filter.overallStatus", row[3]) == row[3]
        and all(one == (phase if one.startswith("phase") else "results:with") for one in filters)
        and ("results:with" not in filters or row[5])
    )


def _study(row: tuple[Any, ...]) -> dict[str, Any]:
    nct, title, condition, status, phase, has_results = row
    return {
        "protocolSection": {
            "identificationModule": {"nctId": nct, "briefTitle": title},
            "statusModule": {"overallStatus": status, "startDateStruct": {"date": "2024-03"}},
            "sponsorCollaboratorsModule": {"leadSponsor": {"name": "Example University"}},
            "conditionsModule": {"conditions": [condition]},
            "designModule": {"phases": [phase], "enrollmentInfo": {"count": 120}},
            "armsInterventionsModule": {"interventions": [{"name": "Melatonin"}]},
        },
        "hasResults": has_results,
    }
