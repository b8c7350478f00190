"""Asks Chromium whether a reader sees the sentence of each page: `python -m` this module.

Each page is loaded twice, once with other letters in its sentence, and photographed screen by screen
while it is scrolled. The letters are all of one width, so the pages look alike but for the sentence:
where the photographs differ, a reader sees it. Differences too faint to be read do not count.
"""

from __future__ import annotations

import base64
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.reading.stranger_articles import StrangerPage
from tests.reading.stranger_hidden import HIDDEN_PAGES
from tests.reading.stranger_seen import SEEN_PAGES

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCREEN = {"width": 1280, "height": 800}
ADDRESS = "http://stranger.test/page"
_FAINT = 40  # of 255, in one channel
_FEW = 30  # pixels
_COUNT_PIXELS = """async ([one, other, faint]) => {
  const read = async (png) => {
    const blob = new Blob([Uint8Array.from(atob(png), c => c.charCodeAt(0))], {type: 'image/png'});
    const bitmap = await createImageBitmap(blob);
    const paper = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    paper.drawImage(bitmap, 0, 0);
    return paper.getImageData(0, 0, bitmap.width, bitmap.height).data;
  };
  const [a, b] = [await read(one), await read(other)];
  let seen = 0;
  for (let i = 0; i < a.length; i += 1) seen += Math.abs(a[i] - b[i]) > faint;
  return seen;
}"""
_SETTLE_MS = 150
_MOTION_MS = 600
_MOVES = re.compile(r"animation|transition|<script>|onload")


@contextmanager
def open_browser() -> Iterator[Page]:
    """A tab of the machine's own Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        try:
            yield browser.new_page(viewport=SCREEN, color_scheme="light")  # type: ignore[arg-type]
        finally:
            browser.close()


def is_seen(tab: Page, page: StrangerPage) -> bool:
    """Whether the sentence makes a difference that a reader can see."""
    wait = _MOTION_MS if _MOVES.search(page.html) else _SETTLE_MS
    first = _photograph(tab, page.html, page.press, wait)
    second = _photograph(tab, page.swap_sentence(), page.press, wait)
    if len(first) != len(second):
        return True
    return any(
        one != other and tab.evaluate(_COUNT_PIXELS, [_encode(one), _encode(other), _FAINT]) > _FEW
        for one, other in zip(first, second, strict=True)
    )


def _encode(picture: bytes) -> str:
    return base64.b64encode(picture).decode()


def _photograph(tab: Page, html: str, press: str, wait: int) -> list[bytes]:
    tab.unroute_all()
    tab.route(
        "**/*",
        lambda route: (
            route.fulfill(body=html, content_type="text/html; charset=utf-8")
            if route.request.url == ADDRESS
            else route.abort()
        ),
    )
    tab.goto(ADDRESS)
    tab.wait_for_timeout(wait)
    if press:
        tab.click(press)
        tab.wait_for_timeout(_SETTLE_MS)
    shots = []
    across, down = tab.evaluate(
        "[document.documentElement.scrollWidth,document.documentElement.scrollHeight]"
    )
    for left in range(0, min(across, 4000), SCREEN["width"]):
        for top in range(0, min(down, 4000), SCREEN["height"] // 2):
            tab.evaluate(f"window.scrollTo({left},{top})")
            tab.wait_for_timeout(_SETTLE_MS if _MOVES.search(html) else 20)
            shots.append(tab.screenshot())
    return shots


def list_contradictions(names: Mapping[str, object] | None = None) -> list[str]:
    """The pages that Chromium shows otherwise than their list says."""
    wrong = []
    with open_browser() as tab:
        for pages, expected in ((HIDDEN_PAGES, False), (SEEN_PAGES, True)):
            for name, page in pages.items():
                if (not names or name in names) and is_seen(tab, page) is not expected:
                    wrong.append(name)
                    sys.stdout.write(f"{name}: {'not seen' if expected else 'seen'}\n")
                    sys.stdout.flush()
    return wrong


if __name__ == "__main__":
    sys.exit(bool(list_contradictions(dict.fromkeys(sys.argv[1:]))))
