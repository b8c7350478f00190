"""Brave's web, news, image and local search in its documented shape."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet.apis.photon import SPOTS, Spot
from tests.internet.researchers import Written, bench, written
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
        if early := _refuse(request) or _find_locations(request):
            return early
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

    async def answers(request: Request) -> Response:
        return await _answer(world, request)

    return [
        Route("/brave/chat/completions", answers, methods=["POST"]),
        Route("/brave/local/pois", _details),
        Route("/brave/local/descriptions", _descriptions),
        Route("/brave/web/search", web),
        Route("/brave/news/search", news),
        Route("/brave/images/search", images),
    ]


async def _answer(world: World, request: Request) -> Response:
    if refusal := _refuse(request):
        return refusal
    asked = await request.json()
    question = asked["messages"][-1]["content"]
    bench(world).charge("brave", question)
    if not asked.get("stream") or not asked.get("enable_citations"):
        return JSONResponse({"choices": [{"message": {"content": "No marks."}}]})
    return Response(_stream(written(world, question)), media_type="text/event-stream")


def _stream(report: Written) -> str:
    """The answer in pieces, each citation as a tag of its own, the usage last."""
    pieces, at = [], 0
    for number, mark in enumerate(report.marks, start=1):
        told = {"start_index": at, "end_index": mark.start, "number": number, "url": mark.url}
        pieces += [report.text[at : mark.start], f"<citation>{json.dumps(told)}</citation>"]
        at = mark.end
    usage = {"X-Request-Requests": 1, "X-Request-Queries": 1, "X-Request-Total-Cost": 0.0115}
    pieces += [report.text[at:], f"<usage>{json.dumps(usage)}</usage>"]
    events = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return "".join([*lines, "data: [DONE]\n\n"])


def _refuse(request: Request) -> JSONResponse | None:
    if not request.headers.get("x-subscription-token"):
        error = {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "Missing token.", "status": 422}
        return JSONResponse({"type": "ErrorResponse", "error": error}, status_code=401)
    if "api-version" in request.headers and "/web/" not in request.url.path:
        return JSONResponse({"type": "ErrorResponse", "error": {"code": "NOT_FOUND"}}, 404)
    return None


async def _details(request: Request) -> JSONResponse:
    if refusal := _refuse(request):
        return refusal
    wanted = request.query_params.getlist("ids")
    results = [_poi(spot) for spot in SPOTS if f"loc{spot.number}" in wanted]
    return JSONResponse({"type": "local_pois", "results": results})


async def _descriptions(request: Request) -> JSONResponse:
    if refusal := _refuse(request):
        return refusal
    wanted = request.query_params.getlist("ids")
    results = [{"id": one, "description": f"About {one}."} for one in wanted]
    return JSONResponse({"type": "local_descriptions", "results": results})


def _find_locations(request: Request) -> JSONResponse | None:
    """The ids of places, if those are asked for."""
    if request.query_params.get("result_filter") != "locations":
        return None
    return JSONResponse({"type": "search", "query": {}, "locations": _locations(request)})


def _locations(request: Request) -> dict[str, Any]:
    """All places of the country that the headers name; the order is not by distance."""
    country = request.headers.get("x-loc-country", "FR")
    found = [spot for spot in reversed(SPOTS) if spot.country[1] == country]
    return {"type": "locations", "results": [{"id": f"loc{spot.number}"} for spot in found]}


def _poi(spot: Spot) -> dict[str, Any]:
    times = {"abbr_name": "Thu", "full_name": "Thursday", "opens": "06:59", "closes": "17:00"}
    return {
        "id": f"loc{spot.number}",
        "title": spot.name,
        "url": "https://cafe.example.org/",
        "coordinates": [spot.lat, spot.lon],
        "postal_address": {"displayAddress": f"12 Example Street, {spot.city}"},
        "contact": {"telephone": "+33 4 00 00 00 00"},
        "categories": [spot.tag[1]],
        "rating": {"ratingValue": 4.5, "bestRating": 5.0, "reviewCount": 120},
        "opening_hours": {"current_day": [times], "days": [[times]]},
    }


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
