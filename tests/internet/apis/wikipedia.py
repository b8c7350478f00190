"""MediaWiki's search in its documented shape; its article addresses lead on to the real pages."""

from __future__ import annotations

from html import escape
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.internet.world import Page, World

PREFIX = "/wikipedia"


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        asked = request.query_params
        if not asked.get("srsearch"):
            error = {"code": "missingparam", "info": "The srsearch parameter must be set."}
            return JSONResponse({"error": error})
        found = world.search(asked["srsearch"], count=int(asked.get("srlimit", "10")))
        site = {"base": f"{world.base_url}/wikipedia/wiki/Main_Page", "lang": "en"}
        query: dict[str, Any] = {
            "searchinfo": {"totalhits": len(found)},
            "search": [_match(page, place) for place, page in enumerate(found)],
            "general": site,
        }
        return JSONResponse({"batchcomplete": True, "query": query})

    async def article(request: Request) -> Response:
        title = request.path_params["title"].replace("_", " ")
        for page in world.pages:
            if page.title == title:
                return RedirectResponse(page.url)
        return PlainTextResponse("There is no such article.", 404)

    return [Route("/wikipedia", search), Route("/wikipedia/wiki/{title:path}", article)]


def _match(page: Page, place: int) -> dict[str, Any]:
    first, _, rest = page.description.partition(" ")
    snippet = f'<span class="searchmatch">{escape(first)}</span> {escape(rest)}'
    return {"ns": 0, "title": page.title, "pageid": 100 + place, "snippet": snippet}
