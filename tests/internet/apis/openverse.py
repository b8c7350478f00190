"""Openverse's image search over many pictures of our own; large pages are refused without a key."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.world import World

PREFIX = "/openverse"
COUNT = 45
_MAX_PAGE_SIZE = 20
_SIDES = {"small": 200, "medium": 900, "large": 2400}


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        asked = request.query_params
        size, page = int(asked.get("page_size", "20")), int(asked.get("page", "1"))
        if size > _MAX_PAGE_SIZE:
            return JSONResponse({"detail": "page_size is too large."}, status_code=401)
        if asked.get("size", "small") not in _SIDES:
            detail = {"detail": "Invalid input given for fields.", "fields": ["size"]}
            return JSONResponse({"error": "InputError", **detail}, status_code=400)
        words = asked["q"].lower().split()
        if "jpg" not in asked.get("extension", "jpg"):
            words.append("nothing")  # all pictures here are JPEGs
        names = [f"Lighthouse {number} by the sea" for number in range(1, COUNT + 1)]
        found = [name for name in names if all(word in name.lower() for word in words)]
        if not found:
            pictures = [
                {"title": one.title, "url": one.image}
                for one in world.search(asked["q"], count=size)
            ]
            return JSONResponse({"page_count": 1, "page": page, "results": pictures})
        chosen = found[(page - 1) * size : page * size]
        side = _SIDES[asked.get("size", "medium")]
        results = [_image(name, names.index(name), side, world.base_url) for name in chosen]
        pages = -(-len(found) // size)
        return JSONResponse(
            {"result_count": len(found), "page_count": pages, "page": page, "results": results}
        )

    return [Route("/openverse/images/", search)]


def _image(name: str, place: int, side: int, base: str) -> dict[str, Any]:
    return {
        "id": str(place),
        "title": name,
        "url": f"{base}/picture/openverse/{place}.jpg",
        "foreign_landing_url": f"https://photos.example.org/{place}",
        "creator": "example-user",
        "license": "by",
        "license_version": "2.0",
        "license_url": "https://creativecommons.org/licenses/by/2.0/",
        "attribution": f'"{name}" by example-user is licensed under CC BY 2.0.',
        "filetype": "jpg",
        "filesize": None,
        "width": side,
        "height": side,
        "thumbnail": f"{base}/picture/openverse/thumb/{place}.png",
        "mature": False,
    }
