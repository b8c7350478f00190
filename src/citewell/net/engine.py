"""One running Chromium: its driver, its proxy, its memory, and the visits it has made."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Sequence

from playwright.async_api import Browser, CDPSession, Error, Playwright, async_playwright

from citewell.errors import NetworkFailed
from citewell.net import chromium
from citewell.net.chromium import Habits
from citewell.net.guard import Guard
from citewell.net.message import Request, Response
from citewell.net.proxy import GuardedProxy
from citewell.net.visit import Manner, visit

_START = 20.0  # seconds
_ROUND = 1.0  # seconds between looks at the memory
_TABS = "renderer"


class Engine:
    """Made by `start`; `spent` says that a fresh one should take over."""

    def __init__(
        self,
        driver: Playwright,
        browser: Browser,
        *,
        guard: Guard,
        proxy: GuardedProxy,
        habits: Habits,
        clock: Callable[[], float],
    ) -> None:
        self.visitors = 0
        self._driver = driver
        self._browser = browser
        self._guard = guard
        self._proxy = proxy
        self._habits = habits
        self._clock = clock
        self._visits = 0
        self._stuck = False
        self._session: CDPSession | None = None
        self._rounds: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls,
        executable: str,
        *,
        guard: Guard,
        proxy: GuardedProxy,
        habits: Habits,
        clock: Callable[[], float],
    ) -> Engine:
        """A browser behind `proxy`; BrowserUnavailable when it does not come up."""
        await proxy.start()
        driver = await async_playwright().start()
        user, password = proxy.credentials
        try:
            browser = await driver.chromium.launch(
                executable_path=executable,
                args=chromium.flags(pictures=habits.pictures),
                chromium_sandbox=chromium.sandboxed(),
                env=chromium.surroundings(habits.environ),
                proxy={"server": proxy.address, "username": user, "password": password},
                timeout=_START * 1000,
            )
        except Error:
            await driver.stop()
            raise chromium.unavailable("chrome launch failed") from None
        engine = cls(driver, browser, guard=guard, proxy=proxy, habits=habits, clock=clock)
        await engine._begin()
        return engine

    @property
    def spent(self) -> bool:
        worn = self._visits >= self._habits.visits
        return worn or self._stuck or not self._browser.is_connected()

    async def visit(self, request: Request, *, quiet: Callable[[str], float]) -> Response:
        self._visits += 1
        manner = Manner(
            quiet=quiet,
            clock=self._clock,
            user_agent=self._habits.user_agent or _user_agent(self._browser.version),
            pictures=self._habits.pictures,
            most_bytes=self._habits.most_bytes,
        )
        try:
            return await visit(self._browser, request, guard=self._guard, manner=manner)
        except Error:
            # Tab or browser went away under us, or does not go when told: start afresh.
            self._stuck = True
            raise NetworkFailed("The browser lost the page.") from None

    async def aclose(self) -> None:
        if self._rounds is not None:
            self._rounds.cancel()
        with contextlib.suppress(Error):
            await self._browser.close()
        with contextlib.suppress(Error):
            await self._driver.stop()
        await self._proxy.aclose()

    async def pids(self, *, tabs: bool = False) -> Sequence[int]:
        """The browser's processes, or those of its tabs alone."""
        if self._session is None:
            return ()
        answer = await self._session.send("SystemInfo.getProcessInfo")
        found = answer["processInfo"]
        return [int(item["id"]) for item in found if not tabs or item["type"] == _TABS]

    async def _begin(self) -> None:
        self._session = await self._browser.new_browser_cdp_session()
        self._rounds = asyncio.ensure_future(self._watch_memory())

    async def _watch_memory(self) -> None:
        """End the largest tab when all together take too much; its visit fails, the others go on."""
        with contextlib.suppress(Error):
            while True:
                await asyncio.sleep(_ROUND)
                if self.visitors == 0:
                    continue
                taken = sum(map(chromium.resident, await self.pids()))
                if taken > self._habits.most_memory:
                    self._stuck = True
                    _end(chromium.largest(await self.pids(tabs=True)))


def _end(pid: int | None) -> None:
    if pid is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _user_agent(version: str) -> str:
    """What Chrome of this version calls itself; a headless one says so, and is turned away for it."""
    major = version.partition(".")[0]
    return (
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
        f"Chrome/{major}.0.0.0 Safari/537.36"
    )
