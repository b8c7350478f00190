"""Whose answers may be reused: those found under the same policy and the same configuration.

A page read while a private host was allowed must not be served once it no longer is, nor an old
provider's answer after another one was chosen. So answers are kept apart by what decided them.
"""

from __future__ import annotations

import hashlib
import json
import re

from citewell.config import Settings

# By name, so that a new provider's options count without anybody thinking of it.
_DECIDES = re.compile(
    r"^(?:CITEWELL_|SEARCH_|SEARXNG_|BRAVE_|GOOGLE_|CUSTOM_|ALLOW|EXA_|TAVILY_|CHROME_PATH$)"
    r"|_API_KEY$|_EMAIL$|_TOKEN$"
)
# Where things live and who is served decides no answer.
_DECIDES_NOTHING = re.compile(
    r"^CITEWELL_(?:DATA_DIR|CONFIG|FRONT|TOOLS|TOOLSETS|PROFILE|READ_ONLY|HOST|CACHE\w*|OPEN_METRICS"
    r"|STRUCTURED_TEXT|LINK_THRESHOLD|ARTIFACT_TTL|MASTER_KEY\w*|DATABASE_URL)$"
)


def fingerprint(settings: Settings) -> str:
    """A short name for the policy and configuration in force; nothing can be read out of it."""
    raw = {
        name: value
        for name, value in settings.raw.items()
        if _DECIDES.search(name) and not _DECIDES_NOTHING.search(name)
    }
    flags = [settings.allow_private_ips, settings.allow_private_hosts, settings.allowed_domains]
    text = json.dumps([sorted(raw.items()), flags, _lenses(settings)], default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _lenses(settings: Settings) -> list[tuple[str, float]]:
    """The user's own lenses by name and time of change."""
    folder = settings.custom_lenses_path
    if folder is None or not folder.is_dir():
        return []
    return sorted((path.name, path.stat().st_mtime) for path in folder.glob("*.json"))
