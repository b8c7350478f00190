"""Sites of invented companies, told apart by the Host header, for tests of brand research."""

from __future__ import annotations

import json
import socket
import threading
from collections import Counter
from types import TracebackType
from typing import Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.internet.app import _pixel

HOME = """<!doctype html><html lang="en"><head><title>Example Instruments | Measure well</title>
<meta name="description" content="Instruments for laboratories."><meta name="theme-color" content="#0057b8">
<meta property="og:site_name" content="Example Instruments"><meta property="og:image" content="/card.png">
<link rel="icon" href="/icon.png"><link rel="apple-touch-icon" sizes="180x180" href="/touch.png">
<link rel="manifest" href="/site.webmanifest">
<style>:root { --brand-red: #FF0000; } body { font-family: Comic Sans MS }</style>
<script type="application/ld+json">%s</script></head><body><h1>Instruments</h1>
<p>We build instruments that laboratories rely on, from balances to spectrometers.</p>
<a href="https://www.linkedin.com/company/example-instruments">LinkedIn</a>
<a href="https://twitter.com/intent/tweet?text=x">Share</a></body></html>"""
COMPANY = {
    "@context": "https://schema.org",
    "@type": "Organization",
    "name": "Example Instruments",
    "slogan": "Measure well",
    "foundingDate": "1998",
    "logo": {"@type": "ImageObject", "url": "/logo.svg"},
    "address": {"@type": "PostalAddress", "addressLocality": "Lyon", "addressCountry": "FR"},
    "sameAs": ["https://github.com/example-instruments"],
}
GUIDELINES = """<!doctype html><html><head><title>Brand guidelines</title>
<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Inter:wght@400;700"></head><body><main>
<h1>Brand guidelines</h1><p>These guidelines say how Example Instruments looks and speaks. They apply to all media,
to partners and to the press, and they are kept up to date by the brand team of the company.</p>
<h2>Colors</h2><h3>Primary colors</h3><table><tr><th>Name</th><th>Hex</th></tr><tr><td>Instrument Blue</td><td>#0057B8</td></tr></table>
<h3>Secondary colors</h3><ul><li>Signal Orange: #FF6A13</li><li>Night: #101820</li></ul>
<p>Ticket #123456 asks for more.</p>
<h2>Typography</h2><p>Headings: Inter Bold</p><p>Body: Source Sans 3</p>
<h2>Tone of voice</h2><p>We speak plainly.</p><ul><li>Clear: short words</li><li>Warm</li></ul>
<h3>Do</h3><ul><li>Use the active voice</li></ul><h3>Don't</h3><ul><li>Use jargon</li></ul>
<p><a href="/brand/logo-reverse.svg">Logo on dark</a> <a href="/brand/colors">More colours</a></p></main></body></html>"""
COLORS = """<!doctype html><html><head><title>Colours</title></head><body><main><h1>Extended colours</h1>
<p>Besides the primary colours there are some that are used for charts and for nothing else at all.</p>
<p>Chart Green</p><p>HEX #00B140</p></main></body></html>"""
SCRIPTED = (
    b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
)
PAGE_404 = "<html><head><title>Page not found</title></head><body><h1>404</h1></body></html>"


class BrandSites:
    """A running server. `pages` maps "host/path" to a body; hosts without a page get the first site."""

    def __init__(self) -> None:
        svg = Response(SCRIPTED, media_type="image/svg+xml")
        picture = Response(_pixel(), media_type="image/png")
        manifest = {"name": "Instruments App", "icons": [{"src": "/big.png", "sizes": "512x512"}]}
        self.pages: dict[str, Response] = {
            "": HTMLResponse(HOME % json.dumps(COMPANY)),
            "site.webmanifest": Response(json.dumps(manifest), media_type="application/json"),
            "logo.svg": svg,
            "brand/logo-reverse.svg": svg,
            "icon.png": picture,
            "touch.png": picture,
            "big.png": picture,
            "card.png": HTMLResponse(PAGE_404),  # a soft 404 where an image should be
            "brand": HTMLResponse(GUIDELINES),
            "brand/colors": HTMLResponse(COLORS),
            "press": RedirectResponse("/"),
            "newsroom": RedirectResponse("https://elsewhere.example.net/news"),
        }
        self.seen: Counter[str] = Counter()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        config = uvicorn.Config(
            Starlette(routes=[Route("/{path:path}", self._answer)]),
            http="h11",
            loop="asyncio",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )

    def env(self, environ: dict[str, str]) -> dict[str, str]:
        allowed = f"{environ['CITEWELL_ALLOW_PRIVATE_HOSTS']},127.0.0.1:{self.port}"
        return environ | {"CITEWELL_ALLOW_PRIVATE_HOSTS": allowed}

    async def _answer(self, request: Request) -> Response:
        host = (request.url.hostname or "").removesuffix(".")
        path = request.path_params["path"]
        self.seen[f"{request.method} {host}/{path}"] += 1
        own = self.pages.get(f"{host}/{path}")
        if own is None and host == "127.0.0.1":
            own = self.pages.get(path)
        return own or HTMLResponse(PAGE_404, status_code=404)

    def __enter__(self) -> Self:
        self._socket.listen(64)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(timeout=5)
        self._socket.close()
