"""Exa's search and answers in their documented shape."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet import papers
from tests.internet.researchers import bench, written
from tests.internet.world import Page, World

PREFIX = "/exa"


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        if not request.headers.get("x-api-key"):
            return JSONResponse({"error": "Invalid API key", "tag": "INVALID_API_KEY"}, 401)
        asked = await request.json()
        if asked.get("contents", {}).get("summary"):
            return _structured(world, asked)
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

    async def answer(request: Request) -> JSONResponse:
        if not request.headers.get("x-api-key"):
            return JSONResponse({"error": "Invalid API key", "tag": "INVALID_API_KEY"}, 401)
        asked = await request.json()
        bench(world).charge("exa", asked["query"])
        report = written(world, asked["query"])
        cited = [
            {"id": mark.url, "url": mark.url, "title": mark.title, "publishedDate": None}
            for mark in report.marks
        ]
        body = {"requestId": "1", "answer": report.text, "citations": cited}
        return JSONResponse(body | {"costDollars": {"total": 0.005}})

    return [
        Route("/exa/search", search, methods=["POST"]),
        Route("/exa/answer", answer, methods=["POST"]),
    ]


def _structured(world: World, asked: dict[str, Any]) -> JSONResponse:
    bench(world).charge("exa", asked["query"])
    schema = asked["contents"]["summary"].get("schema")
    results = []
    for page in world.search(asked["query"], count=int(asked["numResults"])):
        result = _result(page, asked["query"])
        names = list((schema or {}).get("properties", {}))
        filled = {name: page.title if place == 0 else None for place, name in enumerate(names)}
        result["summary"] = json.dumps(filled) if schema else page.snippet(asked["query"])
        if asked.get("category") == "company":
            result["entities"] = [{"type": "company", "properties": {"name": page.title}}]
        results.append(result)
    cost = {"total": 0.007 + 0.001 * len(results)}
    return JSONResponse({"requestId": "1", "results": results, "costDollars": cost})


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
