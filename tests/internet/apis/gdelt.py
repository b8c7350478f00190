"""GDELT's document API over the world's news; refusals are text with status 200, as there."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.internet.world import Page, World

PREFIX = "/gdelt"
_OPERATOR = re.compile(r"\(?(?:domain|sourcelang|sourcecountry):\S+|\bOR\b")
_SPANS = {"1h": "hour", "1d": "day", "1w": "week", "1m": "month"}


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> Response:
        asked = request.query_params
        words = _OPERATOR.sub(" ", asked["query"]).strip()
        if len(words) < 3:
            return PlainTextResponse("Your query was too short or too long.")
        span = _SPANS.get(asked.get("timespan", ""))
        found = world.search(
            words,
            count=int(asked["maxrecords"]),
            since=world.since(span) if span else None,
            sites=re.findall(r"domain:([^\s)]+)", asked["query"]),
            kind="news",
        )
        if asked["sort"] == "DateDesc":
            found.sort(key=lambda page: page.published or world.now, reverse=True)
        return JSONResponse({"articles": list(map(_article, found))} if found else {})

    return [Route("/gdelt", search), Route("/gdelt/", search)]


def _article(page: Page) -> dict[str, Any]:
    seen = page.published.strftime("%Y%m%dT%H%M%SZ") if page.published else ""
    return {
        "url": page.url,
        "url_mobile": "",
        "title": re.sub(r"([,;:])", r" \1", page.title),
        "seendate": seen,
        "socialimage": "",
        "domain": page.host,
        "language": "English",
        "sourcecountry": "United States",
    }
