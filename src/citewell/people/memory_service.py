"""Long-term memory: saves a user's findings and recalls them in later sessions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field

from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import Owner
from citewell.core.values.argument_types import OptionalQuery, check_declared_bounds
from citewell.core.values.wire_values import WireValue
from citewell.people import workspace_service
from citewell.people.consent_service import ConsentService
from citewell.people.memory_store import FoundMemories, MemoryRecord, SqlMemoryStore
from citewell.people.usage_analytics import ConsentGate
from citewell.text.calendar_dates import format_utc_time

DEFAULT_MEMORIES = 20
MAX_RECALLED_MEMORIES = 100


# Marks the user's own words: data, not instructions.
UserAssertedLabel = Literal["user-asserted-content"]
MemoryStatus = Literal["ok", "no_consent", "unavailable"]


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


@dataclass(frozen=True, kw_only=True)
class MemoryNote(workspace_service.NoteFields):
    """A finding to remember; the arguments of memory_save."""

    topic: Annotated[workspace_service.TopicText, Field(description="Label to recall it by.")] = (
        None
    )


@dataclass(frozen=True, kw_only=True)
class MemoryRequest:
    """Which memories to recall; the arguments of memory_recall."""

    topic: workspace_service.TopicText = None
    query: Annotated[OptionalQuery, Field(description="Words to look for.")] = None
    limit: Annotated[int, Field(ge=1, le=MAX_RECALLED_MEMORIES)] = DEFAULT_MEMORIES
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class MemoryService(workspace_service.NoteService[SqlMemoryStore]):
    """Keeps memories only for named users who have consented, and shows each user their own."""

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        gate = ConsentGate(kit.require_service(ConsentService), "memory")
        return cls(kit.open_state().memories, gate)

    async def save_memory(self, owner: Owner, note: MemoryNote) -> MemorySaved:
        """Save a finding. Raises InvalidInput for fields that cannot be kept."""
        checked = note.check_fields()
        if refusal := await self._gate.find_refusal(owner):
            return MemorySaved(status=refusal.status, reason=refusal.reason)
        self._sweep.keep_sweeping()
        memory = MemoryRecord(
            id=self._new_id(),
            tenant=owner.tenant,
            user=owner.user,
            note=checked.note,
            topic=(checked.topic or "").strip() or None,
            url=checked.url,
            tags=checked.tags,
        )
        created = await self._store.add_memory(str(owner), memory)
        if created is None:  # withdrawn since it was asked for
            refusal = self._gate.build_consent_refusal(owner)
            return MemorySaved(status=refusal.status, reason=refusal.reason)
        return MemorySaved(status="ok", id=memory.id, created_at=format_utc_time(created))

    async def recall_memories(self, owner: Owner, request: MemoryRequest) -> MemoriesRecalled:
        """The user's newest memories or, with a query, those that match it best."""
        check_declared_bounds(request)
        if refusal := await self._gate.find_refusal(owner):
            return MemoriesRecalled(status=refusal.status, reason=refusal.reason)
        self._sweep.keep_sweeping()
        found = await self._find_memories(str(owner), request)
        shown = workspace_service.cut_page(found.memories)
        return MemoriesRecalled(
            status="ok",
            count=len(shown),
            total=found.total,
            next_offset=workspace_service.find_next_offset(request.offset, len(shown), found.total),
            memories=tuple(MemoryEntry.model_validate(memory.to_json()) for memory in shown),
        )

    async def _find_memories(self, owner: str, request: MemoryRequest) -> FoundMemories:
        topic = (request.topic or "").strip() or None
        if request.query:
            return await self._store.search_memories(
                owner, request.query, topic=topic, limit=request.limit, offset=request.offset
            )
        return await self._store.list_memories(
            owner, topic=topic, limit=request.limit, offset=request.offset
        )
