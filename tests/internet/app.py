"""The loopback web as one Starlette application."""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.internet import apis, odd, render, researchers
from tests.internet.faults import Asked, Fault
from tests.internet.world import World

ROBOTS = """\
User-agent: *
Disallow: /odd/private-area/
Disallow: /site/forbidden.example.org/
Allow: /
"""
_ROOTS = {"/site/": "pages", "/odd/": "odd", "/picture/": "pictures", "/robots.txt": "robots"}


def build(world: World) -> ASGIApp:
    """Pages, odd servers and every API under `apis/`, each behind its faults."""
    modules = apis.discover()
    routes: list[BaseRoute] = [
        Route("/robots.txt", _robots),
        Route("/site/{host}/{path:path}", _pages(world)),
        Route("/picture/{path:path}", _picture),
        Route("/meter", _meter(world)),
        *odd.routes(world),
    ]
    for module in modules.values():
        routes.extend(_below(module.PREFIX, list(module.routes(world))))
    roots = _ROOTS | {module.PREFIX.rstrip("/"): name for name, module in modules.items()}
    app = Starlette(routes=routes)
    app.state.world = world
    return _Hosts(_Misbehaving(app, world, roots), world)


def _below(prefix: str, routes: list[BaseRoute]) -> list[BaseRoute]:
    """Routes are mounted under the prefix, unless they already spell it out."""
    root = prefix.rstrip("/")
    if all(getattr(route, "path", "").startswith(root) for route in routes):
        return routes
    return [Mount(root, routes=routes)]


def _pages(world: World) -> Callable[[Request], Awaitable[Response]]:
    async def show(request: Request) -> Response:
        host, path = request.path_params["host"], request.path_params["path"]
        if path == "robots.txt":
            return await _robots(request)
        page = world.page(host, path)
        if page is None:
            missing = "<html><head><title>404</title></head><body><h1>Not Found</h1></body></html>"
            return Response(missing, status_code=404, media_type="text/html")
        return render.answer(page, request)

    return show


def _meter(world: World) -> Callable[[Request], Awaitable[Response]]:
    """What the paid doubles have charged, for tests that run them in a process of their own."""

    async def show(_request: Request) -> Response:
        charged = researchers.bench(world).charged.items()
        return JSONResponse([[name, tag, times] for (name, tag), times in charged])

    return show


async def _robots(request: Request) -> Response:
    forbidden = request.path_params.get("host") == "forbidden.example.org"
    return PlainTextResponse("User-agent: *\nDisallow: /\n" if forbidden else ROBOTS)


async def _picture(request: Request) -> Response:
    return Response(_pixel(), media_type="image/png")


@cache
def _pixel() -> bytes:
    """A grey PNG of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\x00\x80")) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


class _Hosts:
    """Requests by name: `Host: batteries.example.org` with /x is /site/batteries.example.org/x."""

    def __init__(self, app: ASGIApp, world: World) -> None:
        self._app = app
        self._world = world

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            # The server's own bound method is the only way to the transport, and to dropping it.
            cycle = getattr(send, "__self__", None)
            scope["internet.drop"] = getattr(getattr(cycle, "transport", None), "close", None)
            address = Request(scope).url
            host = self._world.living_at(address.netloc) or address.hostname or ""
            if self._world.has_host(host):
                path = f"/site/{host}{scope['path']}"
                scope = {**scope, "path": path, "raw_path": path.encode()}
        await self._app(scope, receive, send)


class _Misbehaving:
    """Counts and records each request, then lets it fail as the world was told."""

    def __init__(self, app: ASGIApp, world: World, roots: dict[str, str]) -> None:
        self._app = app
        self._world = world
        self._roots = sorted(roots.items(), key=lambda item: -len(item[0]))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = self._name(scope["path"])
        asked = await _record(scope, receive)
        self._world.faults.record(name, asked)
        fault = self._world.faults.take(scope["path"], name) or Fault()
        delay = fault.delay + self._world.latency(name)
        if delay and await _gone(receive, delay):
            return
        if fault.cut == 0:
            _drop(scope)
            return
        out = send if fault.cut is None else _cut(scope, send, fault.cut)
        app = self._app if not fault.canned else _canned(fault)
        await app(scope, _replay(asked.body, receive), out)

    def _name(self, path: str) -> str:
        matches = (
            name
            for root, name in self._roots
            if path == root or path.startswith(root.rstrip("/") + "/")
        )
        return next(matches, "other")


async def _record(scope: Scope, receive: Receive) -> Asked:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return Asked(
        method=scope["method"],
        path=scope["path"],
        query_string=scope["query_string"].decode(),
        headers={
            name.decode().lower(): value.decode("latin-1") for name, value in scope["headers"]
        },
        body=body,
    )


def _replay(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return pending.pop() if pending else await receive()

    return again


async def _gone(receive: Receive, delay: float) -> bool:
    """Wait, but not for a caller that has hung up."""
    try:
        async with asyncio.timeout(delay):
            message = await receive()
    except TimeoutError:
        return False
    return bool(message["type"] == "http.disconnect")


def _canned(fault: Fault) -> Response:
    kind = "application/json" if isinstance(fault.body, dict | list) else "text/html; charset=utf-8"
    headers = {"content-type": kind} | {
        name.lower(): value for name, value in fault.headers.items()
    }
    return Response(fault.content(), status_code=fault.status or 200, headers=headers)


def _cut(scope: Scope, send: Send, limit: int) -> Send:
    """Pass `limit` bytes of the body on, then drop the connection."""
    left = limit

    async def sent(message: Message) -> None:
        nonlocal left
        if message["type"] != "http.response.body":
            await send(message)
            return
        body: Any = message.get("body", b"")
        if left <= 0:
            return
        await send({"type": "http.response.body", "body": body[:left], "more_body": True})
        left -= len(body)
        if left <= 0 or not message.get("more_body", False):
            left = 0
            _drop(scope)

    return sent


def _drop(scope: Scope) -> None:
    if close := scope.get("internet.drop"):
        close()
