"""YouTube's mobile page with its key, and the player that wants it, as m.youtube.com serves them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from tests.internet.apis.site_youtube import player
from tests.internet.world import World

PREFIX = "/site_youtube_mobile"
KEY = "example-key-0001"


def routes(_world: World) -> list[Route]:
    async def watch(_request: Request) -> Response:
        date = '<meta itemprop="datePublished" content="2025-02-03">'
        return HTMLResponse(f'{date}<script>ytcfg.set({{"INNERTUBE_API_KEY":"{KEY}"}})</script>')

    async def answer(request: Request) -> Response:
        if request.query_params.get("key") != KEY:
            return JSONResponse({"error": {"code": 403}}, status_code=403)
        return JSONResponse(player((await request.json())["videoId"]))

    return [
        Route("/site_youtube_mobile/watch", watch),
        Route("/site_youtube_mobile/youtubei/v1/player", answer, methods=["POST"]),
    ]
