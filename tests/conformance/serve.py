"""Runs the fixture on our own HTTP transport: `python -m tests.conformance.serve PORT`."""

from __future__ import annotations

import sys
import warnings

import uvicorn
from mcp.shared.exceptions import MCPDeprecationWarning

from citewell.core.config import Settings
from citewell.server.http.hosting import build_health_routes
from citewell.server.http.listening import build_http_transport
from citewell.server.http.observing.readiness import ReadinessMonitor
from citewell.server.http.observing.request_records import ServerState
from citewell.server.http.origins import HostCheck, OriginCheck, build_allowed_origins
from tests.conformance import fixture


def main(port: int) -> None:
    # The older scenarios want log messages, which the SDK calls outdated.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    settings = Settings(port=port)
    app = build_http_transport(
        {"/mcp": fixture.build()},
        settings,
        routes=build_health_routes(ReadinessMonitor(ServerState(), ())),
    )
    allowed = build_allowed_origins(settings)
    checked = HostCheck(OriginCheck(app, allowed), allowed)
    uvicorn.run(checked, host="127.0.0.1", port=port, http="h11", log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]))
