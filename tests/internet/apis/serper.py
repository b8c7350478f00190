"""Serper's search, news and images in their documented shape."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.world import Page, World

PREFIX = "/serper"
_SPANS = {"qdr:h": "hour", "qdr:d": "day", "qdr:w": "week", "qdr:m": "month", "qdr:y": "year"}


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        if not request.headers.get("x-api-key"):
            return JSONResponse({"message": "Unauthorized.", "statusCode": 403}, 403)
        asked = await request.json()
        kind = request.path_params["kind"]
        number, page = int(asked.get("num", 10)), int(asked.get("page", 1))
        span = _SPANS.get(asked.get("tbs", ""))
        found = world.search(
            asked["q"],
            count=number,
            since=world.since(span) if span else None,
            language=asked.get("hl"),
            kind="news" if kind == "news" else None,
            offset=(page - 1) * number,
        )
        field = {"search": "organic", "news": "news", "images": "images"}[kind]
        results = [_image(page) if kind == "images" else _result(page) for page in found]
        return JSONResponse({"searchParameters": {"q": asked["q"]}, field: results})

    return [Route("/serper/{kind}", search, methods=["POST"])]


def _result(page: Page) -> dict[str, Any]:
    result = {"title": page.title, "link": page.url, "snippet": page.description}
    if page.published:
        result["date"] = page.published.strftime("%b %d, %Y")
    return result | {"source": page.site}


def _image(page: Page) -> dict[str, Any]:
    return {
        "title": page.title,
        "imageUrl": page.image,
        "thumbnailUrl": page.image,
        "imageWidth": 1,
        "imageHeight": 1,
        "link": page.url,
        "source": page.site,
    }
