"""How the times of people's records are written."""

from __future__ import annotations

from datetime import UTC, datetime


def format_utc_time(seconds: float) -> str:
    """Seconds since the epoch as an ISO 8601 time, such as 2026-01-31T08:00:00Z."""
    shown = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    return shown.replace("+00:00", "Z")
