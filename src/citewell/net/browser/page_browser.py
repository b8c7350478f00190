"""Sends a request by rendering the page in Chromium, which is started on demand and closed when idle.

All its connections go through the guarded proxy. It cannot outlive this process: driver and browser
each read from a pipe that we hold, and exit when it closes, even if we are killed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from citewell.core.errors import BrowserUnavailable, FailureReason, NetworkFailed
from citewell.net.address_guard import Guard
from citewell.net.browser import chromium_process
from citewell.net.browser.chromium_process import BrowserSettings
from citewell.net.browser.guarded_proxy import GuardedProxy
from citewell.net.http.messages import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from citewell.net.browser.browser_engine import BrowserEngine

_START_RETRY_SECONDS = 30.0  # seconds until a start is tried again after one that failed
_TAB_CLOSE_GRACE_SECONDS = 2.0  # seconds beyond the request's timeout, for closing the tab


def is_playwright_installed() -> bool:
    return find_spec("playwright") is not None


class PageBrowser:
    """Sends a request by visiting the page; the response body is the rendered HTML."""

    def __init__(
        self,
        guard: Guard,
        habits: BrowserSettings,
        *,
        settle_seconds: Callable[[str], float] = lambda _: 0.5,
        available: Callable[[], bool] = is_playwright_installed,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`settle_seconds` returns how long the page of an address must stay unchanged."""
        self._guard = guard
        self._habits = habits
        self._quiet = settle_seconds
        self._available = available
        self._clock = clock
        self._slots = asyncio.Semaphore(max(1, habits.max_open_pages))
        self._starting = asyncio.Lock()
        self._engine: BrowserEngine | None = None
        self._failure: tuple[float, BrowserUnavailable] | None = None
        self._rest: asyncio.Task[None] | None = None

    async def send_request(self, request: HttpRequest) -> HttpResponse:
        """The rendered page.

        Raises BrowserUnavailable if there is no browser, else the same errors as
        `GuardedClient.send_request`.
        """
        target = self._guard.check_url(request.url, page=request.page)
        self.find_executable()
        await self._guard.resolve_checked(target.host, target.port)
        async with self._slots:
            started = self._clock()
            response = await self._visit_with_engine(request)
        return replace(response, seconds=self._clock() - started)

    def find_executable(self) -> str:
        """The path of the browser program; BrowserUnavailable, with the reason, if there is none."""
        if self._habits.executable != chromium_process.BROWSER_DISABLED and not self._available():
            raise chromium_process.build_unavailable_error("not installed")
        return chromium_process.find_executable(self._habits.executable)

    @property
    def is_running(self) -> bool:
        return self._engine is not None

    async def aclose(self) -> None:
        self._cancel_idle_close()
        async with self._starting:
            engine, self._engine = self._engine, None
            if engine is not None:
                await engine.aclose()

    async def _visit_with_engine(self, request: HttpRequest) -> HttpResponse:
        self._cancel_idle_close()
        engine = await self._ensure_engine()
        engine.visitors += 1
        try:
            async with asyncio.timeout(request.timeout + _TAB_CLOSE_GRACE_SECONDS):
                return await engine.visit_address(request, settle_seconds=self._quiet)
        except TimeoutError:
            raise NetworkFailed(
                f"The page did not load within {request.timeout:.3g} s.",
                reason=FailureReason.TIMEOUT,
            ) from None
        finally:
            engine.visitors -= 1
            if engine.visitors == 0 and engine is not self._engine:
                await engine.aclose()
            elif engine.visitors == 0:
                self._rest = asyncio.ensure_future(self._close_when_idle())

    async def _ensure_engine(self) -> BrowserEngine:
        """The running engine, or a newly started one; only one start runs at a time."""
        async with self._starting:
            if self._engine is not None and not self._engine.needs_replacement:
                return self._engine
            engine, self._engine = self._engine, None
            if engine is not None and engine.visitors == 0:
                await engine.aclose()
            self._engine = await self._start_engine()
            return self._engine

    async def _start_engine(self) -> BrowserEngine:
        from citewell.net.browser.browser_engine import BrowserEngine

        if self._failure is not None and self._clock() < self._failure[0]:
            raise self._failure[1]
        proxy = GuardedProxy(self._guard, page=True)
        try:
            engine = await BrowserEngine.start_engine(
                self.find_executable(),
                guard=self._guard,
                proxy=proxy,
                settings=self._habits,
                clock=self._clock,
            )
        except BrowserUnavailable as error:
            self._failure = (self._clock() + _START_RETRY_SECONDS, error)
            await proxy.aclose()
            raise
        self._failure = None
        return engine

    async def _close_when_idle(self) -> None:
        await asyncio.sleep(self._habits.idle_seconds)
        self._rest = None  # or else closing would cancel this task
        await self.aclose()

    def _cancel_idle_close(self) -> None:
        rest, self._rest = self._rest, None
        if rest is not None:
            rest.cancel()
