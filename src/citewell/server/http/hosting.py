"""Puts the HTTP server together: each profile at its path, health and metrics, behind all layers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.types import ASGIApp

from citewell.config import Settings
from citewell.server.app import App
from citewell.server.breaker_sharing import share_breakers
from citewell.server.erasure_watch import watch_erasures
from citewell.server.http.admin.admin_routes import build_admin_routes
from citewell.server.http.auth.caller import find_caller
from citewell.server.http.call_origins import find_call_origin
from citewell.server.http.connections.connection_limits import build_connection_limits
from citewell.server.http.draining import CallDrain
from citewell.server.http.layers import wrap_in_layers
from citewell.server.http.listening import (
    DrainingServer,
    build_uvicorn_config,
    open_listening_sockets,
    raise_file_limit,
    run_server,
)
from citewell.server.http.observing.health_routes import build_health_routes
from citewell.server.http.observing.metrics_collector import ServerMetrics
from citewell.server.http.observing.metrics_route import build_metrics_route
from citewell.server.http.observing.readiness import build_readiness_monitor
from citewell.server.http.observing.request_records import find_request_record
from citewell.server.http.observing.server_state import ServerState
from citewell.server.http.observing.tracing import build_request_tracing
from citewell.server.http.page_routing.page_routes import build_page_routes
from citewell.server.http.start_message import describe_start
from citewell.server.http.transport import (
    build_http_transport,
    check_listen_address,
)
from citewell.server.job_resumption import resume_jobs
from citewell.server.late_settings import check_late_settings
from citewell.server.log_output import configure_logging
from citewell.server.pages.error_pages import ERROR_HANDLERS
from citewell.server.pipeline import CallOrigin
from citewell.server.protocol.sdk_server import RequestContext, build_sdk_server
from citewell.store.state_start import refuse_unusable_state
from citewell.tooling import Owner

DEFAULT_PORT = 8000  # used if the settings name no port


def build_mounted_servers(app: App, state: ServerState) -> dict[str, Server[Any]]:
    """SDK servers by path: `/mcp` with the configured tools, `/mcp/all` with all, `/mcp/<toolset>` with one toolset."""
    return {
        path: build_sdk_server(
            app,
            tools=tools,
            identify=identify_http_owner,
            name_request=partial(_name_traced_request, state),
            find_origin=find_http_origin,
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


def _name_traced_request(state: ServerState, context: RequestContext) -> str:
    request_id = name_http_request(context)
    if state.tracing is not None:
        state.tracing.adopt_message_trace(request_id, context.meta)
    return request_id


def find_http_origin(context: RequestContext) -> CallOrigin:
    """Where the HTTP request that carries this message came from."""
    return find_call_origin(context.request.scope) if context.request else CallOrigin()


def _list_tools_by_path(app: App) -> dict[str, dict[str, dict[str, Any]]]:
    offers = {"/mcp": app.tools, "/mcp/all": app.choose_tools("all")}
    return offers | {
        f"/mcp/{toolset}": app.choose_tools(toolset) for toolset in app.list_toolsets()
    }


def build_layered_app(
    app: App, state: ServerState | None = None, drain: CallDrain | None = None
) -> ASGIApp:
    """The routes behind all layers: what `citewell serve --http` listens with."""
    state = state or ServerState()
    drain = drain or CallDrain(state)
    state.tracing = build_request_tracing(app)
    offered = {path: frozenset(tools) for path, tools in _list_tools_by_path(app).items()}
    return wrap_in_layers(build_asgi_app(app, state), app, offered, state, drain)


def build_asgi_app(app: App, state: ServerState | None = None) -> Starlette:
    state = state or ServerState()
    readiness = build_readiness_monitor(app, state)
    routes = [
        *build_health_routes(readiness),
        build_metrics_route(ServerMetrics(app, state, readiness).render_metrics, app.settings),
        *build_admin_routes(app),
        *build_page_routes(app, state, readiness),
    ]
    return build_http_transport(
        build_mounted_servers(app, state),
        app.settings,
        routes=routes,
        error_handlers=ERROR_HANDLERS,
        background=lambda: _run_in_background(app),
        on_close=partial(_close_all, app, state),
    )


async def _close_all(app: App, state: ServerState) -> None:
    await app.aclose()
    if state.tracing is not None:
        await asyncio.to_thread(state.tracing.close_tracing)


@contextlib.asynccontextmanager
async def _run_in_background(app: App) -> AsyncIterator[None]:
    async with resume_jobs(app, keep_serving=True), watch_erasures(app), share_breakers(app):
        yield


def serve_http(settings: Settings, *, insecure: bool = False) -> int:
    """Listen until a signal stops it.

    Raises Misconfigured for a public interface without `insecure`, and if the port cannot be used.
    """
    app = prepare_app(settings, insecure=insecure)
    configure_logging(settings.log_level, settings.log_format)
    state = ServerState()
    drain = CallDrain(state)
    served = build_layered_app(app, state, drain)
    limits = build_connection_limits(settings)
    state.count_connections = lambda: limits.total
    listening = open_listening_sockets(settings.host, settings.port or DEFAULT_PORT)
    raise_file_limit(settings.max_connections)
    server = DrainingServer(
        build_uvicorn_config(served, settings, limits),
        drain,
        settings.shutdown_delay,
        describe=partial(describe_start, settings),
    )
    return run_server(server, listening)


def prepare_app(settings: Settings, *, insecure: bool = False) -> App:
    """The app, after all checks that need no port; raises Misconfigured with what to change."""
    check_listen_address(settings, insecure=insecure)
    refuse_unusable_state(settings)
    app = App(settings)
    check_late_settings(app)
    return app


def try_starting(settings: Settings, *, insecure: bool = False) -> str:
    """Do what a start does, but serve nothing; returns the address, raises Misconfigured."""
    build_layered_app(prepare_app(settings, insecure=insecure))
    port = settings.port or DEFAULT_PORT
    for opened in open_listening_sockets(settings.host, port):
        opened.close()
    return f"{settings.host}:{port}"
