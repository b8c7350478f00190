"""What came of asking the Internet Archive for a copy, in the words of spec 1."""

from __future__ import annotations

from pydantic import Field

from citewell.model.base import UNTRUSTED, Value


class Archived(Value):
    requested_url: str
    snapshot_url: str | None = None  # absent when pending or unavailable
    archived_at: str | None = None  # RFC 3339, only of a fresh capture
    captured: bool  # by this very call
    status: str  # archived, existing, pending, unavailable
    http_status: int | None = None  # of Save Page Now
    reason: str | None = None  # why there is no fresh capture
    poll_url: str | None = None  # where to look later, when pending
    source: str
    provenance: tuple[str, ...]  # each thing asked, and the answer
    trust: str = Field(default=UNTRUSTED)
