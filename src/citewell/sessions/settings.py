"""The settings of the room `sessions`."""

from __future__ import annotations

from citewell.core.config import Setting, SettingsSection, count_from, parse_duration


class SessionsSettings(SettingsSection):
    session_ttl = Setting(
        "SESSION_TTL",
        4 * 3600.0,
        "How long a research session lives after its last use.",
        parse_duration,
    )
    session_max = Setting(
        "CITEWELL_SESSION_MAX",
        50,
        "Research sessions one owner may have; beyond that the least recently used goes.",
        count_from(1),
    )
    session_max_steps = Setting(
        "SESSION_MAX_STEPS", 200, "Steps one research session may have.", count_from(1)
    )
