"""Pages rendered for real, in the Chromium of this machine."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Error, Page

from citewell.core.errors import (
    AuthRequired,
    ContentEmpty,
    FailureReason,
    NetworkFailed,
    TooLarge,
    UpstreamUnavailable,
)
from citewell.reading.extracted_page import ExtractedPage
from citewell.reading.fetch_tiers import FetchAttempt
from citewell.reading.page_tasks import PageTasks
from citewell.reading.tier_assembly import BrowserTier
from tests.conditions import has_ended, wait_until
from tests.reading.stage import Stage, require_chromium, staged
from tests.requirements import requires
from tests.task_thread import ThreadTasks

pytestmark = pytest.mark.process  # a real browser

WORDS = (
    "A sentence that only a script puts on the page, with enough words to be worth reading. " * 5
)


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    with staged() as made:
        yield made


def read(stage: Stage, path: str) -> ExtractedPage:
    tier = BrowserTier(stage.browser, PageTasks(ThreadTasks()), max_bytes=2**20, timeout=20.0)
    return stage.loop.run(tier.fetch_page(FetchAttempt(url=stage.server.url(path))))


def app(script: str) -> str:
    return f'<title>App</title><div id="root"></div><noscript>Enable JavaScript</noscript><script>{script}</script>'


SHOW = "const show = (text) => {document.getElementById('root').innerHTML = `<article><h1>Notes</h1><p>${text}</p></article>`};"


@requires("scrape_page.browser_tier")
def test_a_page_made_by_javascript_is_read(stage: Stage) -> None:
    stage.put("/data", WORDS)
    stage.put("/made", app(SHOW + "fetch('/data').then(r => r.text()).then(show)"))

    extracted = read(stage, "/made")

    assert WORDS.strip() in extracted.content
    assert (extracted.extracted_by, extracted.metadata.title) == ("browser", "App")


def test_a_short_text_of_an_app_is_not_taken_for_an_empty_shell(stage: Stage) -> None:
    stage.put("/short", app(SHOW + "show('Comparatively few, considerably lengthy expressions constitute everything this particular application communicates nevertheless.')"))  # fmt: skip

    assert "Comparatively few" in read(stage, "/short").content


def test_an_app_is_waited_for_longer(stage: Stage) -> None:
    late = app(f"{SHOW} show('early'); setTimeout(() => show('{WORDS}'), 1200)")
    stage.put("/app", late)
    stage.put("/plain", late)

    assert WORDS.strip() in stage.visit("/app").decode_text()
    assert "early" in stage.visit("/plain").decode_text()


def test_pictures_fonts_and_films_are_not_loaded_but_scripts_and_styles_are(stage: Stage) -> None:
    stage.put(
        "/rich",
        """<link rel="stylesheet" href="/s.css"><script src="/s.js"></script><img src="/p.png">
        <video src="/v.mp4" preload="auto"></video><style>@font-face {font-family: f; src: url(/f.woff2)}
        p {font-family: f}</style><p>x</p>""",
    )

    stage.visit("/rich")

    asked = {
        name: stage.asked(f"/{name}") for name in ("s.css", "s.js", "p.png", "v.mp4", "f.woff2")
    }
    assert asked == {"s.css": 1, "s.js": 1, "p.png": 0, "v.mp4": 0, "f.woff2": 0}


def test_dialogs_and_new_windows_do_not_hold_a_page_up(stage: Stage) -> None:
    stage.put("/loud", app(SHOW + "alert('hello'); confirm('sure?'); prompt('name'); open('/other'); show('after them all')"))  # fmt: skip

    assert "after them all" in stage.visit("/loud").decode_text()


def test_consent_is_declined(stage: Stage) -> None:
    stage.put("/consent", app(SHOW + """document.body.insertAdjacentHTML('beforeend',
        '<button id="onetrust-accept-btn-handler" onclick="show(`accepted`)">Yes</button>' +
        '<button id="onetrust-reject-all-handler" onclick="show(`declined`)">No</button>')"""))  # fmt: skip

    assert "<p>declined</p>" in stage.visit("/consent").decode_text()


def test_text_in_shadow_trees_and_frames_is_seen(stage: Stage) -> None:
    stage.put("/inner", "<p>Text of the frame.</p>")
    stage.put("/deep", """<div id="h"></div><iframe src="/inner"></iframe><script>
        const root = document.getElementById('h').attachShadow({mode: 'open'});
        root.innerHTML = '<style>p {color: red}</style><p>Text in the shadow.</p>';</script>""")  # fmt: skip

    text = stage.visit("/deep").decode_text()

    assert "<p>Text in the shadow.</p>" in text
    assert "<p>Text of the frame.</p>" in text


def test_a_redirect_is_told(stage: Stage) -> None:
    stage.put("/from", "", 302, Location="/there")
    stage.put("/there", "<p>arrived</p>")

    response = stage.visit("/from")

    assert response.url == stage.server.url("/there")
    assert response.hops == (stage.server.url("/from"),)


def test_one_visit_leaves_nothing_behind_for_the_next(stage: Stage) -> None:
    stage.put("/cookie", app(SHOW + "show(`had:${document.cookie}${localStorage.a || ''}.`); document.cookie = 'a=1'; localStorage.a = 2"))  # fmt: skip

    stage.visit("/cookie")

    assert "had:." in stage.visit("/cookie").decode_text()


def test_a_page_behind_a_password_says_so(stage: Stage) -> None:
    stage.put("/locked", "who?", 401, WWW_Authenticate='Basic realm="x"')

    with pytest.raises(AuthRequired):
        read(stage, "/locked")


def test_a_download_is_refused(stage: Stage) -> None:
    stage.put(
        "/file", b"x" * 5000, Content_Disposition="attachment", Content_Type="application/zip"
    )

    with pytest.raises(ContentEmpty):
        stage.visit("/file")


def test_text_that_is_no_markup_comes_as_it_is(stage: Stage) -> None:
    stage.put("/plain.json", '{"a": [1, 2]}', Content_Type="application/json")

    response = stage.visit("/plain.json")

    assert (response.body, response.content_type) == (b'{"a": [1, 2]}', "application/json")


def test_a_page_larger_than_asked_for_is_refused(stage: Stage) -> None:
    stage.put("/large", app("document.body.append('x'.repeat(100000))"))

    with pytest.raises(TooLarge):
        stage.visit("/large", max_bytes=50_000)


def test_a_script_without_end_is_given_up_and_the_next_page_is_read(stage: Stage) -> None:
    stage.put("/endless", "<p>x</p><script>setTimeout(() => {for (;;) {}}, 50)</script>")
    stage.put("/next", "<p>next</p>")

    with pytest.raises(NetworkFailed):
        stage.visit("/endless", timeout=2.0)

    assert "next" in stage.visit("/next").decode_text()


def lose_scripts(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Let Chromium's driver fail as it does on a busy machine, for the next `times` scripts."""
    evaluate = Page.evaluate
    remaining = iter(range(times))

    async def lose_or_evaluate(page: Page, *arguments: Any) -> Any:
        if next(remaining, None) is not None:
            raise Error("Page.evaluate: Resulting promise was garbage collected")
        return await evaluate(page, *arguments)

    monkeypatch.setattr(Page, "evaluate", lose_or_evaluate)


