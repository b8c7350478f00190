"""MCP over streamable HTTP, with health and metrics beside it."""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from citewell.config import Settings
from citewell.errors import Misconfigured

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def transport(
    servers: Mapping[str, Server[Any]],
    settings: Settings,
    *,
    routes: list[BaseRoute] | None = None,
    beside: Callable[[], AbstractAsyncContextManager[None]] = contextlib.nullcontext,
    closing: Callable[[], Awaitable[None]] | None = None,
) -> Starlette:
    """The ASGI app: each server at its path, behind Host and Origin checks and a body limit.

    `beside` is open for as long as requests are taken.
    """
    managers = {
        path: StreamableHTTPSessionManager(
            app=server,
            json_response=False,  # JSON answers drop progress and miss disconnects
            security_settings=security(settings),
            max_request_body_size=settings.max_request_bytes,
        )
        for path, server in servers.items()
    }

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            for manager in managers.values():
                await stack.enter_async_context(manager.run())
            async with beside():
                yield
        if closing is not None:
            await closing()

    mounted: list[BaseRoute] = [
        Route(path, endpoint=StreamableHTTPASGIApp(manager)) for path, manager in managers.items()
    ]
    return Starlette(routes=mounted + (routes or []), lifespan=lifespan)


def security(settings: Settings) -> TransportSecuritySettings:
    """Loopback names always; further hosts and origins only where the settings name them."""
    hosts = [*LOOPBACK, *(settings.allowed_hosts or ())]
    if settings.host not in {"0.0.0.0", "::", *LOOPBACK}:  # noqa: S104 - compared, not bound
        hosts.append(settings.host)
    origins = [f"http://{host}" for host in LOOPBACK]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[form for host in hosts for form in (host, f"{host}:*")],
        allowed_origins=[form for origin in origins for form in (origin, f"{origin}:*")]
        + list(settings.allowed_origins),
    )


def refuse_public(settings: Settings, *, insecure: bool) -> None:
    """Without authentication only this machine may be served, unless the operator insists."""
    if insecure or is_loopback(settings.host):
        return
    raise Misconfigured(
        f"Refusing to listen on {settings.host}: anyone who reaches the port could use this server. "
        "Listen on 127.0.0.1, put an authenticating proxy in front, or say --insecure.",
        action="inform_user",
    )


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def health(
    ready: Callable[[], bool], metrics: Callable[[], str], settings: Settings
) -> list[BaseRoute]:
    """Live, ready, and the numbers behind the admin key."""

    async def live(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def is_ready(_: Request) -> Response:
        up = ready()
        return JSONResponse(
            {"status": "ok" if up else "every provider is resting"}, status_code=200 if up else 503
        )

    async def numbers(request: Request) -> Response:
        if not settings.open_metrics and not _is_admin(request, settings.admin_key):
            return PlainTextResponse(
                "Send X-Admin-Key, or set CITEWELL_OPEN_METRICS.\n", status_code=401
            )
        return PlainTextResponse(metrics(), media_type="text/plain; version=0.0.4")

    return [
        Route("/health/live", live),
        Route("/health/ready", is_ready),
        Route("/metrics", numbers),
    ]


def _is_admin(request: Request, key: str | None) -> bool:
    given = request.headers.get("x-admin-key", "")
    return bool(key) and hmac.compare_digest(given.encode(), (key or "").encode())
