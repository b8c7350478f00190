"""SearchApi.io's google, google_news and google_images engines in their documented shape."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.patents import Patent, match_patents
from tests.internet.world import Page, World

PREFIX = "/searchapi"
_PAGE = 10


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        asked = request.query_params
        if not (asked.get("api_key") or request.headers.get("authorization")):
            return JSONResponse({"error": "Invalid API key."}, 401)
        engine, number = asked["engine"], int(asked.get("num", str(_PAGE)))
        span = asked.get("time_period", "").removeprefix("last_")
        found = world.search(
            asked["q"],
            count=number,
            since=world.since(span) if span else None,
            language=asked.get("hl"),
            kind="news" if engine == "google_news" else None,
            offset=(int(asked.get("page", "1")) - 1) * number,
        )
        body: dict[str, Any] = {"search_metadata": {"id": "search_1", "status": "Success"}}
        if engine == "google_patents":
            text, _, code = asked["q"].partition(" CPC=")
            people = f"{asked.get('assignee', '')} {asked.get('inventor', '')}".split()
            fitting = [
                one for one in match_patents([*text.split(), *people]) if one.cpc.startswith(code)
            ]
            return JSONResponse(body | {"organic_results": list(map(_patent, fitting))})
        if engine == "google_images":
            return JSONResponse(body | {"images": list(map(_image, found))})
        return JSONResponse(
            body | ({"organic_results": list(map(_result, found))} if found else {})
        )

    return [Route("/searchapi", search)]


def _result(page: Page) -> dict[str, Any]:
    return {
        "title": page.title,
        "link": page.url,
        "snippet": page.description,
        "displayed_link": page.host,
        "source": page.site,
        "date": page.published.strftime("%b %d, %Y") if page.published else None,
    }


def _image(page: Page) -> dict[str, Any]:
    return {
        "title": page.title,
        "source": {"name": page.site, "link": page.url},
        "original": {"link": page.image, "width": 1, "height": 1},
        "thumbnail": page.image,
    }


def _patent(one: Patent) -> dict[str, Any]:
    return {
        "patent_id": f"patent/{one.number}/en",
        "publication_number": one.number,
        "title": one.title,
        "snippet": one.abstract,
        "assignee": one.assignee,
        "inventor": one.inventor,
        "filing_date": one.filed,
        "grant_date": one.published if one.is_granted else None,
    }
