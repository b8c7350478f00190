"""SQL, encoding and encryption of session and step rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from citewell.core.values.research_session import (
    CallOutcome,
    ResearchSession,
    SessionSource,
    SessionStep,
)
from citewell.store.encryption import OwnerKeychain
from citewell.store.owner_table import OwnedTable
from citewell.store.sql.database import SqlRow, SqlScalar, SqlStatement

_SOURCE_DEFAULTS = tuple((field.name, field.default) for field in fields(SessionSource))

HEADS = OwnedTable(name="session", counted_as="sessions", is_compressed=True)
STEPS = OwnedTable(
    name="session_step", counted_as="session_steps", parent="session", is_compressed=True
)
SELECT_HEADS = """
SELECT id, created, updated, expires, version, steps, body FROM session
WHERE owner = :owner AND expires > :now ORDER BY updated DESC, id
"""
SELECT_SESSION = """
SELECT session.id, created, updated, expires, version, steps, session.body,
    session_step.number, session_step.body
FROM session LEFT JOIN session_step ON session_step.session = session.id
WHERE session.id = :id AND expires > :now ORDER BY session_step.number
"""
# The row lock on the head keeps others from changing the steps until they are read.
EXTEND_SESSION = """
UPDATE session SET expires = :expires WHERE id = :id AND expires > :now
RETURNING id, created, updated, expires, version, steps, body
"""
SELECT_STEPS = "SELECT number, body FROM session_step WHERE session = :id ORDER BY number"
INSERT_SESSION = """
INSERT INTO session (id, owner, created, updated, expires, version, steps, body)
VALUES (:id, :owner, :created, :updated, :expires, :version, :steps, :body)
"""
INSERT_STEP = "INSERT INTO session_step (session, number, body) VALUES (:id, :number, :body)"
UPDATE_SESSION = """
UPDATE session SET
    updated = :updated, expires = :expires, version = :version, steps = :steps, body = :body
