"""One running Chromium process with its driver, its proxy and its memory watch."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace

from playwright.async_api import Browser, CDPSession, Error, Playwright, async_playwright

from citewell.core.errors import FailureReason, NetworkFailed
from citewell.net.address_guard import Guard
from citewell.net.browser import chromium_process
from citewell.net.browser.chromium_process import BrowserSettings
from citewell.net.browser.guarded_proxy import GuardedProxy
from citewell.net.browser.page_visit import VisitSettings, visit_page
from citewell.net.http.messages import HttpRequest, HttpResponse

_START_TIMEOUT_SECONDS = 20.0  # seconds
_MEMORY_CHECK_SECONDS = 1.0  # seconds between memory checks
_TAB_PROCESS_TYPE = "renderer"


class BrowserEngine:
    """A running browser, created by `start_engine`; replace it when `needs_replacement` is true."""

    def __init__(
        self,
        driver: Playwright,
        browser: Browser,
        *,
        guard: Guard,
        proxy: GuardedProxy,
        settings: BrowserSettings,
        clock: Callable[[], float],
    ) -> None:
        self.visitors = 0
        self._driver = driver
        self._browser = browser
        self._guard = guard
        self._proxy = proxy
        self._habits = settings
        self._clock = clock
        self._visits = 0
        self._stuck = False
        self._session: CDPSession | None = None
        self._rounds: asyncio.Task[None] | None = None

    @classmethod
    async def start_engine(
        cls,
        executable: str,
        *,
        guard: Guard,
        proxy: GuardedProxy,
        settings: BrowserSettings,
        clock: Callable[[], float],
    ) -> BrowserEngine:
        """Start a browser that connects through `proxy`; BrowserUnavailable if the start fails."""
        await proxy.start_listening()
        driver = await async_playwright().start()
        user, password = proxy.credentials
        try:
            browser = await driver.chromium.launch(
                executable_path=executable,
                args=chromium_process.build_launch_flags(loads_images=settings.loads_images),
                chromium_sandbox=chromium_process.can_use_sandbox(),
                env=chromium_process.choose_environment(settings.environ),
                proxy={"server": proxy.address, "username": user, "password": password},
                timeout=_START_TIMEOUT_SECONDS * 1000,
            )
        except Error:
            await driver.stop()
            raise chromium_process.build_unavailable_error("chrome launch failed") from None
        engine = cls(driver, browser, guard=guard, proxy=proxy, settings=settings, clock=clock)
        engine._session = await browser.new_browser_cdp_session()
        engine._rounds = asyncio.ensure_future(engine._watch_memory_use())
        return engine

    @property
    def needs_replacement(self) -> bool:
        worn = self._visits >= self._habits.max_visits
        return worn or self._stuck or not self._browser.is_connected()

    async def visit_address(
        self, request: HttpRequest, *, settle_seconds: Callable[[str], float]
    ) -> HttpResponse:
        """The rendered page; read again in a fresh tab if the browser lost our script."""
        started = self._clock()
        try:
            return await self._visit_in_tab(request, settle_seconds=settle_seconds)
        except NetworkFailed as error:
            remaining = request.timeout - (self._clock() - started)
            if error.reason != FailureReason.SCRIPT_LOST or remaining <= 0:
                raise
        return await self._visit_in_tab(
            replace(request, timeout=remaining), settle_seconds=settle_seconds
        )

    async def _visit_in_tab(
        self, request: HttpRequest, *, settle_seconds: Callable[[str], float]
    ) -> HttpResponse:
        self._visits += 1
        manner = VisitSettings(
            settle_seconds=settle_seconds,
            clock=self._clock,
            user_agent=self._habits.user_agent or _build_chrome_agent(self._browser.version),
            loads_images=self._habits.loads_images,
            max_page_bytes=self._habits.max_page_bytes,
            report_stuck_tab=self._request_replacement,
        )
        try:
            return await visit_page(self._browser, request, guard=self._guard, settings=manner)
        except Error:
            self._request_replacement()
            raise NetworkFailed(
                "The browser or its tab closed before the page was read.",
                reason=FailureReason.BROWSER,
            ) from None

    def _request_replacement(self) -> None:
        """Have the browser replaced after this visit: a tab crashed or does not close."""
        self._stuck = True

    async def aclose(self) -> None:
        if self._rounds is not None:
            self._rounds.cancel()
        with contextlib.suppress(Error):
            await self._browser.close()
        with contextlib.suppress(Error):
            await self._driver.stop()
        await self._proxy.aclose()

    async def list_process_ids(self, *, tabs_only: bool = False) -> Sequence[int]:
        """The ids of the browser's processes, or with `tabs_only` those of its tabs."""
        if self._session is None:
            return ()
        answer = await self._session.send("SystemInfo.getProcessInfo")
        found = answer["processInfo"]
        return [
            int(item["id"]) for item in found if not tabs_only or item["type"] == _TAB_PROCESS_TYPE
        ]

    async def _watch_memory_use(self) -> None:
        """Kill the largest tab if all processes use too much memory; only its visit fails."""
        with contextlib.suppress(Error):
            while True:
                await asyncio.sleep(_MEMORY_CHECK_SECONDS)
                if self.visitors == 0:
                    continue
                taken = sum(
                    map(chromium_process.measure_private_memory, await self.list_process_ids())
                )
                if taken > self._habits.max_memory_bytes:
                    self._stuck = True
                    _kill_process(
                        chromium_process.find_largest_process(
                            await self.list_process_ids(tabs_only=True)
                        )
                    )


def _kill_process(pid: int | None) -> None:
    if pid is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _build_chrome_agent(version: str) -> str:
    """The User-Agent of a normal Chrome of this version; sites block the headless one."""
    major = version.partition(".")[0]
    return (
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
        f"Chrome/{major}.0.0.0 Safari/537.36"
    )
