"""Runs the HTTP server: each profile at its path, health, metrics and a clean shutdown on SIGTERM."""

from __future__ import annotations

import contextlib
import errno
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
from citewell.errors import Misconfigured
from citewell.net.upstream.circuit_breaker import BreakerState
from citewell.server.app import App
from citewell.server.http.auth.caller import find_caller
from citewell.server.http.layers import wrap_in_layers
from citewell.server.http.observing.request_records import find_request_record
from citewell.server.http.observing.server_state import ServerState
from citewell.server.http.page_routes import build_page_routes
from citewell.server.http.transport import (
    build_health_routes,
    build_http_transport,
    check_listen_address,
)
from citewell.server.http.write_coalescing import CoalescingProtocol
from citewell.server.job_resumption import resume_jobs
from citewell.server.log_output import configure_logging
from citewell.server.pages.error_pages import ERROR_HANDLERS
from citewell.server.protocol.sdk_server import RequestContext, build_sdk_server
from citewell.tooling import Owner

DEFAULT_PORT = 8000  # used if the settings name no port
SHUTDOWN_SECONDS = 10  # seconds that running calls may take after SIGTERM


def build_mounted_servers(app: App) -> dict[str, Server[Any]]:
    """SDK servers by path: `/mcp` with the configured tools, `/mcp/all` with all, `/mcp/<toolset>` with one toolset."""
    return {
        path: build_sdk_server(
            app, tools=tools, identify=identify_http_owner, name_request=name_http_request
        )
        for path, tools in _list_tools_by_path(app).items()
    }


def identify_http_owner(context: RequestContext) -> Owner:
    """The verified owner of the HTTP request that carries this message."""
    return find_caller(context.request.scope).owner if context.request else Owner()


def name_http_request(context: RequestContext) -> str:
    """The id of the HTTP request that carries this message, which its response has too."""
    if context.request is None:
        return str(context.request_id)
    return find_request_record(context.request.scope).id


def _list_tools_by_path(app: App) -> dict[str, dict[str, dict[str, Any]]]:
    offers = {"/mcp": app.tools, "/mcp/all": app.choose_tools("all")}
    return offers | {
        f"/mcp/{toolset}": app.choose_tools(toolset) for toolset in app.list_toolsets()
    }


def build_layered_app(app: App, state: ServerState | None = None) -> ASGIApp:
    """The routes behind all layers: what `citewell serve --http` listens with."""
    state = state or ServerState()
    offered = {path: frozenset(tools) for path, tools in _list_tools_by_path(app).items()}
    return wrap_in_layers(build_asgi_app(app, state), app, offered, state)


def build_asgi_app(app: App, state: ServerState | None = None) -> Starlette:
    state = state or ServerState()
    routes = build_health_routes(
        lambda: _has_usable_provider(app), app.metrics.render_prometheus, app.settings
    )
    routes += build_page_routes(app, is_ready=lambda: _has_usable_provider(app))
    return build_http_transport(
        build_mounted_servers(app),
        app.settings,
        routes=routes,
        error_handlers=ERROR_HANDLERS,
        background=lambda: resume_jobs(app, keep_serving=True),
        on_close=app.aclose,
    )


def serve_http(settings: Settings, *, insecure: bool = False) -> int:
    """Listen until a signal stops it.

    Raises Misconfigured for a public interface without `insecure`, and if the port cannot be used.
    """
    check_listen_address(settings, insecure=insecure)
    configure_logging(settings.log_level, settings.log_format)
    app = build_layered_app(App(settings))
    return run_uvicorn(app, open_listening_sockets(settings.host, settings.port or DEFAULT_PORT))


def open_listening_sockets(host: str, port: int) -> list[socket.socket]:
    """A socket for each address of `host`; raises Misconfigured if one cannot be opened."""
    opened: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, address in dict.fromkeys((entry[0], entry[4]) for entry in found):
            opened.append(socket.create_server(address[:2], family=family))
    except OSError as error:
        for listening in opened:
            listening.close()
        raise Misconfigured(
            _describe_listen_failure(error, host, port), action="inform_user"
        ) from None
    return opened


def _describe_listen_failure(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is in use by another program. "
            "Stop that program, or choose another port with --port or PORT."
        )
    if error.errno == errno.EACCES:
        return (
            f"This user may not listen on port {port}. Choose one above 1023 with --port or PORT."
        )
    return (
        f"{host} is not an address of this machine that can be listened on ({error.strerror}). "
        "Choose another with --host or CITEWELL_HOST."
    )


def run_uvicorn(app: ASGIApp, listening: list[socket.socket]) -> int:
    """Serve `app` in this process until a signal stops it; 0, or 2 if it could not start."""
    server = _AnnouncingServer(
        uvicorn.Config(
            app,
            http=CoalescingProtocol,  # httptools accepts header whitespace that conformance forbids
            loop="asyncio" if sys.platform == "win32" else "uvloop",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
    )
    server.run(listening)
    return 0 if server.started else 2


class _AnnouncingServer(uvicorn.Server):
    """Prints its address once it listens, and exits normally after SIGTERM."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in (sock for server in self.servers for sock in server.sockets):
            host, port, *_ = listening.getsockname()
            shown = f"[{host}]" if ":" in host else host
            sys.stderr.write(f"citewell serves MCP at http://{shown}:{port}/mcp\n")

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Like uvicorn's, but does not raise the signal again after shutdown."""
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


def _has_usable_provider(app: App) -> bool:
    """False only if the breakers of all providers used so far are open."""
    states = [snapshot.state for snapshot in app.network.collect_health().values()]
    return not states or any(state is not BreakerState.OPEN for state in states)
