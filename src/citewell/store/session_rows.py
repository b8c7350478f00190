"""Sessions as rows: the statements, and what is sealed in which column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citewell.store.keychain import Keychain
from citewell.store.packing import pack, unpack
from citewell.store.sql import Row, Scalar, Statement

_HEAD_TABLE, _STEP_TABLE = "session", "session_step"
HEADS = """
SELECT id, created, updated, expires, version, steps, body FROM session
WHERE owner = :owner AND expires > :now ORDER BY updated DESC, id
"""
WHOLE = """
SELECT session.id, created, updated, expires, version, steps, session.body,
    session_step.number, session_step.body
FROM session LEFT JOIN session_step ON session_step.session = session.id
WHERE session.id = :id AND expires > :now ORDER BY session_step.number
"""
# The lock on the head keeps the steps still until they are read.
TOUCH = """
UPDATE session SET expires = :expires WHERE id = :id AND expires > :now
RETURNING id, created, updated, expires, version, steps, body
"""
STEPS = "SELECT number, body FROM session_step WHERE session = :id ORDER BY number"
INSERT = """
INSERT INTO session (id, owner, created, updated, expires, version, steps, body)
VALUES (:id, :owner, :created, :updated, :expires, :version, :steps, :body)
"""
INSERT_STEP = "INSERT INTO session_step (session, number, body) VALUES (:id, :number, :body)"
UPDATE = """
UPDATE session SET
    updated = :updated, expires = :expires, version = :version, steps = :steps, body = :body
WHERE id = :id AND version = :version - 1 AND expires > :now
"""
# On a server every statement is a journey, so what every step does is a single one there.
APPEND = """
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
EVICT = """
DELETE FROM session WHERE id <> :id AND id IN (
    SELECT id FROM (
        SELECT id, ROW_NUMBER() OVER (ORDER BY expires DESC, updated DESC, id) AS place
        FROM session WHERE owner = :owner AND id <> :id
    ) AS ranked WHERE place >= :most
)
"""
EXPIRE_OWNER = "DELETE FROM session WHERE owner = :owner AND expires <= :now"
EXPIRE = "DELETE FROM session WHERE expires <= :now"
DELETE = "DELETE FROM session WHERE id = :id AND expires > :now"
DELETE_OWNER = "DELETE FROM session WHERE owner = :owner"


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A session without its steps; times are seconds since the epoch."""

    id: str
    created: float
    updated: float
    expires: float
    version: int  # grows by one with every change
    steps: int
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    head: Head
    steps: tuple[bytes, ...]  # one that was lost with a damaged file is empty


def name(chain: Keychain, session_id: str) -> str:
    return chain.name("session", session_id)


def insert(chain: Keychain, session: Session) -> list[Statement]:
    head = session.head
    params = _head_params(chain, head) | {"owner": chain.tag, "created": head.created}
    steps = [
        _step(INSERT_STEP, chain, head.id, numbered)
        for numbered in enumerate(session.steps, start=1)
    ]
    return [Statement(sql=INSERT, params=params, expect=1), *steps]


def update(
    chain: Keychain,
    head: Head,
    now: float,
    *,
    added: Mapping[int, bytes],
    replaced: Mapping[int, bytes],
) -> list[Statement]:
    """The head first: it is the fence, and nothing else is tried once it refuses."""
    fence = Statement(sql=UPDATE, params=_head_params(chain, head) | {"now": now}, expect=1)
    return [
        fence,
        *(_step(INSERT_STEP, chain, head.id, numbered) for numbered in added.items()),
        *(_step(UPDATE_STEP, chain, head.id, numbered) for numbered in replaced.items()),
    ]


def append(chain: Keychain, head: Head, now: float, step: bytes) -> list[Statement]:
    """One more step as one statement, for PostgreSQL; where the fence refuses, nothing is added."""
    row = name(chain, head.id)
    params = _head_params(chain, head) | {
        "now": now,
        "number": head.steps,
        "step": chain.seal(_STEP_TABLE, f"{row}/{head.steps}", pack(step)),
    }
    return [Statement(sql=APPEND, params=params, expect=1, keyed="id")]


def open_head(chain: Keychain, row: Row) -> Head:
    row_id, created, updated, expires, version, steps, sealed = row
    plain = unpack(chain.open(_HEAD_TABLE, f"{row_id}/{version}", sealed))
    session_id, body = _parted(plain)
    return Head(
        id=session_id,
        created=created,
        updated=updated,
        expires=expires,
        version=version,
        steps=steps,
        body=body,
    )


def open_session(chain: Keychain, head: Row, steps: Sequence[Row]) -> Session:
    opened = open_head(chain, head)
    bodies = {
        number: unpack(chain.open(_STEP_TABLE, f"{head[0]}/{number}", sealed))
        for number, sealed in steps
    }
    whole = tuple(bodies.get(number, b"") for number in range(1, opened.steps + 1))
    return Session(head=opened, steps=whole)


def _head_params(chain: Keychain, head: Head) -> dict[str, Scalar]:
    row = name(chain, head.id)
    plain = pack(_joined(head.id, head.body))
    return {
        "id": row,
        "updated": head.updated,
        "expires": head.expires,
        "version": head.version,
        "steps": head.steps,
        "body": chain.seal(_HEAD_TABLE, f"{row}/{head.version}", plain),
    }


def _step(sql: str, chain: Keychain, session_id: str, numbered: tuple[int, bytes]) -> Statement:
    number, body = numbered
    row = name(chain, session_id)
    sealed = chain.seal(_STEP_TABLE, f"{row}/{number}", pack(body))
    return Statement(sql=sql, params={"id": row, "number": number, "body": sealed}, expect=1)


def _joined(session_id: str, body: bytes) -> bytes:
    """The id is sealed with the body: the row is named by a hash, and a listing must tell it."""
    named = session_id.encode("utf-8", "surrogatepass")
    return len(named).to_bytes(4, "big") + named + body


def _parted(plain: bytes) -> tuple[str, bytes]:
    end = 4 + int.from_bytes(plain[:4], "big")
    return plain[4:end].decode("utf-8", "surrogatepass"), plain[end:]
