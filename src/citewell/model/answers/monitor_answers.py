"""The answers of the tools for saved searches."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from citewell.model.search_results import SearchResult
from citewell.model.wire_values import UNTRUSTED_LABEL, WireValue

MonitorStatus = Literal["ok", "no_consent", "unavailable", "limit"]


class MonitorSaved(WireValue):
    """What monitor_query_save returns."""

    status: MonitorStatus
    reason: str | None = None
    id: str | None = None
    query: str | None = None
    known_results: int | None = None  # found now, and not reported later
    expires_at: str | None = None
    note: str | None = None


class MonitoredQuery(WireValue):
    """One saved search and what it found that it had not found before."""

    id: str
    query: str
    checked_at: str | None = None
    new_results: tuple[SearchResult, ...] = ()
    error: str | None = None  # why it could not be checked; nothing is lost by it


class MonitorAnswer(WireValue):
    """What monitor_query_check returns."""

    status: MonitorStatus
    reason: str | None = None
    count: int = 0
    monitors: tuple[MonitoredQuery, ...] = ()
    unchecked: int | None = None  # searches left for the next call, since there is so much news
    trust: str = Field(default=UNTRUSTED_LABEL)
