"""The settings of the room `watching`."""

from __future__ import annotations

from citewell.core.config import (
    Setting,
    SettingsSection,
    parse_bool,
    parse_duration,
    parse_text,
    text_of_length,
)


class WatchingSettings(SettingsSection):
    monitoring_enabled = Setting(
        "MONITORING_ENABLED", False, "Offer monitor_query_save and monitor_query_check.", parse_bool
    )
    monitoring_ttl = Setting(
        "MONITORING_TTL",
        720 * 3600.0,
        "How long a saved search is kept that does not say so itself.",
        parse_duration,
    )
    watch_interval = Setting(
        "CITEWELL_WATCH_INTERVAL",
        86_400.0,
        "How often watched bibliographies and saved searches are checked again.",
        parse_duration,
    )
    watch_webhook_url = Setting(
        "CITEWELL_WATCH_WEBHOOK_URL",
        None,
        "Where news of watches are sent.",
        parse_text,
        secret=True,
    )
    watch_webhook_secret = Setting(
        "CITEWELL_WATCH_WEBHOOK_SECRET",
        None,
        "Signs what is sent there, with HMAC-SHA256; 16 characters or more.",
        text_of_length(16),
        secret=True,
    )
