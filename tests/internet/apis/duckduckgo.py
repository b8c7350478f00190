"""DuckDuckGo's page without scripts: wrapped links, an advertisement, a form for the next page."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from tests.internet.world import Page, World

PREFIX = "/duckduckgo"
_SPANS = {"d": "day", "w": "week", "m": "month", "y": "year"}
_PAGE = 10

CHALLENGE = """<!DOCTYPE html><html><head><title>DuckDuckGo</title></head><body>
<form id="challenge-form" action="//duckduckgo.com/anomaly.js?cc=botnet" method="POST">
<div class="anomaly-modal__mask"><div class="anomaly-modal__modal">
<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>
</div></div></form></body></html>"""


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> HTMLResponse:
        asked = await request.form() if request.method == "POST" else request.query_params
        if not request.headers.get("user-agent", "").startswith("Mozilla/"):
            return HTMLResponse(CHALLENGE, 202)
        text, start = str(asked.get("q", "")), int(str(asked.get("s", "0")))
        span = _SPANS.get(str(asked.get("df", "")))
        since = world.since(span) if span else None
        found = world.search(text, count=_PAGE + 1, since=since, offset=start)
        return HTMLResponse(_sheet(found, text=text, start=start))

    return [Route("/duckduckgo", search, methods=["GET", "POST"])]


def _sheet(found: list[Page], *, text: str, start: int) -> str:
    rows = "".join(map(_row, found[:_PAGE])) or '<div class="no-results">No results.</div>'
    following = _next(text, start + _PAGE) if len(found) > _PAGE else ""
    return (
        f"<html><head><title>{escape(text)} at DuckDuckGo</title></head><body>"
        f'<div id="links" class="results">{_AD if found else ""}{rows}{following}</div></body></html>'
    )


_AD = """<div class="result results_links results_links_deep result--ad"><h2 class="result__title">
<a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=shop.example.com">Buy now</a></h2>
<a class="result__snippet" href="#">An advertisement</a></div>"""


def _row(page: Page) -> str:
    href = f"//duckduckgo.com/l/?uddg={quote(page.url, safe='')}&amp;rut=0"
    date = page.published.strftime("%Y-%m-%dT%H:%M:%S.0000000") if page.published else ""
    return (
        '<div class="result results_links results_links_deep web-result "><h2 class="result__title">'
        f'<a rel="nofollow" class="result__a" href="{href}">{escape(page.title)}</a></h2>'
        f'<div class="result__extras"><span>&nbsp; {date}</span></div>'
        f'<a class="result__snippet" href="{href}"><b>{escape(page.site)}</b> '
        f"{escape(page.description)}</a></div>"
    )


def _next(text: str, start: int) -> str:
    return (
        '<div class="nav-link"><form action="/html/" method="post">'
        '<input type="submit" class="btn btn--alt" value="Next" />'
        f'<input type="hidden" name="q" value="{escape(text, quote=True)}" />'
        f'<input type="hidden" name="s" value="{start}" />'
        '<input type="hidden" name="vqd" value="4-1" /></form></div>'
    )
