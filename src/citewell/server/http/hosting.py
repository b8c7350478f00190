"""Puts the HTTP server together, behind all layers, and serves it or only checks that it could start."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from citewell.core.config import Settings
from citewell.core.errors import CitewellError, Misconfigured
from citewell.core.settings import CoreSettings
from citewell.core.tooling import Owner
from citewell.core.values.counted_words import pluralize
from citewell.net.settings import NetSettings
from citewell.people.erasure_store import ErasureRecord
from citewell.routing.provider_catalogue import SearchRouter
from citewell.server.app import App
from citewell.server.call_values import CallOrigin
from citewell.server.http.admin_requests import AdminVerdict, judge_admin_request
from citewell.server.http.admin_routes import build_admin_routes
from citewell.server.http.auth.caller import find_caller
from citewell.server.http.cached_call_shortcut import find_call_origin
from citewell.server.http.draining import CallDrain
from citewell.server.http.layers import wrap_in_layers
from citewell.server.http.limits import build_connection_limits
from citewell.server.http.listening import (
    DrainingServer,
    build_http_transport,
    build_uvicorn_config,
    check_listen_address,
    describe_start,
    open_listening_sockets,
    raise_file_limit,
    run_server,
)
from citewell.server.http.observing.metrics_collector import ServerMetrics
from citewell.server.http.observing.readiness import ReadinessMonitor, build_readiness_monitor
from citewell.server.http.observing.request_records import ServerState, find_request_record
from citewell.server.http.observing.tracing import build_request_tracing
from citewell.server.http.page_routes import build_page_routes
from citewell.server.log_output import configure_logging
from citewell.server.pages.page_frame import ERROR_HANDLERS
from citewell.server.protocol.sdk_server import RequestContext, build_sdk_server
from citewell.server.settings import ServerSettings
from citewell.server.startup import resume_jobs, share_breakers
from citewell.server.state.state_check import StateCondition, refuse_unusable_state
from citewell.server.state.state_store import has_stored_state
from citewell.store.coordination.change_notices import ERASURE_TOPIC
from citewell.store.failures import StoreError

_CONDITIONS = {
    StateCondition.ABSENT: "nothing is stored yet",
    StateCondition.UNUSED: "nothing is encrypted yet",
    StateCondition.READABLE: "the stored state can be read",
}

logger = logging.getLogger(__name__)
_Standing = tuple[str, float | None]  # the keys that were destroyed, and when it finished
CHECK_INTERVAL_SECONDS = 5.0  # while notices of other processes are not heard

_TEXT_FORMAT = "text/plain; version=0.0.4"

_NO_STORE = {"cache-control": "no-store"}

DEFAULT_PORT = 8000  # used if the settings name no port


def build_mounted_servers(app: App, state: ServerState) -> dict[str, Server[Any]]:
    """SDK servers by path: `/mcp` with the configured tools, `/mcp/all` with all, `/mcp/<toolset>` with one toolset."""
    return {
        path: build_sdk_server(
            app,
            tools=tools,
            # Both as of the HTTP request that carries the message.
            identify=lambda context: (
                find_caller(context.request.scope).owner if context.request else Owner()
            ),
            name_request=partial(_name_traced_request, state),
            find_origin=lambda context: (
                find_call_origin(context.request.scope) if context.request else CallOrigin()
            ),
        )
        for path, tools in _list_tools_by_path(app).items()
    }


def _name_traced_request(state: ServerState, context: RequestContext) -> str:
    """The id of the HTTP request that carries this message, which its response has too."""
    request_id = str(context.request_id)
    if context.request is not None:
        request_id = find_request_record(context.request.scope).id
    if state.tracing is not None:
        state.tracing.adopt_message_trace(request_id, context.meta)
    return request_id


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
        # Sends what is waiting, which takes as long as the collector.
        await asyncio.to_thread(state.tracing.provider.shutdown)


@contextlib.asynccontextmanager
async def _run_in_background(app: App) -> AsyncIterator[None]:
    async with resume_jobs(app, keep_serving=True), watch_erasures(app), share_breakers(app):
        yield


def serve_http(settings: Settings, *, insecure: bool = False) -> int:
    """Listen until a signal stops it.

    Raises Misconfigured for a public interface without `insecure`, and if the port cannot be used.
    """
    server_settings = settings[ServerSettings]
    core_settings = settings[CoreSettings]
    app = prepare_app(settings, insecure=insecure)
    configure_logging(core_settings.log_level, core_settings.log_format)
    state = ServerState()
    drain = CallDrain(state)
    served = build_layered_app(app, state, drain)
    limits = build_connection_limits(settings)
    state.count_connections = lambda: limits.total
    listening = open_listening_sockets(server_settings.host, server_settings.port or DEFAULT_PORT)
    raise_file_limit(server_settings.max_connections)
    server = DrainingServer(
        build_uvicorn_config(served, settings, limits),
        drain,
        server_settings.shutdown_delay,
        describe=partial(describe_start, settings),
    )
    return run_server(server, listening)


def prepare_app(settings: Settings, *, insecure: bool = False) -> App:
    """The app, after all checks that need no port; raises Misconfigured with what to change."""
    check_listen_address(settings, insecure=insecure)
    refuse_unusable_state(settings)
    app = App(settings)
    _check_late_settings(app)
    return app


def try_starting(settings: Settings, *, insecure: bool = False) -> str:
    """Do what a start does, but serve nothing; returns the address, raises Misconfigured."""
    server_settings = settings[ServerSettings]
    build_layered_app(prepare_app(settings, insecure=insecure))
    port = server_settings.port or DEFAULT_PORT
    for opened in open_listening_sockets(server_settings.host, port):
        opened.close()
    return f"{server_settings.host}:{port}"


# The routes that tell whether the server lives and whether it is ready.


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


# The route for Prometheus, for operators alone unless the settings open it.


def build_metrics_route(render: Callable[[], Awaitable[str]], settings: Settings) -> Route:
    async def show_metrics(request: Request) -> Response:
        if (
            not settings[ServerSettings].open_metrics
            and judge_admin_request(request, settings) is not AdminVerdict.ADMITTED
        ):
            return PlainTextResponse(
                "Send X-Admin-Key, or set CITEWELL_OPEN_METRICS.\n", status_code=401
            )
        return PlainTextResponse(await render(), media_type=_TEXT_FORMAT)

    return Route("/metrics", show_metrics)


# Drops from this process's memory whoever was erased, here or by another process.


class ErasureWatch:
    def __init__(self, app: App) -> None:
        self._app = app
        self._seen: int | None = None  # up to this number every erasure was finished
        self._known: dict[int, _Standing] = {}  # how later ones stood at the last check

    async def check_erasures(self) -> int:
        """Forget everybody whose erasure has begun or advanced since the last check; returns how many.

        An erasure is looked at until it has finished, because a key that is read again after the
        erasure began, and before the key is destroyed, has to be forgotten once more. At the first
        check nothing of an earlier erasure that has finished can be in memory.
        """
        state = self._app.open_state()
        records = await state.erasures.list_erasures(after=self._seen or 0)
        changed = self._note_records(records)
        for record in changed:
            await state.forget_tagged_owner(record.owner)
            await self._app.recent.forget_tagged_errors(record.owner, state.vault)
        if changed:
            self._app.store.forget_recent()
        return len(changed)

    def _note_records(self, records: tuple[ErasureRecord, ...]) -> list[ErasureRecord]:
        """Those that are new, or differ from the last check."""
        former, is_first = self._known, self._seen is None
        self._known = {record.number: (record.keychain, record.finished) for record in records}
        open_numbers = [record.number for record in records if record.finished is None]
        last = max([self._seen or 0, *self._known])
        self._seen = min(open_numbers) - 1 if open_numbers else last
        return [
            record
            for record in records
            if self._known[record.number] != former.get(record.number)
            and not (is_first and record.finished is not None)
        ]


@contextlib.asynccontextmanager
async def watch_erasures(
    app: App, *, interval: float = CHECK_INTERVAL_SECONDS
) -> AsyncIterator[ErasureWatch]:
    """Look for erasures when one is announced, and at least every `interval` seconds, while the block runs."""
    watch = ErasureWatch(app)
    task = asyncio.create_task(_check_regularly(app, watch, interval))
    try:
        yield watch
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _check_regularly(app: App, watch: ErasureWatch, interval: float) -> None:
    # A server that keeps nothing must not begin to.
    while not has_stored_state(app.settings):  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(interval)
    notices = app.open_state().notices
    async with notices.watch(ERASURE_TOPIC, poll_seconds=interval) as news:
        while True:
            try:
                await watch.check_erasures()
            except CitewellError as error:
                logger.warning("Erasures cannot be looked for. %s", error.message)
            await news.wait(interval)


# What `citewell serve --check` does: everything that a start does, except to serve.


def check_start(settings: Settings, *, uses_http: bool, insecure: bool = False) -> str:
    """A sentence about a server that could start; raises CitewellError with what to change."""
    condition = refuse_unusable_state(settings)
    app = App(settings)
    _check_late_settings(app)
    place = "stdio"
    if uses_http:
        place = f"HTTP on {try_starting(settings, insecure=insecure)}"
    started = f"The server can start: {place}, {len(app.tools)} {pluralize(len(app.tools), 'tool')}"
    if isinstance(condition, StoreError):
        return f"{started}; it is not ready until this is mended: {condition.message}"
    return f"{started}; {_CONDITIONS[condition]}."


def _check_late_settings(app: App) -> None:
    """Raise Misconfigured for routing and files that cannot be used, which are otherwise read when needed."""
    SearchRouter(app.settings, app.catalogue)
    authorities = app.settings[NetSettings].ca_file
    if authorities is not None and not (authorities.is_file() and os.access(authorities, os.R_OK)):
        raise Misconfigured(
            f"CITEWELL_CA_FILE names {authorities}, which is not a file that can be read.",
            action="inform_user",
        )
