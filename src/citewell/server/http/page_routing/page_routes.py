"""The routes of all pages, and where they get what they show."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from citewell import __version__
from citewell.server.app import App
from citewell.server.http.observing.readiness import ReadinessMonitor
from citewell.server.http.observing.server_state import ServerState
from citewell.server.http.page_routing.dashboard_facts import build_fact_sources
from citewell.server.http.page_routing.dashboard_routes import build_dashboard_routes
from citewell.server.http.page_routing.own_address import build_server_address, find_own_url
from citewell.server.pages.call_history import CallHistory
from citewell.server.pages.dashboard_collection import DashboardCollector
from citewell.server.pages.front_page import FrontPageFacts, render_front_page
from citewell.server.pages.page_frame import build_page_response


def build_page_routes(app: App, state: ServerState, readiness: ReadinessMonitor) -> list[BaseRoute]:
    """The front page and the dashboard, which say what /health/ready says.

    From now on the calls of the app are counted for the dashboard.
    """
    history = CallHistory()
    app.metrics.add_observer(history.record_call)
    sources = build_fact_sources(app, state, readiness)
    collector = DashboardCollector(app, history, sources)

    async def show_front_page(request: Request) -> Response:
        url = find_own_url(request, app.settings.public_url)
        facts = FrontPageFacts(
            address=build_server_address(url, app.settings),
            version=__version__,
            is_ready=(await readiness.judge_readiness()).is_ready,
            toolsets=app.list_toolsets(),
        )
        return build_page_response("Citewell", render_front_page(facts), script="front.js")

    return [Route("/", show_front_page), *build_dashboard_routes(app.settings, collector)]
