"""Unpaywall's answer about one DOI, in the shape of its recorded answers."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet import papers
from tests.internet.apis.crossref import TYPES
from tests.internet.papers import UNHURRIED, Work
from tests.internet.world import World

PREFIX = "/unpaywall"


def routes(world: World) -> list[Route]:
    async def one(request: Request) -> Response:
        if "@" not in request.query_params.get("email", ""):
            return _refusal(422, "Email address required in API call, see unpaywall.org.")
        doi = request.path_params["doi"]
        work = papers.of(world).by_doi(doi)
        if work is None or work.agency != "crossref":
            return _refusal(404, f"'{doi}' isn't in Unpaywall.")
        return JSONResponse(record(world, work), headers=UNHURRIED)

    return [Route("/unpaywall/{doi:path}", one)]


def record(world: World, work: Work) -> dict[str, Any]:
    place = _location(world, work) if work.open != "closed" else None
    return {
        "doi": work.key,
        "doi_url": f"https://doi.org/{work.key}",
        "title": work.registered_title,
        "genre": TYPES.get(work.kind, "other"),
        "is_paratext": False,
        "published_date": work.date if work.day else None,
        "year": work.year,
        "journal_name": work.venue or None,
        "journal_is_in_doaj": work.open == "gold",
        "publisher": work.publisher or None,
        "is_oa": place is not None,
        "oa_status": work.open,
        "best_oa_location": place,
        "oa_locations": [place] if place else [],
        "data_standard": 2,
        "z_authors": [{"raw_author_name": name, "author_position": "middle"} for name in work.names]
        or None,
    }


def _location(world: World, work: Work) -> dict[str, Any]:
    return {
        "url": papers.address(world, work),
        "url_for_pdf": None,
        "url_for_landing_page": papers.address(world, work),
        "license": "cc-by",
        "version": "publishedVersion",
        "host_type": "publisher",
        "is_best": True,
    }


def _refusal(status: int, message: str) -> Response:
    body = {"HTTP_status_code": status, "error": True, "message": message}
    return JSONResponse(body, status, headers=UNHURRIED)
