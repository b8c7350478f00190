"""The rules of axe-core, run in a page of a real browser."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tests.node_packages import find_package

if TYPE_CHECKING:
    from playwright.sync_api import Page

RUN = """
async () => (await axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
})).violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`)
"""


@cache
def load_axe() -> str:
    """The script; skips the test where it is not installed, which is a failure in CI."""
    return (find_package("axe-core") / "axe.min.js").read_text(encoding="utf-8")


def list_violations(page: Page) -> list[str]:
    """Each broken rule with the elements that break it."""
    page.evaluate(load_axe())
    found: list[str] = page.evaluate(RUN)
    return found
