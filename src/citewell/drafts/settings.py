"""The settings of the room `drafts`."""

from __future__ import annotations

from citewell.core.config import Setting, SettingsSection, parse_duration


class DraftsSettings(SettingsSection):
    draft_task_timeout = Setting(
        "CITEWELL_DRAFT_TASK_TIMEOUT",
        3600.0,
        "Longest run of check_draft as a task; what was not reached is then reported as unchecked.",
        parse_duration,
    )
