"""Threads and messages as rows, sealed."""

from __future__ import annotations

import json

from citewell.model.job import Order
from citewell.model.thread import Message, Thread
from citewell.store.keychain import Keychain
from citewell.store.packing import pack, unpack
from citewell.store.sql import Row, Scalar, Statement

_THREAD, _MESSAGE = "thread", "message"

ONE = "SELECT id, created, updated, body FROM thread WHERE id = :id AND owner = :owner"
LISTED = """
SELECT id, created, updated, body FROM thread
WHERE owner = :owner ORDER BY updated DESC, id LIMIT :limit OFFSET :offset
"""
COUNT = "SELECT COUNT(*) FROM thread WHERE owner = :owner"
MESSAGES = """
SELECT message.id, message.created, message.cost, message.body
FROM message JOIN thread ON thread.id = message.thread
WHERE message.thread = :id AND thread.owner = :owner ORDER BY message.number
"""
_NEW = """
INSERT INTO thread (id, owner, created, updated, messages, body)
VALUES (:id, :owner, :now, :now, 0, :body)
"""
_SAID = """
UPDATE thread SET messages = messages + 1,
    updated = CASE WHEN updated > CAST(:now AS DOUBLE PRECISION) THEN updated ELSE :now END
WHERE id = :id AND owner = :owner
"""
_SAY = """
INSERT INTO message (id, thread, number, created, cost, body)
VALUES (:message, :id, (SELECT messages FROM thread WHERE id = :id), :now, :cost, :body)
"""
_SAY_ONCE = f"{_SAY} ON CONFLICT (id) DO NOTHING"
# Its messages, jobs, reports and claims go with it.
DELETE = """
DELETE FROM thread WHERE id = :id AND owner = :owner
    AND NOT EXISTS (SELECT 1 FROM job WHERE job.thread = thread.id AND job.finished IS NULL)
"""
DELETE_OWNER = "DELETE FROM thread WHERE owner = :owner"


def asked(chain: Keychain, order: Order, message_id: str, now: float) -> list[Statement]:
    """What an order does to its thread: makes it when new, and adds the question."""
    if order.thread is None:
        return []
    params: dict[str, Scalar] = {"id": order.thread, "owner": chain.tag, "now": now}
    batch: list[Statement] = []
    if order.title is not None:
        plain = pack(json.dumps({"title": order.title}).encode())
        body = chain.seal(_THREAD, order.thread, plain)
        batch.append(Statement(sql=_NEW, params=params | {"body": body}, expect=1))
    if order.question is None:
        return batch or [Statement(sql=_SAID, params=params, expect=1)]
    question = Message(id=message_id, role="user", content=order.question, created=now)
    return [*batch, *said(chain, order.thread, question)]


def said(chain: Keychain, thread: str, message: Message, *, once: bool = False) -> list[Statement]:
    """Add a message; with `once`, one of the same id stays as it was."""
    plain = {"role": message.role, "content": message.content, "job": message.job}
    params: dict[str, Scalar] = {
        "id": thread,
        "owner": chain.tag,
        "now": message.created,
        "message": message.id,
        "cost": message.cost,
        "body": chain.seal(_MESSAGE, message.id, pack(json.dumps(plain).encode())),
    }
    return [
        Statement(sql=_SAID, params=params, expect=1),
        Statement(sql=_SAY_ONCE if once else _SAY, params=params, expect=None if once else 1),
    ]


def open_thread(chain: Keychain, row: Row) -> Thread:
    thread_id, created, updated, sealed = row
    plain = json.loads(unpack(chain.open(_THREAD, thread_id, sealed)))
    return Thread(id=thread_id, title=plain["title"], created=created, updated=updated)


def open_message(chain: Keychain, row: Row) -> Message:
    message_id, created, cost, sealed = row
    plain = json.loads(unpack(chain.open(_MESSAGE, message_id, sealed)))
    return Message(id=message_id, created=created, cost=cost, **plain)
