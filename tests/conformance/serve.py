"""Runs the fixture on our own HTTP transport: `python -m tests.conformance.serve PORT`."""

from __future__ import annotations

import sys
import warnings

import uvicorn
from mcp.shared.exceptions import MCPDeprecationWarning

from citewell.config import Settings
from citewell.server.http import health, transport
from tests.conformance import fixture


def main(port: int) -> None:
    # The older scenarios want log messages, which the SDK calls outdated.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    settings = Settings(port=port)
    app = transport(
        {"/mcp": fixture.build()},
        settings,
        routes=health(lambda: True, str, settings),
    )
    uvicorn.run(app, host="127.0.0.1", port=port, http="h11", log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]))
