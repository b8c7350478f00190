"""SQL and encryption of thread and message rows."""

from __future__ import annotations

import json

from citewell.model.durable_job import JobOrder
from citewell.model.research_thread import ResearchThread, ThreadMessage
from citewell.store.body_compression import compress_body, decompress_body
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.sql.database import SqlRow, SqlScalar, SqlStatement

_THREAD, _MESSAGE = "thread", "message"

SELECT_THREAD = "SELECT id, created, updated, body FROM thread WHERE id = :id AND owner = :owner"
SELECT_OWNER_THREADS = """
SELECT id, created, updated, body FROM thread
WHERE owner = :owner ORDER BY updated DESC, id LIMIT :limit OFFSET :offset
"""
SELECT_MESSAGES = """
SELECT message.id, message.created, message.cost, message.body
FROM message JOIN thread ON thread.id = message.thread
WHERE message.thread = :id AND thread.owner = :owner ORDER BY message.number
"""
_INSERT_THREAD = """
INSERT INTO thread (id, owner, created, updated, messages, body)
VALUES (:id, :owner, :now, :now, 0, :body)
"""
_COUNT_MESSAGE = """
UPDATE thread SET messages = messages + 1,
    updated = CASE WHEN updated > CAST(:now AS DOUBLE PRECISION) THEN updated ELSE :now END
WHERE id = :id AND owner = :owner
"""
_INSERT_MESSAGE = """
INSERT INTO message (id, thread, number, created, cost, body)
VALUES (:message, :id, (SELECT messages FROM thread WHERE id = :id), :now, :cost, :body)
"""
_INSERT_MESSAGE_ONCE = f"{_INSERT_MESSAGE} ON CONFLICT (id) DO NOTHING"
# Messages, jobs, reports and claims of the thread are deleted by foreign keys.
DELETE_IDLE_THREAD = """
DELETE FROM thread WHERE id = :id AND owner = :owner
    AND NOT EXISTS (SELECT 1 FROM job WHERE job.thread = thread.id AND job.finished IS NULL)
"""
DELETE_OWNER_THREADS = "DELETE FROM thread WHERE owner = :owner"


def build_question_batch(
    chain: OwnerKeychain, order: JobOrder, message_id: str, now: float
) -> list[SqlStatement]:
    """Statements that create the thread of an order if it is new, and add the question to it."""
    if order.thread is None:
        return []
    params: dict[str, SqlScalar] = {"id": order.thread, "owner": chain.tag, "now": now}
    batch: list[SqlStatement] = []
    if order.title is not None:
        plain = compress_body(json.dumps({"title": order.title}).encode())
        body = chain.encrypt_row(_THREAD, order.thread, plain)
        batch.append(
            SqlStatement(sql=_INSERT_THREAD, params=params | {"body": body}, expected_rows=1)
        )
    if order.question is None:
        return batch or [SqlStatement(sql=_COUNT_MESSAGE, params=params, expected_rows=1)]
    question = ThreadMessage(id=message_id, role="user", content=order.question, created=now)
    return [*batch, *build_message_batch(chain, order.thread, question)]


def build_message_batch(
    chain: OwnerKeychain, thread: str, message: ThreadMessage, *, once: bool = False
) -> list[SqlStatement]:
    """Statements that add a message; with `once`, an existing message of the same id is kept."""
    plain = {"role": message.role, "content": message.content, "job": message.job}
    params: dict[str, SqlScalar] = {
        "id": thread,
        "owner": chain.tag,
        "now": message.created,
        "message": message.id,
        "cost": message.cost,
        "body": chain.encrypt_row(_MESSAGE, message.id, compress_body(json.dumps(plain).encode())),
    }
    return [
        SqlStatement(sql=_COUNT_MESSAGE, params=params, expected_rows=1),
        SqlStatement(
            sql=_INSERT_MESSAGE_ONCE if once else _INSERT_MESSAGE,
            params=params,
            expected_rows=None if once else 1,
        ),
    ]


def decrypt_thread(chain: OwnerKeychain, row: SqlRow) -> ResearchThread:
    thread_id, created, updated, sealed = row
    plain = json.loads(decompress_body(chain.decrypt_row(_THREAD, thread_id, sealed)))
    return ResearchThread(id=thread_id, title=plain["title"], created=created, updated=updated)


def decrypt_message(chain: OwnerKeychain, row: SqlRow) -> ThreadMessage:
    message_id, created, cost, sealed = row
    plain = json.loads(decompress_body(chain.decrypt_row(_MESSAGE, message_id, sealed)))
    return ThreadMessage(id=message_id, created=created, cost=cost, **plain)
