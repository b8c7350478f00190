"""The settings of the room `library`."""

from __future__ import annotations

from citewell.core.config import Setting, SettingsSection, parse_bool


class LibrarySettings(SettingsSection):
    library_keep_pages = Setting(
        "CITEWELL_LIBRARY_KEEP_PAGES",
        False,
        "Keep every page that is read in the library of whoever asked for it, tagged `read`.",
        parse_bool,
    )
