"""Servers that misbehave, under /odd/: slow, endless, bombs, walls, wrong types, redirects, statuses."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from functools import cache

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.internet import walls
from tests.internet.world import World

MEBIBYTE = 2**20
_HEAD = b"<!DOCTYPE html><html><head><title>A page that goes on</title></head><body><main>"
_PARAGRAPH = (
    b"<p>Tides rise and fall twice a day on most coasts, because the Earth turns beneath the two"
    b" bulges that the Moon raises in the oceans.</p>\n"
)
ARTICLE = _HEAD + _PARAGRAPH * 12 + b"</main></body></html>"
MARKDOWN = "# Tides\n\n" + "Tides rise and fall twice a day on most coasts.\n\n" * 8


def routes(world: World) -> list[Route]:
    """Every odd server; `world` tells the slow ones when the web closes."""

    async def slow(request: Request) -> Response:
        await asyncio.sleep(float(request.query_params.get("seconds", "30")))
        return Response(ARTICLE, media_type="text/html")

    fixed = {
        "big": _big,
        "huge": _huge,
        "drip": _drip,
        "endless": _endless,
        "bomb/{coding}": _bomb,
        "truncated-gzip": _truncated,
        "redirect/loop": _loop,
        "redirect/chain/{left:int}": _chain,
        "redirect/to": _redirect,
        "redirect/login": _to_login,
        "status/{code:int}": _status,
        "type/{name}": _typed,
        "wall/{name}": _wall,
        "markdown": _markdown,
        "markdown-liar": _liar,
        "headers": _headers,
        "fine": _fine,
        "private-area/page": _fine,
    }
    table = [Route(f"/odd/{path}", endpoint) for path, endpoint in fixed.items()]
    return [*table, Route("/odd/slow", slow), Route("/odd/{name}", _wall)]


async def _fine(request: Request) -> Response:
    return Response(ARTICLE, media_type="text/html")


async def _headers(request: Request) -> Response:
    """Says which headers arrived, so that a test can see what was sent."""
    lines = "".join(f"<li>{name}: {value}</li>" for name, value in request.headers.items())
    return Response(_HEAD + f"<ul>{lines}</ul>".encode() + _PARAGRAPH * 8, media_type="text/html")


async def _big(request: Request) -> Response:
    """Ten MiB of HTML, or as many as `?mib=` says."""
    size = int(request.query_params.get("mib", "10")) * MEBIBYTE
    body = _HEAD + _PARAGRAPH * (size // len(_PARAGRAPH) + 1)
    return Response(body, media_type="text/html")


async def _huge(request: Request) -> Response:
    """A gibibyte, announced by Content-Length."""

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(1024):
            await asyncio.sleep(0)  # without it a caller who hung up is never noticed
            yield b"x" * MEBIBYTE

    headers = {"content-length": str(1024 * MEBIBYTE)}
    return StreamingResponse(parts(), media_type="text/html", headers=headers)


async def _drip(request: Request) -> Response:
    """A few bytes now and then, for ever: every read succeeds and the page never ends."""

    async def parts() -> AsyncIterator[bytes]:
        yield _HEAD
        while True:
            await asyncio.sleep(0.05)
            yield b"<p>drop</p>"

    return StreamingResponse(parts(), media_type="text/html")


async def _endless(request: Request) -> Response:
    async def parts() -> AsyncIterator[bytes]:
        yield _HEAD
        while True:
            await asyncio.sleep(0)
            yield _PARAGRAPH * 400

    return StreamingResponse(parts(), media_type="text/html")


async def _bomb(request: Request) -> Response:
    coding = request.path_params["coding"]
    headers = {"content-encoding": "gzip, gzip" if coding == "nested" else coding}
    body = await asyncio.to_thread(bomb, coding)
    return Response(body, media_type="text/html", headers=headers)


@cache
def bomb(coding: str) -> bytes:
    """A small body that inflates to 64 MiB (nested: gzip in gzip)."""
    nothing = bytes(64 * MEBIBYTE)
    if coding == "br":
        import brotli  # type: ignore[import-untyped]  # it ships no stubs

        return bytes(brotli.compress(nothing, quality=1))
    if coding == "zstd":
        import zstandard

        return zstandard.ZstdCompressor(level=1).compress(nothing)
    packed = gzip.compress(nothing, compresslevel=1)
    return gzip.compress(packed) if coding == "nested" else packed


async def _truncated(request: Request) -> Response:
    half = gzip.compress(ARTICLE)[:-40]
    return Response(half, media_type="text/html", headers={"content-encoding": "gzip"})


async def _loop(request: Request) -> Response:
    return RedirectResponse("/odd/redirect/loop", 302)


async def _chain(request: Request) -> Response:
    left = request.path_params["left"]
    return RedirectResponse(f"/odd/redirect/chain/{left - 1}" if left > 1 else "/odd/fine", 302)


async def _redirect(request: Request) -> Response:
    """To wherever `?url=` says: private addresses, other schemes, other hosts."""
    return RedirectResponse(request.query_params["url"], 302)


async def _to_login(request: Request) -> Response:
    return RedirectResponse("/odd/login?returnTo=%2Fodd%2Fredirect%2Flogin", 302)


async def _status(request: Request) -> Response:
    """A plain error page with the status asked for; `?retry-after=` is passed on."""
    code = request.path_params["code"]
    headers = {
        name: request.query_params[name]
        for name in ("retry-after",)
        if name in request.query_params
    }
    page = (
        f"<html><head><title>Error {code}</title></head><body><h1>Error {code}</h1></body></html>"
    )
    return Response(page, status_code=code, media_type="text/html", headers=headers)


async def _typed(request: Request) -> Response:
    """Bodies under honest and dishonest content types."""
    kind, body = TYPED[request.path_params["name"]]
    return Response(body, headers={"content-type": kind} if kind else {})


TYPED: dict[str, tuple[str, bytes]] = {
    "html-as-text": ("text/plain", ARTICLE),
    "html-as-binary": ("application/octet-stream", ARTICLE),
    "html-untyped": ("", ARTICLE),
    "xhtml": ("application/xhtml+xml", ARTICLE),
    "binary-as-html": ("text/html", bytes(range(256)) * 64),
    "png-as-html": ("text/html", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8),
    "text": (
        "text/plain; charset=utf-8",
        "Plain words in a plain file: naïve café.\n".encode() * 6,
    ),
    "csv": ("text/csv", b"year,value\n2021,3\n2022,5\n2023,8\n" + b"2024,13\n" * 10),
    "json": (
        "application/json",
        b'{"title": "Tide table", "heights": [1.2, 3.4, 1.1], "unit": "metre"}',
    ),
    "xml": ("application/xml", b'<?xml version="1.0"?><tides><tide at="06:00">3.4</tide></tides>'),
    "pdf": ("application/pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n%%EOF\n"),
    "pdf-as-html": ("text/html", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n%%EOF\n"),
    "docx": (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        b"PK\x03\x04" + bytes(60),
    ),
    "png": ("image/png", b"\x89PNG\r\n\x1a\n" + bytes(64)),
}


async def _wall(request: Request) -> Response:
    wall = walls.WALLS.get(request.path_params["name"])
    if wall is None:
        return Response("<h1>404 Not Found</h1>", status_code=404, media_type="text/html")
    return Response(
        wall.body, status_code=wall.status, media_type="text/html", headers=wall.headers
    )


async def _markdown(request: Request) -> Response:
    if "text/markdown" in request.headers.get("accept", ""):
        return Response(MARKDOWN, media_type="text/markdown")
    return Response(ARTICLE, media_type="text/html")


async def _liar(request: Request) -> Response:
    """Calls its HTML markdown when that is what was asked for."""
    asked = "text/markdown" in request.headers.get("accept", "")
    return Response(ARTICLE, media_type="text/markdown" if asked else "text/html")
