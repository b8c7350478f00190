"""The DOI resolver: its handle registry, and redirects to whichever agency registered a DOI."""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.internet import papers
from tests.internet.papers import UNHURRIED
from tests.internet.world import World

PREFIX = "/doi"
CSL = "application/vnd.citationstyles.csl+json"
_MISSING = "<html><head><title>Error: DOI Not Found</title></head><body>DOI NOT FOUND</body></html>"


def routes(world: World) -> list[Route]:
    async def handle(request: Request) -> Response:
        doi = request.path_params["doi"]
        if not _known(world, doi):
            return JSONResponse({"responseCode": 100, "handle": doi}, 404, headers=UNHURRIED)
        data = {"format": "string", "value": f"https://publisher.example.org/{quote(doi)}"}
        value = {"index": 1, "type": "URL", "data": data, "ttl": 86400}
        return JSONResponse(
            {"responseCode": 1, "handle": doi, "values": [value]}, headers=UNHURRIED
        )

    async def resolve(request: Request) -> Response:
        doi = request.path_params["doi"]
        work = papers.of(world).by_doi(doi)
        if work is None:
            return HTMLResponse(_MISSING, 404)
        if CSL not in request.headers.get("accept", ""):
            return RedirectResponse(papers.address(world, work), 302)
        segment = quote(work.key, safe="")
        if work.agency == "crossref":
            return RedirectResponse(f"{world.base_url}/crossref/v1/works/{segment}/transform", 302)
        return RedirectResponse(f"{world.base_url}/datacite/csl/{segment}", 302)

    return [Route("/doi/api/handles/{doi:path}", handle), Route("/doi/{doi:path}", resolve)]


def _known(world: World, doi: str) -> bool:
    """Works and the notices about them."""
    register = papers.of(world)
    notices = {(event.notice or "").lower() for work in register.works for event in work.events}
    return register.by_doi(doi) is not None or doi.lower() in notices
