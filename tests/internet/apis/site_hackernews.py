"""The item API of Hacker News in its documented shape; its stories are the world's pages."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.world import World

PREFIX = "/site_hackernews"
_FIRST_COMMENT = 900_000


def routes(world: World) -> list[Route]:
    async def item(request: Request) -> JSONResponse:
        return JSONResponse(_item(world, request.path_params["number"]))

    async def stories(_request: Request) -> JSONResponse:
        return JSONResponse(list(range(1, len(world.pages) + 1)))

    async def user(request: Request) -> JSONResponse:
        name = request.path_params["name"]
        known = {"id": name, "karma": 12, "created": 1_500_000_000, "about": "Reads a lot."}
        return JSONResponse(known if name == "example-user" else None)

    return [
        Route("/site_hackernews/item/{number:int}.json", item),
        Route("/site_hackernews/user/{name}.json", user),
        Route("/site_hackernews/{kind}stories.json", stories),
    ]


def _item(world: World, number: int) -> dict[str, Any] | None:
    if number >= _FIRST_COMMENT:
        text = f"Comment {number - _FIRST_COMMENT} on the <i>story</i>."
        return {"id": number, "type": "comment", "by": "example-user", "text": text}
    if not 1 <= number <= len(world.pages):
        return None
    page = world.pages[number - 1]
    return {
        "id": number,
        "type": "story",
        "by": "example-user",
        "title": page.title,
        "url": page.url,
        "score": 10 + number,
        "time": int((page.published or world.now).timestamp()),
        "kids": [_FIRST_COMMENT + place for place in range(1, 13)],
        "descendants": 12,
    }