WHERE id = :id AND version = :version - 1 AND expires > :now
"""
# Each statement is a round trip to a server, so the frequent append is a single one there.
APPEND_STEP = """
WITH fence AS (
    UPDATE session SET
        updated = :updated, expires = :expires, version = :version, steps = :steps, body = :body
    WHERE id = :id AND version = :version - 1 AND expires > :now
    RETURNING id
)
INSERT INTO session_step (session, number, body)
SELECT fence.id, CAST(:number AS BIGINT), CAST(:step AS BYTEA) FROM fence
RETURNING session
"""
UPDATE_STEP = "UPDATE session_step SET body = :body WHERE session = :id AND number = :number"
EVICT_OLDEST = """
DELETE FROM session WHERE id <> :id AND id IN (
    SELECT id FROM (
        SELECT id, ROW_NUMBER() OVER (ORDER BY expires DESC, updated DESC, id) AS place
        FROM session WHERE owner = :owner AND id <> :id
    ) AS ranked WHERE place >= :most
)
"""
DELETE_OWNER_EXPIRED = "DELETE FROM session WHERE owner = :owner AND expires <= :now"
DELETE_EXPIRED = "DELETE FROM session WHERE expires <= :now"
DELETE_SESSION = "DELETE FROM session WHERE id = :id AND expires > :now"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHead:
    """A session without its steps; times are seconds since the epoch."""

    id: str
    created: float
    updated: float
    expires: float
    version: int  # grows by one with every change
    steps: int
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    head: SessionHead
    steps: tuple[bytes, ...]  # a step lost in a damaged file is empty bytes


def hash_session_name(chain: OwnerKeychain, session_id: str) -> str:
    return chain.hash_row_name("session", session_id)


def build_session_insert(chain: OwnerKeychain, session: StoredSession) -> list[SqlStatement]:
    head = session.head
    params = _build_head_params(chain, head) | {"owner": chain.tag, "created": head.created}
    steps = [
        _build_step_write(INSERT_STEP, chain, head.id, numbered)
        for numbered in enumerate(session.steps, start=1)
    ]
    return [SqlStatement(sql=INSERT_SESSION, params=params, expected_rows=1), *steps]


def build_session_update(
    chain: OwnerKeychain,
    head: SessionHead,
    now: float,
    *,
    added: Mapping[int, bytes],
    replaced: Mapping[int, bytes],
) -> list[SqlStatement]:
    """Statements that change a session; the head comes first and checks the version."""
    fence = SqlStatement(
        sql=UPDATE_SESSION, params=_build_head_params(chain, head) | {"now": now}, expected_rows=1
    )
    return [
        fence,
        *(_build_step_write(INSERT_STEP, chain, head.id, numbered) for numbered in added.items()),
        *(
            _build_step_write(UPDATE_STEP, chain, head.id, numbered)
            for numbered in replaced.items()
        ),
    ]


def build_step_append(
    chain: OwnerKeychain, head: SessionHead, now: float, step: bytes
) -> list[SqlStatement]:
    """Append a step in one statement, for PostgreSQL; adds nothing if the version has changed."""
    row = hash_session_name(chain, head.id)
    params = _build_head_params(chain, head) | {
        "now": now,
        "number": head.steps,
        "step": STEPS.encrypt_body(chain, f"{row}/{head.steps}", step),
    }
    return [SqlStatement(sql=APPEND_STEP, params=params, expected_rows=1, grouping_key="id")]


def decrypt_head(chain: OwnerKeychain, row: SqlRow) -> SessionHead:
    row_id, created, updated, expires, version, steps, sealed = row
    plain = HEADS.decrypt_body(chain, f"{row_id}/{version}", sealed)
    end = 4 + int.from_bytes(plain[:4], "big")
    session_id, body = plain[4:end].decode("utf-8", "surrogatepass"), plain[end:]
    return SessionHead(
        id=session_id,
        created=created,
        updated=updated,
        expires=expires,
        version=version,
        steps=steps,
        body=body,
    )


def decrypt_session(chain: OwnerKeychain, head: SqlRow, steps: Sequence[SqlRow]) -> StoredSession:
    opened = decrypt_head(chain, head)
    bodies = {
        number: STEPS.decrypt_body(chain, f"{head[0]}/{number}", sealed) for number, sealed in steps
    }
    whole = tuple(bodies.get(number, b"") for number in range(1, opened.steps + 1))
    return StoredSession(head=opened, steps=whole)


def _build_head_params(chain: OwnerKeychain, head: SessionHead) -> dict[str, SqlScalar]:
    row = hash_session_name(chain, head.id)
    # The id is encrypted with the body, because the row name is a hash and listings need the id.
    named = head.id.encode("utf-8", "surrogatepass")
    plain = len(named).to_bytes(4, "big") + named + head.body
    return {
        "id": row,
        "updated": head.updated,
        "expires": head.expires,
        "version": head.version,
        "steps": head.steps,
        "body": HEADS.encrypt_body(chain, f"{row}/{head.version}", plain),
    }


def _build_step_write(
    sql: str, chain: OwnerKeychain, session_id: str, numbered: tuple[int, bytes]
) -> SqlStatement:
    number, body = numbered
    row = hash_session_name(chain, session_id)
    sealed = STEPS.encrypt_body(chain, f"{row}/{number}", body)
    return SqlStatement(
        sql=sql, params={"id": row, "number": number, "body": sealed}, expected_rows=1
    )


# Encodes sessions as JSON bytes: a small head that changes with every call, and one entry per step.


def encode_session_head(session: ResearchSession) -> bytes:
    head = {
        "started": session.started,
        "sources": [_drop_default_fields(source) for source in session.sources],
        "dropped_sources": session.dropped_sources,
        "events": [_drop_empty_fields(event) for event in session.events],
    }
    return _encode_json(head)


def encode_sources(sources: Iterable[SessionSource]) -> bytes:
    return _encode_json([_drop_default_fields(source) for source in sources])


def decode_sources(data: bytes) -> tuple[SessionSource, ...]:
    return tuple(SessionSource(**source) for source in json.loads(data))


def encode_session_step(step: SessionStep) -> bytes:
    return _encode_json(_drop_empty_fields(step))


def decode_session(session_id: str, head: bytes, steps: Iterable[bytes]) -> ResearchSession:
    facts = json.loads(head)
    return ResearchSession(
        id=session_id,
        started=facts["started"],
        steps=tuple(
            SessionStep(**(step | {"rejected": tuple(step.get("rejected", ()))}))
            for step in map(json.loads, steps)
        ),
        sources=tuple(SessionSource(**source) for source in facts["sources"]),
        dropped_sources=facts.get("dropped_sources", 0),
        events=tuple(CallOutcome(**event) for event in facts["events"]),
    )


def _drop_empty_fields(value: Any) -> dict[str, Any]:
    return {name: item for name, item in asdict(value).items() if item not in (None, "", ())}


def _drop_default_fields(source: SessionSource) -> dict[str, Any]:
    return {
        name: value
        for name, default in _SOURCE_DEFAULTS
        if (value := getattr(source, name)) != default
    }


def _encode_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
