"""Single records of ClinicalTrials.gov, as the reader of study pages asks for them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.internet.studies import NUMBER, study
from tests.internet.world import World

PREFIX = "/site_clinicaltrials"


def routes(_world: World) -> list[Route]:
    async def show(request: Request) -> Response:
        if request.path_params["number"] != NUMBER:
            return PlainTextResponse("NCT number is not found", status_code=404)
        return JSONResponse(study())

    return [Route("/studies/{number}", show)]
