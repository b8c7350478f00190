"""Memories: findings that a user saved, encrypted with the user's keys and searchable by their words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from citewell.people.consent_service import build_consent_guard
from citewell.store.encryption import OwnerKeychain
from citewell.store.failures import BatchRolledBack
from citewell.store.key_vault import KeyVault
from citewell.store.owner_table import OwnerStore, RecordTable
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement
from citewell.text.calendar_dates import format_utc_time
from citewell.text.language import word_forms
from citewell.text.language.detection import detect_language

_MAX_MEMORY_TERMS = 4000  # distinct terms of one memory that are indexed
_MAX_QUERY_WORDS = 32
_TERM_ROWS_PER_INSERT = 100
_BM25_K1, _BM25_B = 1.2, 0.75
_USUAL_LANGUAGE = "en"

QueryWords = Sequence[Sequence[str]]  # the hashed terms of each word of a query

MAX_MEMORIES = 5000  # of one user; beyond that the oldest is deleted

_OWN_MEMORIES = "memory.owner = :owner AND memory.created > :oldest"
_OF_TOPIC = f"{_OWN_MEMORIES} AND memory.topic = :topic"
_SELECT_TOTALS = """
SELECT COUNT(*), COALESCE(AVG(length), 1) FROM memory
WHERE owner = :owner AND created > :oldest
"""
_DELETE_EXPIRED = "DELETE FROM memory WHERE created <= :oldest"


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
        entry: dict[str, Any] = {
            "id": self.id,
            "tenantId": self.tenant,
            "userId": self.user,
            "topic": self.topic,
            "note": self.note,
            "url": self.url,
            "tags": list(self.tags) or None,
            "createdAt": format_utc_time(self.created),
        }
        return {key: value for key, value in entry.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemories:
    """One page of memories, and how many there are on all pages."""

    memories: tuple[MemoryRecord, ...] = ()
    total: int = 0


MEMORIES = RecordTable(
    name="memory",
    counted_as="memories",
    record=MemoryRecord,
    columns=("id", "topic", "created", "length"),
    encrypted=("tenant", "user", "note", "topic", "url", "tags"),
    left_out="A memory",
)


class SqlMemoryStore(OwnerStore):
    """Every call names an owner (tenant/user); nothing is stored without the owner's consent."""

    tables = (MEMORIES,)

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        *,
        retention: float,
        clock: Callable[[], float],
        max_memories: int = MAX_MEMORIES,
    ) -> None:
        super().__init__(database, vault, clock=clock)
        self._retention = retention
        self._most = max_memories

    async def add_memory(self, owner: str, memory: MemoryRecord) -> float | None:
        """Store a memory and return when; None if the owner has not consented.

        Beyond the limit the owner's oldest memories are deleted.
        """
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return None
        now = self._clock()
        terms = hash_memory_terms(chain, "\n".join((memory.topic or "", *memory.tags, memory.note)))
        params: dict[str, SqlScalar] = {
            "id": memory.id,
            "owner": chain.tag,
            "most": self._most,
        }
        try:
            await self._database.execute_batch(
                [
                    self._vault.build_owner_guard(chain),
                    build_consent_guard(chain, "memory"),
                    MEMORIES.build_insert(
                        chain,
                        memory,
                        topic=_hash_topic(chain, memory.topic),
                        created=now,
                        length=terms.words,
                    ),
                    *build_term_inserts(memory.id, terms.counts),
                    MEMORIES.build_eviction(
                        params,
                        group="owner = :owner",
                        among="AND id <> :id",
                        order="created, id",
                    ),
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
            MEMORIES.build_select(
                f"WHERE {condition} ORDER BY created DESC, id LIMIT :limit OFFSET :offset",
                first="COUNT(*) OVER (), ",
            ),
            {**params, "limit": limit, "offset": offset},
        )
        memories = await self._decrypt_own(MEMORIES, owner, [row[1:] for row in found])
        return FoundMemories(memories=memories, total=int(found[0][0]) if found else 0)

    async def search_memories(
        self, owner: str, query: str, *, topic: str | None = None, limit: int, offset: int = 0
    ) -> FoundMemories:
        """Memories that have words of the query, the best match first."""
        chain = await self._vault.find_keychain(owner)
        words = hash_query_words(chain, query) if chain else ()
        if chain is None or not words:
            return FoundMemories()
        condition, params = self._build_condition(chain, topic)
        own = {name: params[name] for name in ("owner", "oldest")}
        ((total, average),) = await self._database.select_rows(_SELECT_TOTALS, own)
        marks, tokens = _list_note_tokens([token for variants in words for token in variants])
        counted = await self._database.select_rows(
            f"SELECT token, COUNT(*) FROM memory_term WHERE token IN ({marks}) GROUP BY token",  # noqa: S608 - constants
            tokens,
        )
        if not counted:
            return FoundMemories()
        sql, named = build_score_query(
            words,
            {token: int(count) for token, count in counted},
            total=int(total),
            average_words=float(average),
            condition=condition,
        )
        ranked = await self._database.select_rows(
            sql, {**params, **named, "limit": limit, "offset": offset}
        )
        memories = await self._load_memories(owner, [row[0] for row in ranked])
        return FoundMemories(memories=memories, total=int(ranked[0][1]) if ranked else 0)

    async def delete_expired(self) -> int:
        """Delete memories past the retention time, and return their number."""
        return await self._change_rows(_DELETE_EXPIRED, oldest=self._clock() - self._retention)

    async def export_owner(self, owner: str) -> list[dict[str, Any]]:
        """All memories of the owner as JSON values, the oldest first."""
        oldest = self._clock() - self._retention
        found = await self._read_own(
            MEMORIES, owner, "AND created > :oldest ORDER BY created, id", oldest=oldest
        )
        return [memory.to_json() for memory in found]

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

    async def _load_memories(self, owner: str, ids: Sequence[str]) -> tuple[MemoryRecord, ...]:
        """The memories of these ids, in this order."""
        if not ids:
            return ()
        named = {f"i{place}": memory_id for place, memory_id in enumerate(ids)}
        marks = ", ".join(f":{name}" for name in named)
        found = await self._read_own(MEMORIES, owner, f"AND id IN ({marks})", **named)
        known = {memory.id: memory for memory in found}
        return tuple(known[memory_id] for memory_id in ids if memory_id in known)


def _hash_topic(chain: OwnerKeychain, topic: str | None) -> str:
    return chain.hash_row_name("topic", " ".join(topic.casefold().split())) if topic else ""


# Full-text search over encrypted memories: terms are stored as keyed hashes and ranked by BM25.


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTerms:
    """The hashed terms of a memory with how often each occurs, and its number of words."""

    counts: Mapping[str, int]
    words: int


def hash_memory_terms(chain: OwnerKeychain, text: str) -> MemoryTerms:
    """The terms of a text without stop words."""
    plain = word_forms.list_stopwords(None)
    words = Counter(word for word in word_forms.split_words(text) if word not in plain)
    language = word_forms.choose_stem_language(detect_language(text))
    counts: Counter[str] = Counter()
    for word, times in words.items():
        for stem in word_forms.list_term_variants(word, (_USUAL_LANGUAGE, language)):
            counts[stem] += times
    hashed = {
        chain.hash_term(stem): times for stem, times in islice(counts.items(), _MAX_MEMORY_TERMS)
    }
    return MemoryTerms(counts=hashed, words=words.total())


def hash_query_words(chain: OwnerKeychain, query: str) -> QueryWords:
    """The terms of each distinct word of a query, which may stand for it in some language."""
    parsed = word_forms.parse_query_terms(query)
    words = dict.fromkeys((*parsed.words, *(word for phrase in parsed.phrases for word in phrase)))
    hashed = [
        [
            chain.hash_term(stem)
            for stem in word_forms.list_term_variants(word, word_forms.STEMMER_LANGUAGES)
        ]
        for word in islice(words, _MAX_QUERY_WORDS)
    ]
    return _join_forms(hashed)


def _join_forms(words: QueryWords) -> QueryWords:
    """The words, where those that share a term are forms of one word."""
    joined: list[list[str]] = []
    for variants in words:
        known = next((forms for forms in joined if set(forms) & set(variants)), None)
        taken = {token for forms in joined for token in forms}
        fresh = [token for token in variants if token not in taken]
        if known is None:
            joined.append(fresh)
        else:
            known += fresh
    return joined


def build_term_inserts(memory_id: str, terms: Mapping[str, int]) -> list[SqlStatement]:
    """Statements that index a memory, with many rows each to save round trips to a server."""
    pairs, batch = list(terms.items()), []
    for start in range(0, len(pairs), _TERM_ROWS_PER_INSERT):
        group = pairs[start : start + _TERM_ROWS_PER_INSERT]
        marks = ", ".join(f"(:t{place}, :memory, :n{place})" for place in range(len(group)))
        params: dict[str, SqlScalar] = {"memory": memory_id}
        for place, (token, times) in enumerate(group):
            params |= {f"t{place}": token, f"n{place}": times}
        sql = f"INSERT INTO memory_term (token, memory, times) VALUES {marks}"  # noqa: S608 - constants
        batch.append(SqlStatement(sql=sql, params=params))
    return batch


def build_score_query(
    words: QueryWords,
    frequencies: Mapping[str, int],
    *,
    total: int,
    average_words: float,
    condition: str,
) -> tuple[str, dict[str, SqlScalar]]:
    """SQL for rows of (memory, number of matches, score), best first; the newer of two equals first.

    `frequencies` has the tokens that occur, at least one. `condition` restricts the table `memory`;
    the caller adds its parameters, `limit` and `offset`.
    """
    known = [
        (token, place)
        for place, variants in enumerate(words)
        for token in variants
        if token in frequencies
    ]
    names, params = _list_note_tokens([token for token, _ in known])
    for place, (token, _) in enumerate(known):  # its inverse document frequency
        count = frequencies[token]
        params[f"w{place}"] = math.log(1 + (max(0, total - count) + 0.5) / (count + 0.5))
    params["average"] = max(1.0, average_words)
    weighed = " ".join(
        f"WHEN :t{place} THEN CAST(:w{place} AS DOUBLE PRECISION)" for place in range(len(known))
    )
    grouped = " ".join(f"WHEN :t{place} THEN {word}" for place, (_, word) in enumerate(known))
    sql = f"""
    SELECT id, COUNT(*) OVER (), SUM(best) AS score FROM (
        SELECT memory.id, memory.created, CASE memory_term.token {grouped} END AS word, MAX(
            CASE memory_term.token {weighed} END * memory_term.times * {_BM25_K1 + 1}
            / (memory_term.times + {_BM25_K1} * ({1 - _BM25_B} + {_BM25_B} * memory.length
                / CAST(:average AS DOUBLE PRECISION)))
        ) AS best
        FROM memory_term JOIN memory ON memory.id = memory_term.memory
        WHERE memory_term.token IN ({names}) AND {condition}
        GROUP BY memory.id, memory.created, word
    ) AS matched
    GROUP BY id, created ORDER BY score DESC, created DESC, id LIMIT :limit OFFSET :offset
    """  # noqa: S608 - constants
    return sql, params


def _list_note_tokens(tokens: Sequence[str]) -> tuple[str, dict[str, SqlScalar]]:
    named: dict[str, SqlScalar] = {f"t{place}": token for place, token in enumerate(tokens)}
    return ", ".join(f":{name}" for name in named), named
