"""Tavily's search in its documented shape, with a key or in keyless mode."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.researchers import bench
from tests.internet.world import Page, World

PREFIX = "/tavily"
_LONGEST = 400


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        keyless = request.headers.get("x-tavily-access-mode") == "keyless"
        if not keyless and not request.headers.get("authorization", "").startswith("Bearer "):
            error = "Unauthorized: missing or invalid API key."
            return JSONResponse({"detail": {"error": error}}, 401)
        asked = await request.json()
        if len(asked["query"]) > _LONGEST:
            return JSONResponse({"detail": {"error": "Query is too long."}}, 400)
        found = world.search(
            asked["query"],
            count=int(asked.get("max_results", 5)),
            sites=asked.get("include_domains", ()),
            since=world.since(asked["time_range"]) if "time_range" in asked else None,
            kind="news" if asked.get("topic") == "news" else None,
        )
        results = [_result(page, place) for place, page in enumerate(found)]
        body = {"query": asked["query"], "results": results, "response_time": 0.1}
        if asked.get("include_answer"):
            bench(world).charge("tavily", asked["query"])
            body["answer"] = " ".join(page.snippet(asked["query"]) for page in found[:2])
        if asked.get("include_usage"):
            body["usage"] = {"credits": 1}
        return JSONResponse(body)

    return [Route("/tavily/search", search, methods=["POST"])]


def _result(page: Page, place: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "title": page.title,
        "url": page.url,
        "content": page.text[:500],
        "score": round(0.95 / (1 + place * 0.1), 4),
    }
    if page.published:
        result["published_date"] = page.published.strftime("%a, %d %b %Y %H:%M:%S GMT")
    return result
