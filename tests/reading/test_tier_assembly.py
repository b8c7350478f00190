"""What the browser's tier makes of what it is given; no browser runs here."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from citewell.core.errors import (
    Blocked,
    BrowserUnavailable,
    CitewellError,
    ContentEmpty,
    NetworkFailed,
    RefusedByPolicy,
)
from citewell.net.address_guard import Guard, GuardRules
from citewell.net.browser import chromium_process
from citewell.net.browser.chromium_process import BrowserSettings
from citewell.net.browser.page_browser import PageBrowser
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.reading.extracted_page import ExtractedPage
from citewell.reading.fetch_tiers import FetchAttempt, FetchTier
from citewell.reading.page_tasks import PageTasks
from citewell.reading.tier_assembly import (
    JAVASCRIPT_QUIET_SECONDS,
    QUIET_SECONDS,
    BrowserTier,
    choose_quiet_seconds,
    is_javascript_site,
    order_tiers,
)
from tests.net.loopback import Names
from tests.requirements import requires
from tests.task_thread import ThreadTasks

URL = "https://example.org/page"
PUBLIC = Names({}, default=["93.184.216.34"])


class Sender:
    """Answers every request with one body, or one error."""

    def __init__(self, answer: str | CitewellError) -> None:
        self._answer = answer

    async def send_request(self, request: HttpRequest) -> HttpResponse:
        if isinstance(self._answer, CitewellError):
            raise self._answer
        headers = {"content-type": "text/html; charset=utf-8"}
        return HttpResponse(
            status=200, url=request.url, headers=headers, body=self._answer.encode()
        )


def read(answer: str | CitewellError, *seen: tuple[str, CitewellError]) -> ExtractedPage:
    tier = BrowserTier(Sender(answer), PageTasks(ThreadTasks()), max_bytes=2**20)
    return asyncio.run(tier.fetch_page(FetchAttempt(url=URL, outcomes=list(seen))))


def test_a_wall_that_the_browser_could_not_pass_is_reported() -> None:
    page = "<title>Just a moment...</title><p>Verifying you are human.</p><script>_cf_chl_opt={}</script>"

    with pytest.raises(Blocked):
        read(page)


def test_a_shell_that_stays_empty_is_reported_as_empty() -> None:
    with pytest.raises(ContentEmpty):
        read('<div id="root"></div><script src="/a.js"></script>')


@requires("scrape_page.browser_error")
def test_a_missing_browser_is_what_is_said_where_a_page_needs_one() -> None:
    with pytest.raises(BrowserUnavailable) as caught:
        read(
            chromium_process.build_unavailable_error("no Chromium found"),
            ("html", ContentEmpty("shell")),
        )

    assert "Set CHROME_PATH or install Chrome" in caught.value.message


def test_a_missing_browser_is_not_blamed_for_a_host_that_does_not_answer() -> None:
    with pytest.raises(NetworkFailed):
        read(
            chromium_process.build_unavailable_error("no Chromium found"),
            ("html", NetworkFailed("no answer")),
        )


def send(habits: BrowserSettings, *, url: str = URL, installed: bool = True) -> None:
    async def run() -> None:
        guard = Guard(GuardRules(), resolver=PUBLIC)
        await PageBrowser(guard, habits, available=lambda: installed).send_request(
            HttpRequest(url=url)
        )

    asyncio.run(run())


@pytest.mark.parametrize(
    ("habits", "installed", "detail"),
    [
        (BrowserSettings(executable="disabled"), True, "disabled by CHROME_PATH"),
        (BrowserSettings(executable="/no/such/program"), True, "CHROME_PATH names no program"),
        (BrowserSettings(), False, "not installed"),
    ],
)
def test_why_there_is_no_browser_is_said(
    habits: BrowserSettings, *, installed: bool, detail: str
) -> None:
    with pytest.raises(BrowserUnavailable) as caught:
        send(habits, installed=installed)

    assert caught.value.detail == detail


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost/", "file:///etc/passwd"])
def test_a_private_address_is_refused_before_a_browser_is_looked_for(url: str) -> None:
    with pytest.raises(RefusedByPolicy):
        send(BrowserSettings(executable="disabled"), url=url)


@pytest.mark.process
def test_a_program_that_is_no_browser_is_reported_and_not_tried_again_at_once(
    tmp_path: Path,
) -> None:
    tried = tmp_path / "tried"
    program = tmp_path / "chromium"
    program.write_text(f"#!/bin/sh\necho x >> {tried}\nexit 3\n")
    program.chmod(0o700)
    pytest.importorskip("playwright")

    async def run() -> list[str | None]:
        browser = PageBrowser(
            Guard(GuardRules(), resolver=PUBLIC), BrowserSettings(executable=str(program))
        )
        said: list[str | None] = []
        for _ in range(2):
            try:
                await browser.send_request(HttpRequest(url=URL))
            except BrowserUnavailable as error:
                said.append(error.detail)
        await browser.aclose()
        return said

    assert asyncio.run(run()) == ["chrome launch failed"] * 2
    assert tried.read_text() == "x\n"


def test_the_headless_shell_is_preferred_and_an_own_choice_before_all() -> None:
    there = {
        "chromium": "/usr/bin/chromium",
        "chromium-headless-shell": "/usr/bin/shell",
        "mine": "/opt/mine",
    }

    assert chromium_process.find_executable(None, which=there.get) == "/usr/bin/shell"
    assert chromium_process.find_executable("mine", which=there.get) == "/opt/mine"
    with pytest.raises(BrowserUnavailable, match="install Chrome"):
        chromium_process.find_executable(None, which=lambda _: None)


def test_every_flag_that_keeps_the_browser_behind_the_proxy_is_set() -> None:
    for pictures in (True, False):
        assert set(chromium_process.build_launch_flags(loads_images=pictures)) >= {
            "--proxy-bypass-list=<-loopback>",
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--disable-quic",
            "--dns-prefetch-disable",
            "--no-pings",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        }
    assert not any(
        "sandbox" in flag for flag in chromium_process.build_launch_flags(loads_images=True)
    )


def test_keys_in_the_environment_are_not_handed_to_the_browser() -> None:
    environ = {"PATH": "/bin", "EXA_API_KEY": "k", "HOME": "/h", "HTTP_PROXY": "http://u:p@x"}

    assert chromium_process.choose_environment(environ) == {"PATH": "/bin", "HOME": "/h"}


def test_memory_is_read_from_proc_and_unknown_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "status").write_text("Name:\tx\nVmRSS:\t  900 kB\nRssAnon:\t  500 kB\n")

    assert chromium_process.measure_private_memory(7, proc=tmp_path) == 500 * 1024
    assert chromium_process.measure_private_memory(8, proc=tmp_path) == 0
    assert chromium_process.find_largest_process([1, 3, 2], measure=lambda pid: pid * 10) == 3
    assert chromium_process.find_largest_process([]) is None


@pytest.mark.parametrize(
    ("url", "app"),
    [
        ("https://pkg.go.dev/net/http", True),
        ("https://www.youtube.com/watch?v=1", True),
        ("https://medium.com./a", True),
        ("https://notmedium.com/a", False),
        ("https://x.com/a", False),
        ("https://google.com/", False),
        ("https://[bad/", False),
    ],
)
def test_hosts_of_apps_are_known(url: str, *, app: bool) -> None:
    assert is_javascript_site(url) is app
    assert choose_quiet_seconds(url) == (JAVASCRIPT_QUIET_SECONDS if app else QUIET_SECONDS)


class Step:
    def __init__(self, name: str) -> None:
        self.name = name

    async def fetch_page(self, climb: FetchAttempt) -> ExtractedPage:
        raise NotImplementedError


@requires("scrape_page.browser_tier")
@pytest.mark.parametrize(
    ("url", "order"),
    [
        ("https://medium.com/a", ["browser", "markdown", "stealth", "html", "exa"]),
        (URL, ["markdown", "stealth", "html", "browser", "exa"]),
    ],
)
def test_the_browser_goes_first_on_the_hosts_of_apps(url: str, order: list[str]) -> None:
    tiers: list[FetchTier] = [
        Step(name) for name in ("markdown", "stealth", "html", "browser", "exa")
    ]

    assert [tier.name for tier in order_tiers(tiers, url)] == order
