"""The settings of the room `people`."""

from __future__ import annotations

from citewell.core.config import Setting, SettingsSection, parse_bool, parse_duration


class PeopleSettings(SettingsSection):
    memory_enabled = Setting(
        "MEMORY_ENABLED", False, "Offer memory_save and memory_recall.", parse_bool
    )
    memory_retention = Setting(
        "MEMORY_RETENTION", 2160 * 3600.0, "How long a saved memory is kept.", parse_duration
    )
    analytics_enabled = Setting(
        "USER_ANALYTICS_ENABLED",
        False,
        "Count the calls of users who consent, and offer get_my_analytics.",
        parse_bool,
    )
    workspaces_enabled = Setting(
        "WORKSPACES_ENABLED", False, "Offer workspace_contribute and workspace_read.", parse_bool
    )
    workspace_ttl = Setting(
        "WORKSPACE_TTL", 720 * 3600.0, "How long a finding stays in a workspace.", parse_duration
    )
