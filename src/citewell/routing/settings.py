"""The settings of the room `routing`."""

from __future__ import annotations

from citewell.core.config import Setting, SettingsSection, count_from, parse_text


class RoutingSettings(SettingsSection):
    search_provider = Setting(
        "SEARCH_PROVIDER", None, "The web search provider to try first.", parse_text
    )
    search_routing = Setting(
        "SEARCH_ROUTING",
        None,
        "Providers in order of preference: a comma list, or JSON with a list per capability (web, images, news, default).",
        parse_text,
    )
    search_thin_threshold = Setting(
        "SEARCH_THIN_THRESHOLD",
        1,
        "A provider that returns this many results or fewer is helped out by the next one.",
        count_from(0),
    )
