"""The routes that tell whether the server lives and whether it is ready."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from citewell.server.http.observing.readiness import ReadinessMonitor

_NO_STORE = {"cache-control": "no-store"}


def build_health_routes(readiness: ReadinessMonitor) -> list[BaseRoute]:
    async def show_liveness(_: Request) -> Response:
        # That this runs shows that the event loop turns; whoever asks sets the time limit.
        return JSONResponse({"status": "ok"}, headers=_NO_STORE)

    async def show_readiness(_: Request) -> Response:
        report = await readiness.judge_readiness()
        return JSONResponse(
            report.to_wire(), status_code=200 if report.is_ready else 503, headers=_NO_STORE
        )

    return [Route("/health/live", show_liveness), Route("/health/ready", show_readiness)]
