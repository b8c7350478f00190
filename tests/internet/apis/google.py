"""The Custom Search JSON API in its documented shape."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.world import Page, World

PREFIX = "/google"
_SPANS = {"d1": "day", "w1": "week", "m1": "month", "y1": "year"}


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        asked = request.query_params
        if not (asked.get("key") or request.headers.get("x-goog-api-key")) or not asked.get("cx"):
            return JSONResponse({"error": {"code": 403, "status": "PERMISSION_DENIED"}}, 403)
        number, start = int(asked.get("num", "10")), int(asked.get("start", "1"))
        span = _SPANS.get(asked.get("dateRestrict", ""))
        found = world.search(
            _text(request),
            count=number + 1,
            since=world.since(span) if span else None,
            language=asked.get("lr", "").removeprefix("lang_") or None,
            offset=start - 1,
        )
        image = asked.get("searchType") == "image"
        body: dict[str, Any] = {"kind": "customsearch#search", "queries": {"request": [{}]}}
        if len(found) > number:
            body["queries"]["nextPage"] = [{"startIndex": start + number}]
        if found:
            body["items"] = [_picture(page) if image else _item(page) for page in found[:number]]
        return JSONResponse(body)

    return [Route("/google", search)]


def _text(request: Request) -> str:
    asked = request.query_params
    text = asked["q"]
    if exact := asked.get("exactTerms"):
        text += f' "{exact}"'
    return text + "".join(f" -{word}" for word in asked.get("excludeTerms", "").split())


def _item(page: Page) -> dict[str, Any]:
    tags = {"article:published_time": page.published.isoformat()} if page.published else {}
    return {
        "kind": "customsearch#result",
        "title": page.title,
        "link": page.url,
        "displayLink": page.host,
        "snippet": page.description,
        "pagemap": {"metatags": [tags]},
    }


def _picture(page: Page) -> dict[str, Any]:
    image = {"contextLink": page.url, "thumbnailLink": page.image, "width": 1, "height": 1}
    return {"title": page.title, "link": page.image, "displayLink": page.host, "image": image}
