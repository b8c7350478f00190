"""The Algolia index of Hacker News in its documented shape."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.world import Page, World

PREFIX = "/hackernews"


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        asked = request.query_params
        _, _, since = asked.get("numericFilters", "").partition("created_at_i>")
        found = world.search(
            asked["query"],
            count=int(asked.get("hitsPerPage", "20")),
            since=datetime.fromtimestamp(int(since), UTC) if since else None,
        )
        hits = [_hit(page, place) for place, page in enumerate(found)]
        return JSONResponse({"hits": hits, "nbHits": len(hits), "page": 0, "nbPages": 1})

    return [Route("/hackernews/search", search), Route("/hackernews/search_by_date", search)]


def _hit(page: Page, place: int) -> dict[str, Any]:
    return {
        "objectID": str(1000 + place),
        "title": page.title,
        "url": page.url,
        "author": "example-user",
        "points": 10 + place,
        "num_comments": place,
        "created_at": page.published.strftime("%Y-%m-%dT%H:%M:%SZ") if page.published else None,
    }
