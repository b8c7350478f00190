"""The search index of Hacker News, which gives whole threads; its stories are the world's pages."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.world import World

PREFIX = "/site_hackernews_index"
_FIRST_COMMENT = 900_000


def routes(world: World) -> list[Route]:
    async def item(request: Request) -> JSONResponse:
        number = request.path_params["number"]
        if not 1 <= number <= len(world.pages):
            return JSONResponse({"status": 404, "error": "Not Found"}, status_code=404)
        return JSONResponse(_thread(world, number))

    return [Route("/site_hackernews_index/items/{number:int}", item)]


def _thread(world: World, number: int) -> dict[str, Any]:
    page = world.pages[number - 1]
    comments = [
        {
            "id": _FIRST_COMMENT + place,
            "type": "comment",
            "author": "example-user",
            "text": f"Comment {place} on the <i>story</i>.",
            "parent_id": number,
            "story_id": number,
            "children": [],
        }
        for place in range(1, 13)
    ]
    return {
        "id": number,
        "type": "story",
        "author": "example-user",
        "title": page.title,
        "url": page.url,
        "points": 10 + number,
        "created_at_i": int((page.published or world.now).timestamp()),
        "story_id": number,
        "children": comments,
        "options": [],
    }
