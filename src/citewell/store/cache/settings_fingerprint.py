"""A fingerprint of the settings that affect results; cached results are reused only under the same one.

So a page that was read while a private host was allowed is not served once the host is forbidden,
and results of one provider are not served after another was chosen.
"""

from __future__ import annotations

import hashlib
import json
import re

from citewell.config import SEARXNG_PROFILE, Settings

# By name pattern, so that options of a new provider are included without a change here.
_RESULT_SETTINGS_PATTERN = re.compile(
    r"^(?:CITEWELL_|SEARCH_|SEARXNG_|BRAVE_|GOOGLE_|CUSTOM_|ALLOW|EXA_|TAVILY_|CHROME_PATH$)"
    r"|_API_KEY$|_EMAIL$|_TOKEN$"
)
# Storage places and served clients do not affect results.
_NEUTRAL_SETTINGS_PATTERN = re.compile(
    r"^CITEWELL_(?:DATA_DIR|CONFIG|FRONT|TOOLS|TOOLSETS|PROFILE|READ_ONLY|HOST|CACHE\w*|OPEN_METRICS"
    r"|STRUCTURED_TEXT|LINK_THRESHOLD|ANSWER_LIMIT|ARTIFACT_TTL|MASTER_KEY\w*|DATABASE_(?:URL|DIRECT_URL|CONNECTIONS))$"
)


def build_settings_fingerprint(settings: Settings) -> str:
    """A hash of all settings that affect results, as 16 hexadecimal digits."""
    raw = {
        name: value
        for name, value in settings.raw.items()
        if _RESULT_SETTINGS_PATTERN.search(name) and not _NEUTRAL_SETTINGS_PATTERN.search(name)
    }
    flags = [
        settings.allow_private_ips,
        settings.allow_private_hosts,
        settings.allowed_domains,
        settings.query_providers,
        settings.profile == SEARXNG_PROFILE,  # its answers have more fields
    ]
    text = json.dumps([sorted(raw.items()), flags, _list_custom_lenses(settings)], default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _list_custom_lenses(settings: Settings) -> list[tuple[str, float]]:
    """File names and modification times of the user's own lenses."""
    folder = settings.custom_lenses_path
    if folder is None or not folder.is_dir():
        return []
    return sorted((path.name, path.stat().st_mtime) for path in folder.glob("*.json"))
