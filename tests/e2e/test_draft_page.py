"""The page of a checked draft in a real browser: seen, opened by a click and a key, printed, attacked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from citewell.drafts.commands.checking.draft_page import render_draft_page
from citewell.net.address_guard import Guard, GuardRules
from citewell.net.browser.chromium_process import BrowserSettings, can_use_sandbox
from citewell.net.browser.page_browser import PageBrowser
from tests.axe import list_violations
from tests.checked_drafts import make_checked_draft
from tests.reading.stage import require_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    require_chromium()
    executable = PageBrowser(Guard(GuardRules()), BrowserSettings()).find_executable()
    with sync_playwright() as started:
        opened = started.chromium.launch(
            executable_path=executable, chromium_sandbox=can_use_sandbox()
        )
        yield opened
        opened.close()


@pytest.fixture
def address(tmp_path: Path) -> str:
    path = tmp_path / "draft.html"
    path.write_text(render_draft_page(make_checked_draft()), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_breaks_no_rule_of_accessibility_and_fits_every_screen(
    browser: Browser, address: str, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    for target in ("", "#f1"):
        page.goto("about:blank")
        page.goto(address + target)
        assert list_violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_a_click_or_a_key_opens_the_evidence_and_nothing_is_asked_from_outside(
    browser: Browser, address: str
) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    evidence = page.locator("#f1 blockquote")
    assert not evidence.is_visible()

    page.locator("#at-f1").click()
    assert evidence.is_visible()
    assert "2001" in evidence.inner_text()

    page.goto("about:blank")
    page.goto(address)
    page.locator("#at-f2").focus()
    page.keyboard.press("Enter")
    assert page.locator("#f2 .body").is_visible()

    page.emulate_media(media="print")
    assert page.locator("#f1 blockquote").is_visible()
    assert {url.partition(":")[0] for url in asked} <= {"file", "about"}
    page.close()
