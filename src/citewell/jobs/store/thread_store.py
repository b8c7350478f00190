"""Research threads: the questions and answers of one conversation, their rows, and errors of requests about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from citewell.core import errors
from citewell.core.values.counted_words import pluralize
from citewell.jobs.durable_job import JobOrder
from citewell.jobs.store.job_rows import decrypt_json, encrypt_json
from citewell.store.encryption import OwnerKeychain
from citewell.store.failures import BatchRolledBack
from citewell.store.key_vault import KeyVault
from citewell.store.owner_table import OwnedTable, OwnerStore
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

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


class SqlThreadStore(OwnerStore):
    """Every call names an owner and raises UnknownThread for a missing thread or another owner's."""

    tables = (
        OwnedTable(name="thread", counted_as="threads"),
        OwnedTable(name="message", counted_as="messages", parent="thread"),
    )

    def __init__(
        self, database: SqlDatabase, vault: KeyVault, *, clock: Callable[[], float]
    ) -> None:
        self._database = database
        self._vault = vault
        self._clock = clock

    async def load_thread(self, owner: str, thread_id: str) -> ResearchThread:
        chain = await self._require_thread_keychain(owner)
        found = await self._database.select_rows(
            SELECT_THREAD, {"id": thread_id, "owner": chain.tag}
        )
        if not found:
            raise UnknownThread
        covering = await self._vault.find_covering_keychain(owner, [found[0][-1]])
        return decrypt_thread(covering or chain, found[0])

    async def list_stored_threads(
        self, owner: str, *, limit: int = 20, offset: int = 0
    ) -> tuple[ResearchThread, ...]:
        """Most recently changed first."""
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return ()
        params: dict[str, SqlScalar] = {"owner": chain.tag, "limit": limit, "offset": offset}
        found = await self._database.select_rows(SELECT_OWNER_THREADS, params)
        covering = await self._vault.find_covering_keychain(owner, [row[-1] for row in found])
        return tuple(decrypt_thread(covering or chain, row) for row in found)

    async def list_messages(self, owner: str, thread_id: str) -> tuple[ThreadMessage, ...]:
        """In the order they were added."""
        chain = await self._require_thread_keychain(owner)
        found = await self._database.select_rows(
            SELECT_MESSAGES, {"id": thread_id, "owner": chain.tag}
        )
        if not found:
            await self.load_thread(owner, thread_id)
        covering = await self._vault.find_covering_keychain(owner, [row[-1] for row in found])
        return tuple(
            ThreadMessage(
                id=message_id,
                created=created,
                cost=cost,
                **decrypt_json(covering or chain, _MESSAGE, message_id, sealed),
            )
            for message_id, created, cost, sealed in found
        )

    async def add_message(
        self,
        owner: str,
        thread_id: str,
        message_id: str,
        content: str,
        *,
        role: str = "assistant",
        cost: int | None = None,
        job: str | None = None,
    ) -> None:
        """Add a message; if one of the same id exists, it stays unchanged."""
        chain = await self._require_thread_keychain(owner)
        message = ThreadMessage(
            id=message_id, role=role, content=content, created=self._clock(), cost=cost, job=job
        )
        try:
            await self._database.execute_batch(
                build_message_batch(chain, thread_id, message, once=True)
            )
        except BatchRolledBack:
            raise UnknownThread from None

    async def erase_thread(self, owner: str, thread_id: str) -> None:
        """Delete a thread with its jobs and their findings; raises ThreadInUse if one is unfinished."""
        chain = await self._require_thread_keychain(owner)
        params: dict[str, SqlScalar] = {"id": thread_id, "owner": chain.tag}
        (gone,) = await self._database.execute_batch(
            [SqlStatement(sql=DELETE_IDLE_THREAD, params=params)]
        )
        if not gone.changed_rows:
            await self.load_thread(owner, thread_id)  # raises UnknownThread if it is missing
            raise ThreadInUse

    async def _require_thread_keychain(self, owner: str) -> OwnerKeychain:
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            raise UnknownThread
        return chain


# Errors of requests about jobs, threads, claims and credit.


class UnknownJob(errors.JobNotFound):
    """No job has this id, or it belongs to another owner."""

    def __init__(self) -> None:
        super().__init__("No research job has this id.")


class UnknownThread(errors.ThreadNotFound):
    """No thread has this id, or it belongs to another owner."""

    def __init__(self) -> None:
        super().__init__("No research thread has this id.")


class UnknownClaim(errors.ClaimNotFound):
    """No claim has this id, or it belongs to another owner."""

    def __init__(self) -> None:
        super().__init__("No claim has this id.")


class UnknownStep(errors.NotFound):
    """The job has no such step."""


class ThreadInUse(errors.ThreadBusy):
    """The thread has an unfinished job; a new one can start once it has finished."""

    def __init__(self) -> None:
        super().__init__("This thread has research in progress. Wait for it to complete.")


class BalanceTooLow(errors.InsufficientBalance):
    """The balance does not cover the maximum cost of the job; nothing was started."""

    def __init__(self, *, balance_cents: int, required_cents: int) -> None:
        cents = {"balanceCents": max(0, balance_cents), "requiredCents": required_cents}
        super().__init__(
            f"The balance of {cents['balanceCents']} {pluralize(cents['balanceCents'], 'cent')} does not cover the "
            f"{cents['requiredCents']} {pluralize(cents['requiredCents'], 'cent')} this may cost.",
            extra=cents,
        )


class TenantBudgetTooLow(errors.InsufficientBalance):
    """The budget that the users of a tenant share does not cover the job; nothing was started."""

    def __init__(self, *, balance_cents: int, required_cents: int) -> None:
        cents = {"balanceCents": balance_cents, "requiredCents": required_cents}
        super().__init__(
            f"The budget that you share with the other users of your tenant has {balance_cents} "
            f"{pluralize(balance_cents, 'cent')} left, which does not cover the {required_cents} {pluralize(required_cents, 'cent')} this may cost.",
            extra=cents | {"limit": "tenant-budget"},
        )


# SQL and encryption of thread and message rows.


def build_question_batch(
    chain: OwnerKeychain, order: JobOrder, message_id: str, now: float
) -> list[SqlStatement]:
    """Statements that create the thread of an order if it is new, and add the question to it."""
    if order.thread is None:
        return []
    params: dict[str, SqlScalar] = {"id": order.thread, "owner": chain.tag, "now": now}
    batch: list[SqlStatement] = []
    if order.title is not None:
        body = encrypt_json(chain, _THREAD, order.thread, {"title": order.title})
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
        "body": encrypt_json(chain, _MESSAGE, message.id, plain),
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
    plain = decrypt_json(chain, _THREAD, thread_id, sealed)
    return ResearchThread(id=thread_id, created=created, updated=updated, **plain)


# A conversation of research jobs: the thread and its messages.


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchThread:
    """A thread; times are seconds since the epoch."""

    id: str
    title: str
    created: float
    updated: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMessage:
    id: str
    role: str  # user or assistant
    content: str
    created: float
    cost: int | None = None  # ticks
    job: str | None = None  # the job that it started or answers
