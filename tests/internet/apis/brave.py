"""Brave's web, news and image search in its documented shape."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.world import Page, World

PREFIX = "/brave"
_SPANS = {"pd": "day", "pw": "week", "pm": "month", "py": "year"}


def routes(world: World) -> list[Route]:
    def pages(request: Request, *, kind: str | None = None) -> list[Page]:
        asked = request.query_params
        span = _SPANS.get(asked.get("freshness", ""))
        count = int(asked.get("count", "20"))
        return world.search(
            asked["q"],
            count=count + 1,
            since=world.since(span) if span else None,
            language=asked.get("search_lang"),
            kind=kind,
            offset=count * int(asked.get("offset", "0")),
        )

    async def web(request: Request) -> JSONResponse:
        if refusal := _refuse(request):
            return refusal
        count, found = int(request.query_params.get("count", "20")), pages(request)
        echo = {
            "original": request.query_params["q"],
            "more_results_available": len(found) > count,
        }
        body: dict[str, Any] = {"type": "search", "query": echo}
        if found:
            results = [_result(page, "search_result") for page in found[:count]]
            body["web"] = {"type": "search", "results": results, "family_friendly": True}
        return JSONResponse(body)

    async def news(request: Request) -> JSONResponse:
        if refusal := _refuse(request):
            return refusal
        count = int(request.query_params.get("count", "20"))
        found = pages(request, kind="news")[:count]
        results = [_result(page, "news_result") for page in found]
        return JSONResponse({"type": "news", "query": {}, "results": results})

    async def images(request: Request) -> JSONResponse:
        if refusal := _refuse(request):
            return refusal
        found = pages(request)[: int(request.query_params.get("count", "50"))]
        return JSONResponse({"type": "images", "query": {}, "results": list(map(_image, found))})

    return [
        Route("/brave/web/search", web),
        Route("/brave/news/search", news),
        Route("/brave/images/search", images),
    ]


def _refuse(request: Request) -> JSONResponse | None:
    if not request.headers.get("x-subscription-token"):
        error = {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "Missing token.", "status": 422}
        return JSONResponse({"type": "ErrorResponse", "error": error}, status_code=401)
    if "api-version" in request.headers and "/web/" not in request.url.path:
        return JSONResponse({"type": "ErrorResponse", "error": {"code": "NOT_FOUND"}}, 404)
    return None


def _result(page: Page, kind: str) -> dict[str, Any]:
    published = page.published.strftime("%Y-%m-%dT%H:%M:%S") if page.published else None
    return {
        "type": kind,
        "title": page.title,
        "url": page.url,
        "description": page.description,
        "page_age": published,
        "meta_url": {"hostname": page.host},
    }


def _image(page: Page) -> dict[str, Any]:
    return {
        "type": "image_result",
        "title": page.title,
        "url": page.url,
        "source": page.host,
        "thumbnail": {"src": page.image},
        "properties": {"url": page.image, "width": 1, "height": 1},
    }
