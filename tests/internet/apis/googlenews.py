"""Google News as RSS: links lead nowhere without a browser, and the publisher stands beside them."""

from __future__ import annotations

import re
from html import escape

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.internet.world import World

PREFIX = "/googlenews"


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> Response:
        words = re.sub(r"\bwhen:\w+", "", request.query_params["q"])
        found = world.search(words, count=100, kind="news")
        items = "".join(
            f"<item><title>{escape(page.title)} - Example News</title>"
            f"<link>{world.base_url}/googlenews/articles/CBMi{place}?oc=5</link>"
            f"<pubDate>{page.published:%a, %d %b %Y %H:%M:%S} GMT</pubDate>"
            f'<source url="https://{page.host}">Example News</source></item>'
            for place, page in enumerate(found)
            if page.published
        )
        body = f"<rss version='2.0'><channel><title>Google News</title>{items}</channel></rss>"
        return Response(body, media_type="application/xml")

    return [Route("/googlenews", search), Route("/googlenews/", search)]
