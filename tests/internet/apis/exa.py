"""Exa's search in its documented shape."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet import papers
from tests.internet.world import Page, World

PREFIX = "/exa"


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        if not request.headers.get("x-api-key"):
            return JSONResponse({"error": "Invalid API key", "tag": "INVALID_API_KEY"}, 401)
        asked = await request.json()
        if "highlights" in asked:
            return JSONResponse({"error": "Unknown field", "tag": "INVALID_REQUEST_BODY"}, 400)
        if asked.get("category") == "research paper":
            works = _works(world, asked)
            return JSONResponse({"requestId": "1", "results": works})
        since = asked.get("startPublishedDate")
        found = world.search(
            asked["query"],
            count=int(asked.get("numResults", 10)),
            sites=asked.get("includeDomains", ()),
            since=datetime.fromisoformat(since) if since else None,
            kind="news" if asked.get("category") == "news" else None,
        )
        results = [_result(page, asked["query"]) for page in found]
        return JSONResponse({"requestId": "1", "results": results, "costDollars": {"total": 0.0}})

    return [Route("/exa/search", search, methods=["POST"])]


def _works(world: World, asked: dict[str, Any]) -> list[dict[str, Any]]:
    first, last = (asked.get(name, "")[:4] for name in ("startPublishedDate", "endPublishedDate"))
    found = papers.of(world).search(
        asked["query"],
        year_from=int(first) if first else None,
        year_to=int(last) if last else None,
    )
    return [
        {
            "id": work.doi,
            "title": work.title,
            "url": f"https://doi.org/{work.doi}",
            "publishedDate": work.date,
            "author": ", ".join(work.names),
        }
        for work in found[: int(asked.get("numResults", 10))]
    ]


def _result(page: Page, query: str) -> dict[str, Any]:
    return {
        "id": page.url,
        "title": page.title,
        "url": page.url,
        "publishedDate": page.published.isoformat() if page.published else None,
        "author": None,
        "highlights": [page.snippet(query)],
    }
