"""A mirror of publishers' feeds: one has the world's news, one repeats them, one is dead, others are empty."""

from __future__ import annotations

from html import escape

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.internet.world import Page, World

PREFIX = "/newsfeeds"
FULL, REPEATING, DEAD = "feeds.npr.org", "www.theguardian.com", "www.wired.com"


def routes(world: World) -> list[Route]:
    async def feed(request: Request) -> Response:
        host = request.path_params["host"]
        if host == DEAD:
            return PlainTextResponse("gone", status_code=404)
        pages = [page for page in world.pages if page.kind == "news"]
        items = {
            FULL: [_rss_item(page, "") for page in pages],
            REPEATING: [_rss_item(page, "?utm_source=rss") for page in pages],
        }.get(host, [])
        body = f"<rss version='2.0'><channel><title>{host}</title>{''.join(items)}</channel></rss>"
        return Response(body, media_type="application/rss+xml")

    return [Route("/newsfeeds/{host}/{path:path}", feed)]


def _rss_item(page: Page, tail: str) -> str:
    date = page.published.strftime("%a, %d %b %Y %H:%M:%S GMT") if page.published else ""
    return (
        f"<item><title>{escape(page.title)}</title>"
        f"<link>{page.url}{tail}</link>"
        f"<description>{escape(page.description)}</description><pubDate>{date}</pubDate></item>"
    )
