"""The Internet Archive's availability answer: the nearest copy of a page, where it has one."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.world import World

PREFIX = "/wayback"


def routes(world: World) -> list[Route]:
    """Copies are what `archive` keeps: address → timestamps."""

    async def available(request: Request) -> JSONResponse:
        url = request.query_params.get("url", "")
        stamps = world.state.setdefault("archive", {}).get(url, [])
        if not stamps:
            return JSONResponse({"url": url, "archived_snapshots": {}})
        closest = {
            "status": "200",
            "available": True,
            "url": f"{world.base_url}/archive/web/{max(stamps)}/{url}",
            "timestamp": max(stamps),
        }
        return JSONResponse({"url": url, "archived_snapshots": {"closest": closest}})

    return [Route("/wayback", available)]
