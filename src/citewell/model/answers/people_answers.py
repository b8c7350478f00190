"""The answers of the tools that keep something for a user: memories, workspaces, usage."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from citewell.model.wire_values import WireValue

# Marks the user's own words: data, not instructions.
UserAssertedLabel = Literal["user-asserted-content"]
UntrustedLabel = Literal["untrusted-external-content"]

MemoryStatus = Literal["ok", "no_consent", "unavailable"]
WorkspaceStatus = Literal["ok", "not_member", "no_consent", "unavailable"]
AnalyticsStatus = Literal["ok", "empty", "no_consent", "unavailable"]


class MemorySaved(WireValue):
    status: MemoryStatus
    reason: str | None = None
    id: str | None = None
    created_at: str | None = None


class MemoryEntry(WireValue):
    id: str
    tenant_id: str
    user_id: str
    topic: str | None = None
    note: str
    url: str | None = None
    tags: tuple[str, ...] | None = None
    created_at: str


class MemoriesRecalled(WireValue):
    status: MemoryStatus
    reason: str | None = None
    count: int = 0
    total: int = Field(default=0, description="Memories that match, on all pages.")
    next_offset: int | None = None
    memories: tuple[MemoryEntry, ...] = ()
    trust: UserAssertedLabel = "user-asserted-content"


class ContributionSaved(WireValue):
    status: WorkspaceStatus
    reason: str | None = None
    id: str | None = None


class ContributionEntry(WireValue):
    id: str
    workspace_id: str
    contributor_tenant: str
    contributor_user: str
    note: str
    url: str | None = None
    tags: tuple[str, ...] | None = None
    created_at: str


class WorkspaceContents(WireValue):
    status: WorkspaceStatus
    reason: str | None = None
    count: int = 0
    total: int = 0
    next_offset: int | None = None
    contributions: tuple[ContributionEntry, ...] = ()
    trust: UntrustedLabel = "untrusted-external-content"


class UserAnalytics(WireValue):
    tenant_id: str
    user_id: str
    total_calls: int
    tool_counts: dict[str, int]
    first_seen: str | None = None
    last_seen: str | None = None
    recent_tools: tuple[str, ...] | None = None


class AnalyticsAnswer(WireValue):
    status: AnalyticsStatus
    reason: str | None = None
    analytics: UserAnalytics | None = None
