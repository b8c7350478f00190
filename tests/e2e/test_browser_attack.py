"""A page that tries every way to make the browser reach a private address reaches none."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import pytest
from playwright.async_api import Error, Page, async_playwright

from citewell.core.errors import NetworkFailed, RefusedByPolicy
from citewell.net.address_guard import Guard, GuardRules
from citewell.net.browser.chromium_process import BrowserSettings, can_use_sandbox
from citewell.net.browser.page_browser import PageBrowser
from citewell.net.http.messages import HttpRequest, HttpResponse
from tests.e2e.attack import JOURNEYS, Attacker, Trap, trap
from tests.net.loopback import LOOPBACK
from tests.reading.stage import Loop, require_chromium
from tests.requirements import requires

_PAGE_SECONDS = 120.0  # the page ends by itself within three; a machine may be busy with others
_SETTLE_SECONDS = (
    5.0  # a busy machine may delay a round of attacks; the page must not be read before the next
)
_MOST_VISITS = 4  # Chromium itself sometimes crashes on such a page; that lets no attack through
pytestmark = pytest.mark.timeout(900)


@dataclass
class Scene:
    loop: Loop
    attacker: Attacker
    trap: Trap
    browser: PageBrowser

    def send(self, path: str) -> HttpResponse:
        request = HttpRequest(url=self.attacker.own + path, page=True, timeout=_PAGE_SECONDS)
        return self.loop.run(self.browser.send_request(request), within=_PAGE_SECONDS + 20.0)

    def send_until_read(self, path: str) -> HttpResponse:
        """Visit the page again if the browser crashed on it."""
        for _ in range(_MOST_VISITS - 1):
            with contextlib.suppress(NetworkFailed):
                return self.send(path)
        return self.send(path)


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    """A browser that loads everything, pictures and fonts too, so that the proxy alone protects."""
    require_chromium()
    loop, stack = Loop(), AsyncExitStack()

    async def begin() -> Scene:
        caught = await stack.enter_async_context(trap())
        attacker = Attacker(caught.port)
        own = await stack.enter_async_context(attacker.serving())
        rules = GuardRules(private_hosts=frozenset({own.removeprefix("http://")}))
        habits = BrowserSettings(environ=os.environ, loads_images=True)
        guard = Guard(rules, resolver=LOOPBACK)
        browser = PageBrowser(guard, habits, settle_seconds=lambda _: _SETTLE_SECONDS)
        stack.push_async_callback(browser.aclose)
        return Scene(loop, attacker, caught, browser)

    yield loop.run(begin())
    loop.run(stack.aclose())
    loop.close()


@requires("defect.browser_guard")
def test_no_way_reaches_a_private_address(scene: Scene) -> None:
    log = re.search(r"failed:([^;<]*);25", scene.send_until_read("/").decode_text())

    assert log is not None, "the page did not get through its attacks"
    assert len(scene.attacker.ways() - set(log[1].split(","))) >= 75
    assert (scene.trap.connections, scene.trap.datagrams, scene.trap.ways) == (0, 0, set())


@pytest.mark.parametrize("way", JOURNEYS)
def test_a_page_that_leads_the_browser_elsewhere_is_refused(scene: Scene, way: str) -> None:
    with pytest.raises(RefusedByPolicy):
        scene.send(f"/journey/{way}")

    assert (scene.trap.connections, scene.trap.ways) == (0, set())


def test_the_secret_of_the_proxy_is_not_given_to_a_site_that_asks_for_a_password(
    scene: Scene,
) -> None:
    assert scene.send("/locked").status == 401
    assert scene.attacker.leaked == []


def test_the_same_page_gets_through_a_browser_without_protection() -> None:
    """The proof that the attacks are real: most of them arrive when nothing stops them."""
    require_chromium()

    reached = asyncio.run(_unprotected())

    assert len(reached.ways) >= 50, sorted(reached.ways)
    assert reached.datagrams > 0


async def _unprotected() -> Trap:
    rules = "--host-resolver-rules=MAP inside.example.org 127.0.0.1"
    async with trap() as caught, async_playwright() as driver:
        attacker = Attacker(caught.port)
        executable = PageBrowser(Guard(GuardRules()), BrowserSettings()).find_executable()
        async with attacker.serving() as own:
            browser = await driver.chromium.launch(
                executable_path=executable, args=[rules], chromium_sandbox=can_use_sandbox()
            )
            for _ in range(_MOST_VISITS):
                page = await browser.new_page()
                with contextlib.suppress(Error):  # the tab crashed
                    await page.goto(own)
                    await _wait_for_last_round(page)
                    break
            await browser.close()
        return caught


async def _wait_for_last_round(page: Page) -> None:
    """Ask again and again in new scripts: a single waiting one may be lost on a busy machine."""
    crashed = asyncio.Event()
    page.on("crash", lambda _: crashed.set())
    while not crashed.is_set():
        with contextlib.suppress(Error):
            if (await page.text_content("#log", timeout=1000) or "").endswith(";25"):
                return
        await asyncio.sleep(0.2)
    raise Error("The tab crashed.")
