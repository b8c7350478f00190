"""The routes of all pages."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from citewell import __version__
from citewell.server.app import App
from citewell.server.http.observing.readiness import ReadinessMonitor
from citewell.server.http.own_address import find_own_url, is_public_url
from citewell.server.pages.client_guides import ServerAddress
from citewell.server.pages.front_page import FrontPageFacts, render_front_page
from citewell.server.pages.page_frame import build_page_response


def build_page_routes(app: App, readiness: ReadinessMonitor) -> list[BaseRoute]:
    """The front page, which says what /health/ready says."""

    async def show_front_page(request: Request) -> Response:
        url = find_own_url(request)
        facts = FrontPageFacts(
            address=ServerAddress(base_url=url, is_public=is_public_url(url)),
            version=__version__,
            is_ready=(await readiness.judge_readiness()).is_ready,
            toolsets=app.list_toolsets(),
        )
        return build_page_response("Citewell", render_front_page(facts), script="front.js")

    return [Route("/", show_front_page)]