def test_a_page_is_read_again_in_a_fresh_tab_if_the_browser_lost_our_script(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.put("/lost-once", "<p>read at last</p>")
    lose_scripts(monkeypatch, times=1)

    assert "read at last" in stage.visit("/lost-once").decode_text()
    assert stage.asked("/lost-once") == 2


def test_a_script_lost_twice_is_named_and_the_browser_kept(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.put("/lost-twice", "<p>never read</p>")
    stage.visit("/lost-twice")
    before = browser_pid(stage)
    lose_scripts(monkeypatch, times=2)

    with pytest.raises(NetworkFailed, match="discarded the script") as caught:
        stage.visit("/lost-twice")

    assert caught.value.reason == FailureReason.SCRIPT_LOST
    assert "never read" in stage.visit("/lost-twice").decode_text()
    assert browser_pid(stage) == before


def test_a_page_that_loads_without_end_is_given_up() -> None:
    with staged(max_page_bytes=300_000) as stage:
        stage.put("/chunk", "x" * 200_000)
        stage.put("/greedy", app("setInterval(() => fetch('/chunk'), 50)"))

        with pytest.raises(TooLarge):
            stage.visit("/greedy")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured in /proc")
def test_a_page_that_eats_memory_loses_its_tab_and_the_next_is_read() -> None:
    with staged(max_memory_bytes=700 * 2**20) as stage:
        stage.put("/eater", app("const kept = []; setInterval(() => {kept.push(new Uint8Array(3e7).fill(1)); document.title = kept.length; document.body.append(1)}, 20)"))  # fmt: skip
        stage.put("/next", "<p>next</p>")

        with pytest.raises(UpstreamUnavailable):
            stage.visit("/eater")

        assert "next" in stage.visit("/next").decode_text()


def test_a_worn_browser_is_replaced() -> None:
    with staged(max_visits=1) as stage:
        stage.put("/", "<p>x</p>")
        stage.visit("/")
        first = browser_pid(stage)
        stage.visit("/")

        assert browser_pid(stage) != first
        wait_until(lambda: has_ended(first))


def test_an_idle_browser_is_closed() -> None:
    with staged(idle_seconds=0.2) as stage:
        stage.put("/", "<p>x</p>")
        stage.visit("/")

        wait_until(lambda: not stage.browser.is_running)


def test_a_page_is_not_lost_to_a_tab_that_does_not_close(monkeypatch: pytest.MonkeyPatch) -> None:
    async def close_never(_: BrowserContext, **__: Any) -> None:
        await asyncio.Event().wait()

    with staged() as stage:
        stage.put("/", "<p>read</p>")
        monkeypatch.setattr(BrowserContext, "close", close_never)

        response = stage.visit("/")

        monkeypatch.undo()
        assert "read" in response.decode_text()
        assert stage.browser._engine is not None
        assert stage.browser._engine.needs_replacement


def test_a_browser_that_died_is_started_again() -> None:
    with staged() as stage:
        stage.put("/", "<p>alive</p>")
        stage.visit("/")
        first = browser_pid(stage)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: stage.browser._engine is None or stage.browser._engine.needs_replacement)

        assert "alive" in stage.visit("/").decode_text()


OWNER = """
import asyncio, os, sys
from citewell.net.browser.page_browser import PageBrowser
from citewell.net.browser.chromium_process import BrowserSettings
from citewell.net.address_guard import Guard, GuardRules

async def main():
    browser = PageBrowser(Guard(GuardRules()), BrowserSettings(environ=os.environ))
    engine = await browser._ensure_engine()
    page = await engine._browser.new_page()
    asyncio.ensure_future(page.evaluate("for (;;) {}"))
    print(*await engine.list_process_ids(), flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


def test_kill_9_leaves_no_chromium_behind() -> None:
    require_chromium()
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    pids = [int(pid) for pid in owner.stdout.readline().split()]
    assert len(pids) >= 3
    assert not any(map(has_ended, pids))

    owner.kill()
    owner.wait()
    owner.stdout.close()

    wait_until(lambda: all(map(has_ended, pids)))


def browser_pid(stage: Stage) -> int:
    engine = stage.browser._engine
    assert engine is not None
    return stage.loop.run(engine.list_process_ids())[0]
