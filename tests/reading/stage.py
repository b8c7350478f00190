"""A real Chromium for tests: one per worker, with a site of its own and a loop that outlives a test."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any, TypeVar

import pytest

from citewell.core.errors import BrowserUnavailable
from citewell.net.address_guard import Guard, GuardRules
from citewell.net.browser.chromium_process import BrowserSettings
from citewell.net.browser.page_browser import PageBrowser
from citewell.net.http.messages import HttpRequest, HttpResponse
from tests.net.loopback import LOOPBACK, Exchange, Server, serve

T = TypeVar("T")


def require_chromium() -> None:
    """Skip where there is no browser; in CI there must be one."""
    try:
        PageBrowser(Guard(GuardRules()), BrowserSettings()).find_executable()
    except BrowserUnavailable as error:
        said = f"Chromium and playwright are needed: {error.detail}."
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)


class Loop:
    """An event loop in a thread; what lives in it outlives single tests."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], *, within: float = 50.0) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(within)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


class Stage:
    """A browser, the site it may visit, and pages that tests put there."""

    def __init__(self, **habits: Any) -> None:
        self.loop = Loop()
        self.pages: dict[str, tuple[int, bytes, dict[str, str]]] = {}
        self.server: Server
        self._habits = habits
        self._stack = AsyncExitStack()

    def put(self, path: str, html: str | bytes, status: int = 200, **headers: str) -> None:
        body = html.encode() if isinstance(html, str) else html
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = (status, body, {"Content-Type": "text/html"} | named)

    def visit(self, path: str, **options: Any) -> HttpResponse:
        request = HttpRequest(url=self.server.url(path), page=True, **{"timeout": 20.0} | options)
        return self.loop.run(self.browser.send_request(request))

    def asked(self, path: str) -> int:
        return sum(seen.path == path for seen in self.server.seen)

    def open(self) -> None:
        self.loop.run(self._open())

    def close(self) -> None:
        self.loop.run(self._stack.aclose())
        self.loop.close()

    async def _open(self) -> None:
        self.server = await self._stack.enter_async_context(serve(self._answer))
        rules = GuardRules(private_hosts=frozenset({f"site.example.org:{self.server.port}"}))
        self.guard = Guard(rules, resolver=LOOPBACK)
        habits = BrowserSettings(environ=os.environ, **self._habits)
        self.browser = PageBrowser(
            self.guard, habits, settle_seconds=lambda url: 2.0 if "/app" in url else 0.5
        )
        self._stack.push_async_callback(self.browser.aclose)

    async def _answer(self, exchange: Exchange) -> None:
        path = exchange.path.partition("?")[0]
        status, body, headers = self.pages.get(path, (404, b"no such page", {}))
        await exchange.reply(status, body, headers | {"Connection": "close"})
        exchange.writer.close()


@contextmanager
def staged(**habits: Any) -> Iterator[Stage]:
    """A stage of a test's own, for what leaves a browser changed."""
    require_chromium()
    made = Stage(**habits)
    made.open()
    try:
        yield made
    finally:
        made.close()
