"""The Chromium of this machine: its path, its launch flags and environment, its memory use."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from citewell.core.errors import BrowserUnavailable

BROWSER_DISABLED = "disabled"

# Everything goes through the proxy: no exception for loopback, no DNS lookups, no direct UDP.
PROXY_ONLY_FLAGS = (
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
_RESTRICTION_FLAGS = (
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--disable-blink-features=AutomationControlled",
    "--disable-domain-reliability",
    "--disable-gpu",
    "--js-flags=--max-old-space-size=512",
)
# Only imagesEnabled is ours; the rest repeats the driver's own value, which this flag replaces.
_NO_IMAGE_FLAGS = (
    "--blink-settings=imagesEnabled=false,primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
    "--disable-remote-fonts",
)
_EXECUTABLE_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "msedge",
)
_MACOS_EXECUTABLE_PATHS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# The variables a browser needs; API keys of providers must not reach it.
_INHERITED_VARIABLES = frozenset({
    "APPDATA", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH",
    "LOCALAPPDATA", "PATH", "PROGRAMFILES", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "USER",
    "USERPROFILE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSettings:
    """Limits and options of the browser."""

    executable: str | None = None  # None to search the usual names, "disabled" for no browser
    max_open_pages: int = 2  # open at the same time
    idle_seconds: float = 300.0
    max_visits: int = 100  # after this many the process is replaced
    max_memory_bytes: int = 1536 * 2**20  # of all browser processes together
    max_page_bytes: int = 64 * 2**20  # loaded by one page
    user_agent: str | None = None
    loads_images: bool = False
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)


def find_executable(
    configured: str | None, *, which: Callable[[str], str | None] = shutil.which
) -> str:
    """The path of the configured executable, else of the first usual name that is installed.

    Raises BrowserUnavailable, with the reason in `detail`, if there is none or it is disabled.
    """
    if configured == BROWSER_DISABLED:
        raise build_unavailable_error("disabled by CHROME_PATH")
    if configured:
        found = which(configured)
        if found is None:
            raise build_unavailable_error("CHROME_PATH names no program")
        return found
    places = (
        (*_EXECUTABLE_NAMES, *_MACOS_EXECUTABLE_PATHS)
        if sys.platform == "darwin"
        else _EXECUTABLE_NAMES
    )
    found = next(filter(None, map(which, places)), None)
    if found is None:
        raise build_unavailable_error("no Chromium found")
    return found


def build_unavailable_error(detail: str) -> BrowserUnavailable:
    message = "Scrape failed: Chrome unavailable. Set CHROME_PATH or install Chrome."
    return BrowserUnavailable(message, detail=detail)


def build_launch_flags(*, loads_images: bool) -> list[str]:
    return [*PROXY_ONLY_FLAGS, *_RESTRICTION_FLAGS, *(() if loads_images else _NO_IMAGE_FLAGS)]


def can_use_sandbox() -> bool:
    """False for root, for whom Chromium refuses to start with its sandbox."""
    return not (hasattr(os, "geteuid") and os.geteuid() == 0)


def choose_environment(environ: Mapping[str, str]) -> dict[str, str | float | bool]:
    """The environment variables that the browser inherits."""
    return {name: value for name, value in environ.items() if name.upper() in _INHERITED_VARIABLES}


def measure_private_memory(pid: int, *, proc: Path = Path("/proc")) -> int:
    """Bytes of private memory of a process; 0 if the system does not report it."""
    try:
        lines = (proc / str(pid) / "status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    for line in lines.splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


def find_largest_process(
    pids: Iterable[int], measure: Callable[[int], int] = measure_private_memory
) -> int | None:
    return max(pids, key=measure, default=None)
