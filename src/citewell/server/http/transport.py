"""The ASGI app for MCP over streamable HTTP."""

from __future__ import annotations

import contextlib
import ipaddress
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Route

from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.server.http.auth.auth_ways import (
    WAYS_HELP,
    check_auth_settings,
    list_auth_ways,
)


def build_http_transport(
    servers: Mapping[str, Server[Any]],
    settings: Settings,
    *,
    routes: list[BaseRoute] | None = None,
    error_handlers: Mapping[Any, Any] | None = None,
    background: Callable[[], AbstractAsyncContextManager[None]] = contextlib.nullcontext,
    on_close: Callable[[], Awaitable[None]] | None = None,
) -> Starlette:
    """The ASGI app: each server at its path. Host and Origin are checked by the layers around it.

    `background` is open while requests are accepted; `on_close` is awaited at shutdown.
    """
    managers = {
        path: StreamableHTTPSessionManager(
            app=server,
            json_response=False,  # JSON responses lose progress messages and do not notice disconnects
            session_idle_timeout=settings.mcp_session_idle_timeout,
            max_request_body_size=settings.max_request_bytes,
        )
        for path, server in servers.items()
    }

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            for manager in managers.values():
                await stack.enter_async_context(manager.run())
            async with background():
                yield
        if on_close is not None:
            await on_close()

    mounted: list[BaseRoute] = [
        Route(path, endpoint=StreamableHTTPASGIApp(manager)) for path, manager in managers.items()
    ]
    served = Starlette(
        routes=mounted + (routes or []), lifespan=lifespan, exception_handlers=error_handlers
    )
    served.router.redirect_slashes = False  # would redirect to whatever Host the request names
    return served


def check_listen_address(settings: Settings, *, insecure: bool) -> None:
    """Raise Misconfigured for a public interface without authentication, unless `insecure`.

    Also raises it if the settings of the authentication do not fit together.
    """
    check_auth_settings(settings)
    if list_auth_ways(settings) or is_loopback_host(settings.host):
        return
    if insecure:
        sys.stderr.write(
            f"WARNING: citewell listens on {settings.host} without authentication. Anyone who can "
            f"reach the port can use this server, its keys and everything it keeps. {WAYS_HELP}.\n"
        )
        return
    raise Misconfigured(
        f"Citewell does not listen on {settings.host}: anyone who can reach the port could use this server. "
        f"{WAYS_HELP}. Or listen on 127.0.0.1, or add --insecure to listen anyway.",
        action="inform_user",
    )


def is_loopback_host(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
