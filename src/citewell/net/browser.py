"""Chromium as one more way of sending a request: started when needed, closed when idle, kept small.

Every byte of it goes through the guarded proxy. It cannot outlive us: driver and browser each hang
on a pipe whose other end is ours, and go when it closes, however we went.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from citewell.errors import BrowserUnavailable, NetworkFailed
from citewell.net import chromium
from citewell.net.chromium import Habits
from citewell.net.guard import Guard
from citewell.net.message import Request, Response
from citewell.net.proxy import GuardedProxy

if TYPE_CHECKING:
    from citewell.net.engine import Engine

_RETRY_START = 30.0  # seconds before a browser that did not start is tried again
_GRACE = 2.0  # seconds beyond a request's own time, for closing the tab


def installed() -> bool:
    return find_spec("playwright") is not None


class Browser:
    """Sends a request by visiting the page; the answer's body is the page as it came to look."""

    def __init__(
        self,
        guard: Guard,
        habits: Habits,
        *,
        quiet: Callable[[str], float] = lambda _: 0.5,
        available: Callable[[], bool] = installed,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`quiet` says for how long the page of an address must stand still."""
        self._guard = guard
        self._habits = habits
        self._quiet = quiet
        self._available = available
        self._clock = clock
        self._slots = asyncio.Semaphore(max(1, habits.pages))
        self._starting = asyncio.Lock()
        self._engine: Engine | None = None
        self._failure: tuple[float, BrowserUnavailable] | None = None
        self._rest: asyncio.Task[None] | None = None

    async def send(self, request: Request) -> Response:
        """The page, rendered. BrowserUnavailable when there is no browser, else as a client's errors."""
        target = self._guard.target(request.url, page=request.page)
        self.executable()
        await self._guard.addresses(target.host, target.port)
        async with self._slots:
            started = self._clock()
            response = await self._visit(request)
        return replace(response, seconds=self._clock() - started)

    def executable(self) -> str:
        """The program that would be started; BrowserUnavailable says why there is none."""
        if self._habits.executable != chromium.DISABLED and not self._available():
            raise chromium.unavailable("not installed")
        return chromium.find(self._habits.executable)

    @property
    def running(self) -> bool:
        return self._engine is not None

    async def aclose(self) -> None:
        self._wake()
        async with self._starting:
            engine, self._engine = self._engine, None
            if engine is not None:
                await engine.aclose()

    async def _visit(self, request: Request) -> Response:
        self._wake()
        engine = await self._ready()
        engine.visitors += 1
        try:
            async with asyncio.timeout(request.timeout + _GRACE):
                return await engine.visit(request, quiet=self._quiet)
        except TimeoutError:
            raise NetworkFailed(f"No page came within {request.timeout:.3g} s.") from None
        finally:
            engine.visitors -= 1
            await self._after(engine)

    async def _ready(self) -> Engine:
        """The running engine, or a new one; one start at a time."""
        async with self._starting:
            if self._engine is not None and not self._engine.spent:
                return self._engine
            engine, self._engine = self._engine, None
            if engine is not None and engine.visitors == 0:
                await engine.aclose()
            self._engine = await self._start()
            return self._engine

    async def _start(self) -> Engine:
        from citewell.net.engine import Engine

        if self._failure is not None and self._clock() < self._failure[0]:
            raise self._failure[1]
        proxy = GuardedProxy(self._guard, page=True)
        try:
            engine = await Engine.start(
                self.executable(),
                guard=self._guard,
                proxy=proxy,
                habits=self._habits,
                clock=self._clock,
            )
        except BrowserUnavailable as error:
            self._failure = (self._clock() + _RETRY_START, error)
            await proxy.aclose()
            raise
        self._failure = None
        return engine

    async def _after(self, engine: Engine) -> None:
        """Retire an engine that others have replaced, and go to rest when nobody is left."""
        if engine.visitors == 0 and engine is not self._engine:
            await engine.aclose()
        elif engine.visitors == 0:
            self._rest = asyncio.ensure_future(self._sleep())

    async def _sleep(self) -> None:
        await asyncio.sleep(self._habits.idle_seconds)
        self._rest = None  # so that closing does not cancel itself
        await self.aclose()

    def _wake(self) -> None:
        rest, self._rest = self._rest, None
        if rest is not None:
            rest.cancel()
