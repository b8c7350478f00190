"""The Chromium of this machine: where it is, how it is started, how much memory it takes."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from citewell.errors import BrowserUnavailable

DISABLED = "disabled"

# Everything through the proxy: no loopback exception, no name looked up, no UDP around it.
HARDENED = (
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
)
_QUIET = (
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--disable-blink-features=AutomationControlled",
    "--disable-domain-reliability",
    "--disable-gpu",
    "--js-flags=--max-old-space-size=512",
)
# The first setting is ours; the others are the driver's own, which a second flag would undo.
_NO_PICTURES = (
    "--blink-settings=imagesEnabled=false,primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
    "--disable-remote-fonts",
)
_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "msedge",
)
_MACOS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# What a browser needs of our environment; keys of providers are none of its business.
_PASSED_ON = frozenset({
    "APPDATA", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH",
    "LOCALAPPDATA", "PATH", "PROGRAMFILES", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "USER",
    "USERPROFILE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How the browser is kept."""

    executable: str | None = None  # None for the usual names, "disabled" for never
    pages: int = 2  # at the same time
    idle_seconds: float = 300.0
    visits: int = 100  # after so many a fresh process takes over
    most_memory: int = 1536 * 2**20  # of all its processes together
    most_bytes: int = 64 * 2**20  # that one page may load
    user_agent: str | None = None
    pictures: bool = False
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)


def find(chosen: str | None, *, which: Callable[[str], str | None] = shutil.which) -> str:
    """The executable: the one chosen, else the first of the usual names.

    Raises BrowserUnavailable, with the reason in `detail`, when there is none or none is wanted.
    """
    if chosen == DISABLED:
        raise unavailable("disabled by CHROME_PATH")
    if chosen:
        found = which(chosen)
        if found is None:
            raise unavailable("CHROME_PATH names no program")
        return found
    places = (*_NAMES, *_MACOS) if sys.platform == "darwin" else _NAMES
    found = next(filter(None, map(which, places)), None)
    if found is None:
        raise unavailable("no Chromium found")
    return found


def unavailable(detail: str) -> BrowserUnavailable:
    said = "Scrape failed: Chrome unavailable. Set CHROME_PATH or install Chrome."
    return BrowserUnavailable(said, detail=detail)


def flags(*, pictures: bool) -> list[str]:
    return [*HARDENED, *_QUIET, *(() if pictures else _NO_PICTURES)]


def sandboxed() -> bool:
    """Chromium refuses its sandbox to root alone."""
    return not (hasattr(os, "geteuid") and os.geteuid() == 0)


def surroundings(environ: Mapping[str, str]) -> dict[str, str | float | bool]:
    """The part of our environment that the browser gets."""
    return {name: value for name, value in environ.items() if name.upper() in _PASSED_ON}


def resident(pid: int, *, proc: Path = Path("/proc")) -> int:
    """Bytes of memory that are this process's alone; 0 where the system does not say."""
    try:
        lines = (proc / str(pid) / "status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    for line in lines.splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


def largest(pids: Iterable[int], measure: Callable[[int], int] = resident) -> int | None:
    return max(pids, key=measure, default=None)
