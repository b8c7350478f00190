"""The rules of axe-core, run in a page of a real browser."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

HERE = Path(__file__).resolve().parent
SCRIPT = HERE / "node_modules" / "axe-core" / "axe.min.js"
RUN = """
async () => (await axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
})).violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`)
"""


@cache
def load_axe() -> str:
    """The script; skips the test where npm cannot install it, which is a failure in CI."""
    with (HERE / "package.json").open(encoding="utf-8") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # one worker installs, the others wait for it
        if not SCRIPT.exists():
            _install_packages()
    return SCRIPT.read_text(encoding="utf-8")


def list_violations(page: Page) -> list[str]:
    """Each broken rule with the elements that break it."""
    page.evaluate(load_axe())
    found: list[str] = page.evaluate(RUN)
    return found


def _install_packages() -> None:
    npm = shutil.which("npm")
    if npm is None:
        _give_up("npm is not installed")
    done = subprocess.run(
        [npm, "ci", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"],
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    if done.returncode or not SCRIPT.exists():
        _give_up(f"npm could not install axe-core: {done.stderr[-300:]}")


def _give_up(reason: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
