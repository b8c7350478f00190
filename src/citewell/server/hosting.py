"""Runs the HTTP server: every profile at its path, health and metrics, a clean end on SIGTERM."""

from __future__ import annotations

import sys
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from starlette.applications import Starlette

from citewell.config import Settings
from citewell.net.breaker import State
from citewell.server.app import App
from citewell.server.http import health, refuse_public, transport
from citewell.server.logs import configure
from citewell.server.protocol import build

DRAIN = 10  # seconds a call in flight may still take after SIGTERM


def mounts(app: App) -> dict[str, Server[Any]]:
    """`/mcp` is the configured choice, `/mcp/all` everything, `/mcp/<toolset>` one toolset."""
    servers = {"/mcp": build(app), "/mcp/all": build(app, tools=app.offered("all"))}
    for toolset in app.toolsets():
        servers[f"/mcp/{toolset}"] = build(app, tools=app.offered(toolset))
    return servers


def asgi(app: App) -> Starlette:
    beside = health(lambda: _ready(app), app.metrics.exposition, app.settings)
    return transport(mounts(app), app.settings, routes=beside, closing=app.aclose)


def serve_http(settings: Settings, *, insecure: bool = False) -> int:
    """Listen until told to stop. Misconfigured when the interface is public and nobody insisted."""
    refuse_public(settings, insecure=insecure)
    configure(settings.log_level)
    runner = uvicorn.Server(
        uvicorn.Config(
            asgi(App(settings)),
            host=settings.host,
            port=settings.port or 8000,
            http="h11",  # httptools accepts header whitespace that conformance forbids
            loop="asyncio" if sys.platform == "win32" else "uvloop",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=DRAIN,
        )
    )
    runner.run()
    return 0 if runner.started else 2


def _ready(app: App) -> bool:
    """Not ready only when every provider that was asked is resting."""
    states = [snapshot.state for snapshot in app.network.health().values()]
    return not states or any(state is not State.OPEN for state in states)
