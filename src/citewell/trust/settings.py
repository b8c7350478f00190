"""The settings of the room `trust`."""

from __future__ import annotations

from citewell.core.config import Setting, SettingsSection, parse_web_address


class TrustSettings(SettingsSection):
    retraction_watch_url = Setting(
        "RETRACTION_WATCH_URL",
        "https://gitlab.com/crossref/retraction-watch-data/-/raw/main/retraction_watch.csv",
        "Where `citewell data update` gets the table of retractions.",
        parse_web_address,
    )
