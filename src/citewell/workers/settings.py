"""The settings of the room `workers`."""

from __future__ import annotations

from citewell.core.config import Setting, SettingsSection, count_from, parse_duration


class WorkersSettings(SettingsSection):
    document_timeout = Setting(
        "CITEWELL_PARSE_TIMEOUT",
        30.0,
        "Longest time a page or document may take to be read, once it has arrived.",
        parse_duration,
    )
    document_memory_mb = Setting(
        "CITEWELL_PARSE_MEMORY_MB",
        1024,
        "Most memory a page or document may take to be read.",
        count_from(1),
    )
    worker_count = Setting(
        "CITEWELL_WORKERS",
        0,
        "Processes that read pages and documents, apart from the server; 0 for one per processor.",
        count_from(0),
    )
