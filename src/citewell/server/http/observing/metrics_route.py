"""The route for Prometheus, for operators alone unless the settings open it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from citewell.config import Settings
from citewell.server.http.admin.admin_access import is_admin_request

_TEXT_FORMAT = "text/plain; version=0.0.4"


def build_metrics_route(render: Callable[[], Awaitable[str]], settings: Settings) -> Route:
    async def show_metrics(request: Request) -> Response:
        if not settings.open_metrics and not is_admin_request(request, settings):
            return PlainTextResponse(
                "Send X-Admin-Key, or set CITEWELL_OPEN_METRICS.\n", status_code=401
            )
        return PlainTextResponse(await render(), media_type=_TEXT_FORMAT)

    return Route("/metrics", show_metrics)
