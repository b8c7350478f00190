"""Runs the HTTP server: every profile at its path, health and metrics, a clean end on SIGTERM."""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.types import ASGIApp

from citewell.config import Settings
from citewell.net.breaker import State
from citewell.server.app import App
from citewell.server.gather import GatheringProtocol
from citewell.server.http import health, refuse_public, transport
from citewell.server.logs import configure
from citewell.server.protocol import build
from citewell.server.resume import resuming
from citewell.server.shortcut import Shortcut

PORT = 8000  # unless the settings say otherwise
DRAIN = 10  # seconds a call in flight may still take after SIGTERM


def mounts(app: App) -> dict[str, Server[Any]]:
    """`/mcp` is the configured choice, `/mcp/all` everything, `/mcp/<toolset>` one toolset."""
    return {path: build(app, tools=tools) for path, tools in _offers(app).items()}


def _offers(app: App) -> dict[str, dict[str, dict[str, Any]]]:
    offers = {"/mcp": app.tools, "/mcp/all": app.offered("all")}
    return offers | {f"/mcp/{toolset}": app.offered(toolset) for toolset in app.toolsets()}


def shortened(app: App) -> Shortcut:
    """The same, with a short way for calls whose answer is in memory."""
    offered = {path: frozenset(tools) for path, tools in _offers(app).items()}
    return Shortcut(asgi(app), app, offered)


def asgi(app: App) -> Starlette:
    routes = health(lambda: _ready(app), app.metrics.exposition, app.settings)
    return transport(
        mounts(app),
        app.settings,
        routes=routes,
        beside=lambda: resuming(app, serving=True),
        closing=app.aclose,
    )


def serve_http(settings: Settings, *, insecure: bool = False) -> int:
    """Listen until told to stop. Misconfigured when the interface is public and nobody insisted."""
    refuse_public(settings, insecure=insecure)
    configure(settings.log_level)
    return run(shortened(App(settings)), host=settings.host, port=settings.port or PORT)


def run(app: ASGIApp, *, host: str, port: int) -> int:
    """Serve `app` in this process; 0 after a clean end, whichever signal asked for it."""
    server = _Announced(
        uvicorn.Config(
            app,
            host=host,
            port=port,
            http=GatheringProtocol,  # httptools accepts header whitespace that conformance forbids
            loop="asyncio" if sys.platform == "win32" else "uvloop",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=DRAIN,
        )
    )
    server.run()
    return 0 if server.started else 2


class _Announced(uvicorn.Server):
    """Says where it listens once it does, and treats SIGTERM as a wish, not an accident."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in (sock for server in self.servers for sock in server.sockets):
            host, port, *_ = listening.getsockname()
            shown = f"[{host}]" if ":" in host else host
            sys.stderr.write(f"citewell serves MCP at http://{shown}:{port}/mcp\n")

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As uvicorn does, but without raising the signal again when all is done."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            sign: signal.signal(sign, self.handle_exit) for sign in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for sign, handler in before.items():
                signal.signal(sign, handler)


def _ready(app: App) -> bool:
    """Not ready only when every provider that was asked is resting."""
    states = [snapshot.state for snapshot in app.network.health().values()]
    return not states or any(state is not State.OPEN for state in states)
