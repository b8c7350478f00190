"""The outcome of asking the Internet Archive for a copy, with the field names of spec 1."""

from __future__ import annotations

from pydantic import Field

from citewell.model.wire_values import UNTRUSTED_LABEL, WireValue


class ArchiveOutcome(WireValue):
    requested_url: str
    snapshot_url: str | None = None  # absent when pending or unavailable
    archived_at: str | None = None  # RFC 3339; only for a new capture
    captured: bool  # whether this call made the capture
    status: str  # archived, existing, pending, unavailable
    http_status: int | None = None  # of Save Page Now
    reason: str | None = None  # why there is no new capture
    poll_url: str | None = None  # where to look later, when pending
    source: str
    provenance: tuple[str, ...]  # each request made, and its outcome
    trust: str = Field(default=UNTRUSTED_LABEL)
