"""The pages of a real server in a real browser: seen, heard, typed through, and attacked."""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn

from citewell.core import config
from citewell.core.tooling import Owner
from citewell.net.address_guard import Guard, GuardRules
from citewell.net.browser.chromium_process import BrowserSettings, can_use_sandbox
from citewell.net.browser.page_browser import PageBrowser
from citewell.server.app import App
from citewell.server.http.hosting import build_layered_app
from tests.axe import list_violations
from tests.http_servers import ThreadServer
from tests.reading.stage import require_chromium
from tests.requirements import requires

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

KEY = "0123456789abcdef-key"
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"
POLL_MS = 5_000


@dataclass(frozen=True)
class Site:
    """A running server, and a way to let tools be called on it."""

    app: App
    base: str
    loop: asyncio.AbstractEventLoop

    def call(self, tool: str = "web_search", *, tenant: str = "acme", **arguments: Any) -> None:
        owner = Owner(tenant=tenant, user="u")
        work = self.app.call_tool(tool, arguments or {"query": "http caching"}, owner=owner)
        asyncio.run_coroutine_threadsafe(work, self.loop).result(20)


@contextlib.contextmanager
def served(environ: dict[str, str]) -> Iterator[Site]:
    app = App(config.load_settings(environ))
    server = ThreadServer(
        uvicorn.Config(
            build_layered_app(app),
            host="127.0.0.1",
            port=0,
            http="h11",
            log_config=None,
            timeout_graceful_shutdown=1,
        )
    )
    loops: list[asyncio.AbstractEventLoop] = []

    async def run() -> None:
        loops.append(asyncio.get_running_loop())
        await server.serve()

    thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    ends = time.monotonic() + 20
    while not server.started and time.monotonic() < ends:
        threading.Event().wait(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Site(app, f"http://127.0.0.1:{port}", loops[0])
    finally:
        server.should_exit = True
        thread.join(10)


@pytest.fixture
def site(environ: dict[str, str]) -> Iterator[Site]:
    with served(environ | {"ADMIN_API_KEY": KEY, "AUDIT_ENABLED": "false"}) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    require_chromium()
    from playwright.sync_api import sync_playwright

    executable = PageBrowser(Guard(GuardRules()), BrowserSettings()).find_executable()
    with sync_playwright() as driver:
        opened = driver.chromium.launch(
            executable_path=executable, chromium_sandbox=can_use_sandbox()
        )
        yield opened
        opened.close()


@contextlib.contextmanager
def visiting(
    browser: Browser, *, tolerated: str = "Failed to load resource", **options: Any
) -> Iterator[Page]:
    """A page in a profile of its own. Whatever else than `tolerated` it complains about fails the test."""
    context: BrowserContext = browser.new_context(
        **{"viewport": {"width": 1280, "height": 900}} | options
    )
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
    page.on(
        "console",
        lambda said: (
            complaints.append(said.text)
            if said.type == "error" and tolerated not in said.text
            else None
        ),
    )
    try:
        yield page
    finally:
        context.close()
    assert complaints == []


def log_in(page: Page, site: Site) -> None:
    page.goto(site.base + "/dashboard")
    page.get_by_label("Admin key").fill(KEY)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_selector("#controls")


def focused(page: Page) -> str:
    """The text of what has the focus; fails if nobody could see that it has it."""
    style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style != "none", page.evaluate("document.activeElement.outerHTML")
    text: str = page.evaluate("document.activeElement.innerText || document.activeElement.id")
    return " ".join(text.split())


def press_until(page: Page, wanted: str, key: str = "Tab") -> None:
    for _ in range(40):
        page.keyboard.press(key)
        if focused(page).startswith(wanted):
            return
    pytest.fail(f"the keyboard does not reach {wanted}")


@requires("http.pages_accessible")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_breaks_a_rule_of_accessibility_or_its_frame(
    scheme: str, site: Site, browser: Browser
) -> None:
    site.call(tenant=HOSTILE)
    site.call("scrape_page", url="not an address")

    with visiting(browser, color_scheme=scheme) as page:
        page.goto(site.base + "/dashboard")
        page.get_by_label("Admin key").fill("wrong")
        page.get_by_role("button", name="Log in").click()
        page.wait_for_selector("[role=alert]")
        assert list_violations(page) == []
        log_in(page, site)
        for path in ("/dashboard", "/", "/nothing"):
            for width in (360, 1600):
                page.set_viewport_size({"width": width, "height": 900})
                page.goto(site.base + path)
                assert list_violations(page) == [], (path, width)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_the_rules_find_what_is_broken(browser: Browser) -> None:
    with visiting(browser) as page:
        page.set_content("<html><body><img src='data:,'><button></button></body></html>")

        found = {violation.partition(":")[0] for violation in list_violations(page)}

    assert {"image-alt", "button-name", "html-has-lang"} <= found


@requires("http.pages_accessible", "http.dashboard_login")
def test_the_keyboard_alone_leads_through_login_dashboard_and_logout(
    site: Site, browser: Browser
) -> None:
    site.call()

    with visiting(browser) as page:
        page.goto(site.base + "/dashboard")
        assert focused(page) == "key"
        page.keyboard.type(KEY)
        page.keyboard.press("Enter")
        page.wait_for_selector("#controls")
        page.keyboard.press("Tab")
        assert focused(page) == "Skip to content"
        press_until(page, "Pause")
        page.keyboard.press("Space")
        assert page.get_by_role("status").inner_text() == "Paused."
        assert focused(page) == "Resume"
        press_until(page, "Refresh now")
        press_until(page, "Calls and how long they took")
        press_until(page, "Log out", key="Shift+Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector("#key")


@requires("http.dashboard_live")
def test_new_figures_appear_without_a_reload_and_disturb_nobody(
    site: Site, browser: Browser
) -> None:
    site.call()

    with visiting(browser) as page:
        page.clock.install()
        log_in(page, site)
        page.evaluate("window.same = true")
        page.locator("#fold-unused > summary").click()
        page.locator("#scroll-tools").focus()
        site.call(tenant=HOSTILE)
        page.clock.run_for(POLL_MS)
        page.locator("#tenants").get_by_text(HOSTILE).wait_for()

        tiles = page.locator("#tiles").inner_text()
        assert re.search(r"Calls since the start\s+2\s", tiles)
        assert page.evaluate("window.same") is True
        assert page.evaluate("document.activeElement.id") == "scroll-tools"
        assert page.locator("#fold-unused").get_attribute("open") is not None
        assert page.locator("#tenants img, #tenants script").count() == 0


@requires("http.dashboard_live")
def test_a_paused_page_stays_as_it_is_until_it_is_resumed(site: Site, browser: Browser) -> None:
    with visiting(browser) as page:
        page.clock.install()
        log_in(page, site)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.get_by_role("button", name="Pause").click()
        site.call()
        page.clock.run_for(10 * POLL_MS)
        assert asked == []
        assert "No tool has been called" in page.locator("#tools").inner_text()
        page.get_by_role("button", name="Resume").click()
        page.wait_for_selector("#scroll-tools")


@requires("http.dashboard_live")
def test_the_page_says_when_the_server_is_silent_and_when_the_login_has_ended(
    site: Site, browser: Browser
) -> None:
    with visiting(browser) as page:
        page.clock.install()
        log_in(page, site)
        page.route("**/dashboard/data*", lambda route: route.abort())
        page.clock.run_for(POLL_MS)
        page.get_by_text("The server does not answer").wait_for()
        page.unroute("**/dashboard/data*")
        page.context.clear_cookies()
        page.clock.run_for(2 * POLL_MS)
        page.wait_for_selector("#key")


@requires("http.dashboard_live")
def test_without_javascript_the_dashboard_is_a_page_that_loads_itself_again(
    site: Site, browser: Browser
) -> None:
    site.call()

    with visiting(browser, java_script_enabled=False) as page:
        log_in(page, site)

        assert "web_search" in page.locator("#tools").inner_text()
        assert page.get_by_role("button", name="Pause").count() == 0
        assert page.locator("meta[http-equiv=refresh]").count() == 1
        page.get_by_role("link", name="Refresh now").click()
        assert page.get_by_role("heading", name="Dashboard").is_visible()
        page.goto(site.base)
        assert page.get_by_role("button").count() == 0


@requires("http.pages_closed")
def test_pages_ask_nobody_but_their_own_server(site: Site, browser: Browser) -> None:
    with visiting(browser, tolerated="Executing inline script violates") as page:
        asked: set[str] = set()
        page.on("request", lambda request: asked.add(request.url))
        page.set_extra_http_headers({"X-Admin-Key": KEY})
        page.goto(site.base + "/dashboard")
        page.goto(site.base)

        assert {url for url in asked if not url.startswith((site.base, "data:image/svg"))} == set()
        blocked = page.evaluate(
            """() => new Promise((tell) => {
                document.addEventListener("securitypolicyviolation", (event) => tell(event.violatedDirective));
                const script = document.createElement("script");
                script.textContent = "window.ran = true";
                document.body.append(script);
            })"""
        )
        assert blocked.startswith("script-src")
        assert page.evaluate("window.ran") is None


def test_a_snippet_is_copied_by_a_button_that_says_so(site: Site, browser: Browser) -> None:
    with visiting(browser, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto(site.base)
        page.locator("article", has_text="Claude Code").get_by_role("button").click()

        page.get_by_text("Copied to the clipboard.").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == (
            f"claude mcp add --transport http citewell {site.base}/mcp"
        )


def test_nothing_moves_for_who_asked_for_stillness_and_print_has_no_buttons(
    site: Site, browser: Browser
) -> None:
    with visiting(browser, reduced_motion="reduce") as page:
        log_in(page, site)
        site.call()
        page.get_by_role("link", name="Refresh now").click()
        page.get_by_text("The figures were updated.").wait_for()
        assert page.evaluate("document.getAnimations().length") == 0
        page.emulate_media(media="print")
        assert not page.get_by_role("button", name="Pause").is_visible()
        assert page.locator("#server").is_visible()
