"""Long-term memory: saves a user's findings and recalls them in later sessions."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from citewell.model.answers.people_answers import MemoriesRecalled, MemoryEntry, MemorySaved
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import OptionalQuery
from citewell.services.people.answer_pages import cut_page, find_next_offset
from citewell.services.people.consent_gate import ConsentGate, ConsentRefusal
from citewell.services.people.expiry_sweep import ExpirySweep
from citewell.services.people.note_fields import NoteFields, TopicText
from citewell.store.people.memory_store import FoundMemories, MemoryRecord, SqlMemoryStore
from citewell.store.people.record_times import format_utc_time
from citewell.tooling import Owner

DEFAULT_MEMORIES = 20
MAX_RECALLED_MEMORIES = 100


@dataclass(frozen=True, kw_only=True)
class MemoryNote(NoteFields):
    """A finding to remember; the arguments of memory_save."""

    topic: Annotated[TopicText, Field(description="Label to recall it by.")] = None


@dataclass(frozen=True, kw_only=True)
class MemoryRequest:
    """Which memories to recall; the arguments of memory_recall."""

    topic: TopicText = None
    query: Annotated[OptionalQuery, Field(description="Words to look for.")] = None
    limit: Annotated[int, Field(ge=1, le=MAX_RECALLED_MEMORIES)] = DEFAULT_MEMORIES
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class MemoryService:
    """Keeps memories only for named users who have consented, and shows each user their own."""

    def __init__(
        self,
        store: SqlMemoryStore,
        gate: ConsentGate,
        *,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._store = store
        self._gate = gate
        self._sweep = ExpirySweep(store.delete_expired)
        self._new_id = new_id

    def keep_sweeping(self) -> None:
        """Delete memories past their retention, every hour while the process runs."""
        self._sweep.keep_sweeping()

    async def aclose(self) -> None:
        await self._sweep.aclose()

    async def save_memory(self, owner: Owner, note: MemoryNote) -> MemorySaved:
        """Save a finding. Raises InvalidInput for fields that cannot be kept."""
        checked = note.check_fields()
        if refusal := await self._gate.find_refusal(owner):
            return _refuse_saving(refusal)
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
            return _refuse_saving(self._gate.build_consent_refusal(owner))
        return MemorySaved(status="ok", id=memory.id, created_at=format_utc_time(created))

    async def recall_memories(self, owner: Owner, asked: MemoryRequest) -> MemoriesRecalled:
        """The user's newest memories or, with a query, those that match it best."""
        check_declared_bounds(asked)
        if refusal := await self._gate.find_refusal(owner):
            return MemoriesRecalled(status=refusal.status, reason=refusal.reason)
        self._sweep.keep_sweeping()
        found = await self._find_memories(str(owner), asked)
        shown = cut_page(found.memories)
        return MemoriesRecalled(
            status="ok",
            count=len(shown),
            total=found.total,
            next_offset=find_next_offset(asked.offset, len(shown), found.total),
            memories=tuple(MemoryEntry.model_validate(memory.to_json()) for memory in shown),
        )

    async def _find_memories(self, owner: str, asked: MemoryRequest) -> FoundMemories:
        topic = (asked.topic or "").strip() or None
        if asked.query:
            return await self._store.search_memories(
                owner, asked.query, topic=topic, limit=asked.limit, offset=asked.offset
            )
        return await self._store.list_memories(
            owner, topic=topic, limit=asked.limit, offset=asked.offset
        )


def _refuse_saving(refusal: ConsentRefusal) -> MemorySaved:
    return MemorySaved(status=refusal.status, reason=refusal.reason)
