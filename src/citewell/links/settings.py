"""The settings of the room `links`."""

from __future__ import annotations

from citewell.core.config import Setting, SettingsSection, parse_text, parse_web_address


class LinksSettings(SettingsSection):
    wayback_url = Setting(
        "CITEWELL_WAYBACK_BASE_URL",
        "https://archive.org/wayback/available",
        "Where archived copies of dead links are looked up.",
        parse_web_address,
    )
    archive_url = Setting(
        "CITEWELL_ARCHIVE_BASE_URL",
        "https://web.archive.org",
        "Where pages are archived.",
        parse_web_address,
    )
    ia_access_key = Setting(
        "IA_ACCESS_KEY",
        None,
        "With IA_SECRET_KEY, archives under your account.",
        parse_text,
        secret=True,
    )
    ia_secret_key = Setting(
        "IA_SECRET_KEY", None, "Belongs to IA_ACCESS_KEY.", parse_text, secret=True
    )
