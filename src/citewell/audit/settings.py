"""The settings of the room `audit`."""

from __future__ import annotations

from citewell.core.config import (
    Setting,
    SettingsSection,
    count_from,
    parse_bool,
    parse_path,
    parse_text,
    text_of_length,
)


class AuditSettings(SettingsSection):
    audit_enabled = Setting(
        "AUDIT_ENABLED",
        True,
        "Write one line per tool call. Over stdio none is written unless this or AUDIT_OUTPUT_PATH is set.",
        parse_bool,
    )
    audit_path = Setting(
        "AUDIT_OUTPUT_PATH", None, "File for audit lines instead of stderr.", parse_path
    )
    audit_max_bytes = Setting(
        "AUDIT_MAX_BYTES",
        100 * 2**20,
        "Size at which the file of AUDIT_OUTPUT_PATH is renamed and a new one begun.",
        count_from(1),
    )
    audit_buffer_size = Setting(
        "AUDIT_BUFFER_SIZE",
        4096,
        "Audit lines that may wait for a slow disk or reader; further ones are in the log alone.",
        count_from(1),
    )
    audit_retention_days = Setting(
        "AUDIT_RETENTION_DAYS",
        180,
        "Days for which rows of the audit log, and files of audit lines, are kept; 180 to 3650.",
        count_from(180, most=3650),
    )
    audit_required = Setting(
        "CITEWELL_AUDIT_REQUIRED",
        True,
        "Answer a call with an error if its audit row cannot be stored; false answers it all the same.",
        parse_bool,
    )
    audit_webhook_url = Setting(
        "AUDIT_WEBHOOK_URL",
        None,
        "Where the rows of the audit log are sent, in batches.",
        parse_text,
        secret=True,
    )
    audit_webhook_secret = Setting(
        "CITEWELL_AUDIT_WEBHOOK_SECRET",
        None,
        "Signs what is sent to the webhook, with HMAC-SHA256; 16 characters or more.",
        text_of_length(16),
        secret=True,
    )
    audit_include_query = Setting(
        "AUDIT_INCLUDE_REQUEST_BODY",
        False,
        "Put the query text itself into audit lines, not only its length.",
        parse_bool,
    )
