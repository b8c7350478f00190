"""Memories: findings that a user saved, encrypted with the user's keys and searchable by their words."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citewell.store.failures import BatchRolledBack, DecryptionFailed
from citewell.store.keys.key_vault import KeyVault
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.people import memory_terms
from citewell.store.people.consent_store import build_consent_guard
from citewell.store.people.record_times import format_utc_time
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

logger = logging.getLogger(__name__)
_TABLE = "memory"
MAX_MEMORIES = 5000  # of one user; beyond that the oldest is deleted

_INSERT_MEMORY = """
INSERT INTO memory (id, owner, topic, created, length, body)
VALUES (:id, :owner, :topic, :now, :length, :body)
"""
_EVICT_MEMORIES = """
DELETE FROM memory WHERE id IN (
    SELECT id FROM memory WHERE owner = :owner AND id <> :id ORDER BY created, id
    LIMIT (
        SELECT CASE WHEN COUNT(*) > :most THEN COUNT(*) - :most ELSE 0 END
        FROM memory WHERE owner = :owner
    )
)
"""
_OWN_MEMORIES = "memory.owner = :owner AND memory.created > :oldest"
_OF_TOPIC = f"{_OWN_MEMORIES} AND memory.topic = :topic"
_SELECT_RECENT = """
SELECT id, created, body, COUNT(*) OVER () FROM memory WHERE {condition}
ORDER BY created DESC, id LIMIT :limit OFFSET :offset
"""
_SELECT_NAMED = "SELECT id, created, body FROM memory WHERE owner = :owner AND id IN ({ids})"
_SELECT_ALL = """
SELECT id, created, body FROM memory
WHERE owner = :owner AND created > :oldest ORDER BY created, id
"""
_SELECT_TOTALS = """
SELECT COUNT(*), COALESCE(AVG(length), 1) FROM memory
WHERE owner = :owner AND created > :oldest
"""
_DELETE_EXPIRED = "DELETE FROM memory WHERE created <= :oldest"
_DELETE_OWNER_MEMORIES = "DELETE FROM memory WHERE owner = :owner"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecord:
    id: str
    tenant: str
    user: str
    note: str
    topic: str | None = None
    url: str | None = None
    tags: tuple[str, ...] = ()
    created: float = 0.0  # seconds since the epoch; set by the store

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "id": self.id,
            "tenantId": self.tenant,
            "userId": self.user,
            "topic": self.topic,
            "note": self.note,
            "url": self.url,
            "tags": list(self.tags) or None,
            "createdAt": format_utc_time(self.created),
        }
        return {key: value for key, value in told.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemories:
    """One page of memories, and how many there are on all pages."""

    memories: tuple[MemoryRecord, ...] = ()
    total: int = 0


class SqlMemoryStore:
    """Every call names an owner (tenant/user); nothing is stored without the owner's consent."""

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        *,
        retention: float,
        clock: Callable[[], float],
        max_memories: int = MAX_MEMORIES,
    ) -> None:
        self._database = database
        self._vault = vault
        self._retention = retention
        self._clock = clock
        self._most = max_memories

    async def add_memory(self, owner: str, memory: MemoryRecord) -> float | None:
        """Store a memory and return when; None if the owner has not consented.

        Beyond the limit the owner's oldest memories are deleted.
        """
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return None
        now = self._clock()
        terms = memory_terms.hash_memory_terms(chain, _collect_text(memory))
        params: dict[str, SqlScalar] = {
            "id": memory.id,
            "owner": chain.tag,
            "topic": _hash_topic(chain, memory.topic),
            "now": now,
            "length": terms.words,
            "most": self._most,
            "body": chain.encrypt_row(_TABLE, memory.id, _encode_memory(memory)),
        }
        try:
            await self._database.execute_batch(
                [
                    self._vault.build_owner_guard(chain),
                    build_consent_guard(chain, "memory"),
                    SqlStatement(sql=_INSERT_MEMORY, params=params, expected_rows=1),
                    *memory_terms.build_term_inserts(memory.id, terms.counts),
                    SqlStatement(sql=_EVICT_MEMORIES, params=params),
                ]
            )
        except BatchRolledBack:
            self._vault.forget_keychain(owner)
            return None
        return now

    async def list_memories(
        self, owner: str, *, topic: str | None = None, limit: int, offset: int = 0
    ) -> FoundMemories:
        """The newest memories, of one topic if it is given; case does not matter."""
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return FoundMemories()
        condition, params = self._build_condition(chain, topic)
        found = await self._database.select_rows(
            _SELECT_RECENT.format(condition=condition),
            {**params, "limit": limit, "offset": offset},
        )
        memories = await self._decrypt_memories(owner, [row[:3] for row in found])
        return FoundMemories(memories=memories, total=int(found[0][3]) if found else 0)

    async def search_memories(
        self, owner: str, query: str, *, topic: str | None = None, limit: int, offset: int = 0
    ) -> FoundMemories:
        """Memories that have words of the query, the best match first."""
        chain = await self._vault.find_keychain(owner)
        words = memory_terms.hash_query_words(chain, query) if chain else ()
        if chain is None or not words:
            return FoundMemories()
        condition, params = self._build_condition(chain, topic)
        own = {name: params[name] for name in ("owner", "oldest")}
        ((total, average),) = await self._database.select_rows(_SELECT_TOTALS, own)
        counted = await self._database.select_rows(*memory_terms.build_frequency_query(words))
        if not counted:
            return FoundMemories()
        sql, named = memory_terms.build_score_query(
            words,
            {token: int(count) for token, count in counted},
            total=int(total),
            average_words=float(average),
            condition=condition,
        )
        ranked = await self._database.select_rows(
            sql, {**params, **named, "limit": limit, "offset": offset}
        )
        memories = await self._load_memories(owner, chain, [row[0] for row in ranked])
        return FoundMemories(memories=memories, total=int(ranked[0][1]) if ranked else 0)

    async def delete_expired(self) -> int:
        """Delete memories past the retention time, and return their number."""
        oldest = {"oldest": self._clock() - self._retention}
        (gone,) = await self._database.execute_batch(
            [SqlStatement(sql=_DELETE_EXPIRED, params=oldest)]
        )
        return gone.changed_rows

    async def build_owner_erasure(self, owner: str) -> list[SqlStatement]:
        """The statements that remove all of the owner's memories and their search terms."""
        tag = await self._vault.hash_owner_tag(owner)
        return [SqlStatement(sql=_DELETE_OWNER_MEMORIES, params={"owner": tag})]

    async def export_owner(self, owner: str) -> list[dict[str, Any]]:
        """All memories of the owner as JSON values, the oldest first."""
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return []
        _, params = self._build_condition(chain, None)
        found = await self._database.select_rows(_SELECT_ALL, params)
        return [memory.to_json() for memory in await self._decrypt_memories(owner, found)]

    def _build_condition(
        self, chain: OwnerKeychain, topic: str | None
    ) -> tuple[str, Mapping[str, SqlScalar]]:
        params: dict[str, SqlScalar] = {
            "owner": chain.tag,
            "oldest": self._clock() - self._retention,
        }
        if topic is None:
            return _OWN_MEMORIES, params
        return _OF_TOPIC, params | {"topic": _hash_topic(chain, topic)}

    async def _load_memories(
        self, owner: str, chain: OwnerKeychain, ids: Sequence[str]
    ) -> tuple[MemoryRecord, ...]:
        """The memories of these ids, in this order."""
        if not ids:
            return ()
        named: dict[str, SqlScalar] = {f"i{place}": one for place, one in enumerate(ids)}
        sql = _SELECT_NAMED.format(ids=", ".join(f":{name}" for name in named))
        found = await self._database.select_rows(sql, {"owner": chain.tag, **named})
        known = {memory.id: memory for memory in await self._decrypt_memories(owner, found)}
        return tuple(known[one] for one in ids if one in known)

    async def _decrypt_memories(
        self, owner: str, found: Iterable[SqlRow]
    ) -> tuple[MemoryRecord, ...]:
        rows = list(found)
        chain = await self._vault.find_covering_keychain(owner, [row[2] for row in rows])
        if chain is None:
            return ()
        opened = (_decrypt_memory(chain, row) for row in rows)
        return tuple(memory for memory in opened if memory is not None)


def _hash_topic(chain: OwnerKeychain, topic: str | None) -> str:
    return chain.hash_row_name("topic", " ".join(topic.casefold().split())) if topic else ""


def _collect_text(memory: MemoryRecord) -> str:
    return "\n".join((memory.topic or "", *memory.tags, memory.note))


def _encode_memory(memory: MemoryRecord) -> bytes:
    told = [memory.tenant, memory.user, memory.note, memory.topic, memory.url, list(memory.tags)]
    return json.dumps(told).encode()


def _decrypt_memory(chain: OwnerKeychain, row: SqlRow) -> MemoryRecord | None:
    """None, with a warning, if the row cannot be decrypted: it must not hide the other rows."""
    memory_id, created, body = row
    try:
        plain = chain.decrypt_row(_TABLE, memory_id, body)
    except DecryptionFailed as error:
        logger.warning("A memory is left out. %s", error.message)
        return None
    tenant, user, note, topic, url, tags = json.loads(plain)
    return MemoryRecord(
        id=memory_id,
        tenant=tenant,
        user=user,
        note=note,
        topic=topic,
        url=url,
        tags=tuple(tags),
        created=float(created),
    )
