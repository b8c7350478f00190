"""Jobs as their owners see them: ordered, looked at, cancelled, put right, and swept away."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.errors import InvalidInput
from citewell.model.job import JSON, Event, Job, JobView, Order, StepState
from citewell.model.research import Status
from citewell.store import job_rows as rows
from citewell.store import thread_rows as threads
from citewell.store.failures import Contended, GuardFailed, Unreadable
from citewell.store.job_failures import (
    InsufficientBalance,
    JobNotFound,
    StepNotFound,
    ThreadBusy,
    ThreadNotFound,
)
from citewell.store.keychain import Keychain
from citewell.store.ledger import SqlLedger
from citewell.store.packing import maybe_off_loop
from citewell.store.search import indexed
from citewell.store.sql import Database, Row, Scalar, Statement
from citewell.store.vault import Vault

_log = logging.getLogger(__name__)
_ATTEMPTS = 8
_EVENTS = 500  # told at once

# A job that nobody began, or that waits with nothing under way upstream, ends here and now.
_CANCEL_IDLE = """
UPDATE job SET status = 'cancelled', cancel = 1, finished = :now, seq = seq + 1, held = 0
WHERE id = :id AND owner = :owner AND status = 'pending' AND NOT EXISTS (
    SELECT 1 FROM job_step WHERE job_step.job = job.id AND state IN ('intent', 'submitted')
)
"""
_CANCEL = """
UPDATE job SET cancel = 1, due = 0, seq = seq + 1
WHERE id = :id AND owner = :owner AND finished IS NULL AND cancel = 0
"""
_CORRECT = "UPDATE job SET seq = seq + 1, spent = spent + :cost WHERE id = :id AND owner = :owner"
_SETTLED = """
UPDATE job_step SET state = :state, cost = :cost, head = :head, body = :body
WHERE job = :id AND name = :name AND state = 'uncertain'
"""
_SWEEP = "DELETE FROM job WHERE finished < :before"
_SWEEP_THREADS = """
DELETE FROM thread WHERE updated < :before
    AND NOT EXISTS (SELECT 1 FROM job WHERE job.thread = thread.id)
"""
_UNFINISHED = "SELECT 1 FROM job WHERE finished IS NULL LIMIT 1"
_ERASE = "DELETE FROM job WHERE owner = :owner"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciled:
    """What became of a call whose outcome was unknown, as somebody found out."""

    cost: int  # ticks it was really charged; 0 when it never arrived
    result: JSON = None
    note: str = ""


class JobStore(Protocol):
    """Every call names an owner; raises JobNotFound for what is not there or not theirs."""

    async def create(self, owner: str, job_id: str, order: Order) -> JobView:
        """Queue a job, with its thread, message and reserve in one transaction.

        Raises InsufficientBalance, ThreadBusy or ThreadNotFound, and then nothing was kept.
        """
        ...

    async def view(self, owner: str, job_id: str) -> JobView: ...

    async def result(self, owner: str, job_id: str) -> JSON:
        """What the workflow returned; None while it has not."""
        ...

    async def step_result(self, owner: str, job_id: str, key: str) -> JSON:
        """What a step gave; None while it has not. Raises StepNotFound."""
        ...

    async def events(self, owner: str, job_id: str, *, after: int = 0) -> tuple[Event, ...]: ...

    async def listed(
        self, owner: str, *, limit: int = 20, since: float = 0.0
    ) -> tuple[JobView, ...]:
        """The newest first, without steps."""
        ...

    async def of_thread(self, owner: str, thread: str, *, limit: int = 20) -> tuple[JobView, ...]:
        """The newest first, without steps."""
        ...

    async def cancel(self, owner: str, job_id: str) -> JobView:
        """Ask for its end; a job that is final stays as it is."""
        ...

    async def reconcile(
        self, owner: str, job_id: str, key: str, outcome: Reconciled
    ) -> JobView: ...

    async def sweep(self, *, older_than: float) -> int:
        """Let go of jobs that ended so many seconds ago; how many there were."""
        ...

    async def unfinished(self) -> bool:
        """Whether anybody has a job that has not ended."""
        ...


class SqlJobs:
    def __init__(
        self,
        database: Database,
        vault: Vault,
        ledger: SqlLedger,
        *,
        clock: Callable[[], float],
        new_id: Callable[[], str],
    ) -> None:
        self._database = database
        self._vault = vault
        self._ledger = ledger
        self._clock = clock
        self._new_id = new_id

    async def create(self, owner: str, job_id: str, order: Order) -> JobView:
        for _ in range(_ATTEMPTS):
            chain = await self._vault.ensure(owner)
            await self._ledger.ensured(chain)
            job = Job(
                id=job_id,
                owner=owner,
                kind=order.kind,
                args=dict(order.args),
                thread=order.thread,
                cap=max(0, order.cap),
                created=self._clock(),
            )
            try:
                await self._database.execute(self._ordered(chain, job, order))
            except GuardFailed:
                await self._explain(chain, order)
                self._vault.forget(owner)
            else:
                return JobView(job=job, status=Status.PENDING, seq=1)
        raise Contended("The job could not be queued: what it depends on kept changing.")

    async def view(self, owner: str, job_id: str) -> JobView:
        chain = await self._chain(owner)
        found = await self._database.fetch(rows.VIEW, {"id": job_id, "owner": chain.tag})
        if not found:
            raise JobNotFound
        return rows.open_view(await self._covering(owner, rows.sealed_parts(found)), found)

    async def listed(
        self, owner: str, *, limit: int = 20, since: float = 0.0
    ) -> tuple[JobView, ...]:
        return await self._views(owner, rows.LISTED, {"limit": limit, "since": float(since)})

    async def of_thread(self, owner: str, thread: str, *, limit: int = 20) -> tuple[JobView, ...]:
        return await self._views(owner, rows.OF_THREAD, {"limit": limit, "thread": thread})

    async def result(self, owner: str, job_id: str) -> JSON:
        chain = await self._chain(owner)
        found = await self._database.fetch(rows.RESULT, {"id": job_id, "owner": chain.tag})
        if not found:
            raise JobNotFound
        ((status, sealed),) = found
        if status != Status.COMPLETED or sealed is None:
            return None
        opener = await self._covering(owner, [sealed])
        return await maybe_off_loop(
            len(sealed), lambda: rows.open_result(opener, job_id, status, sealed)
        )

    async def step_result(self, owner: str, job_id: str, key: str) -> JSON:
        row = await self._step(owner, job_id, key)
        sealed: bytes | None = row[1]
        if sealed is None:
            return None
        chain = await self._covering(owner, [sealed])
        name = rows.step_name(chain, job_id, key)
        return await maybe_off_loop(
            len(sealed), lambda: rows.open_step_result(chain, job_id, name, sealed)
        )

    async def events(self, owner: str, job_id: str, *, after: int = 0) -> tuple[Event, ...]:
        chain = await self._chain(owner)
        params: dict[str, Scalar] = {
            "id": job_id,
            "owner": chain.tag,
            "after": after,
            "limit": _EVENTS,
        }
        found = await self._database.fetch(rows.EVENTS, params)
        if not found:
            await self.view(owner, job_id)  # or there is none
        opener = await self._covering(owner, [row[-1] for row in found])
        return tuple(rows.open_event(opener, job_id, row) for row in found)

    async def cancel(self, owner: str, job_id: str) -> JobView:
        chain = await self._chain(owner)
        params: dict[str, Scalar] = {"id": job_id, "owner": chain.tag, "now": self._clock()}
        told = rows.event(chain, job_id, self._clock(), "status", {"status": "cancelled"})
        ended = [
            Statement(sql=_CANCEL_IDLE, params=params, expect=1),
            *self._ledger.releasing(chain, job_id),
            told,
        ]
        asked = rows.event(chain, job_id, self._clock(), "cancel", {})
        for batch in (ended, [Statement(sql=_CANCEL, params=params, expect=1), asked]):
            try:
                await self._database.execute(batch)
            except GuardFailed:
                continue
            break
        return await self.view(owner, job_id)

    async def reconcile(self, owner: str, job_id: str, key: str, outcome: Reconciled) -> JobView:
        if outcome.cost < 0:
            raise InvalidInput("A cost is not below nothing.")
        state, _, cost, provider, sealed = await self._step(owner, job_id, key)
        if state != StepState.UNCERTAIN:
            raise InvalidInput(f"The step is {state}; only an uncertain one can be put right.")
        chain = await self._covering(owner, [sealed])
        batch = self._corrected(chain, job_id, key, (cost, provider, sealed), outcome)
        try:
            await self._database.execute(batch)
        except GuardFailed:
            raise Contended("The step was put right by somebody else meanwhile.") from None
        return await self.view(owner, job_id)

    async def sweep(self, *, older_than: float) -> int:
        before = {"before": self._clock() - older_than}
        gone, _ = await self._database.execute(
            [Statement(sql=_SWEEP, params=before), Statement(sql=_SWEEP_THREADS, params=before)]
        )
        return gone.changed

    async def unfinished(self) -> bool:
        return bool(await self._database.fetch(_UNFINISHED))

    async def erasing(self, owner: str) -> list[Statement]:
        tag = await self._vault.tag(owner)
        return [Statement(sql=_ERASE, params={"owner": tag})]

    def _ordered(self, chain: Keychain, job: Job, order: Order) -> list[Statement]:
        params: dict[str, Scalar] = {
            "id": job.id,
            "owner": chain.tag,
            "thread": job.thread,
            "kind": job.kind,
            "priority": order.priority,
            "now": job.created,
            "cap": job.cap,
            "body": rows.sealed_job(chain, job),
        }
        words = indexed(chain, "job", job.id, order.question or "")
        return [
            self._vault.guard(chain),
            *threads.asked(chain, order, self._new_id(), job.created),
            Statement(sql=rows.INSERT, params=params, expect=1),
            rows.event(chain, job.id, job.created, "status", {"status": "pending"}),
            *words,
            # Last, so that the account's row is locked for as short as can be.
            *self._ledger.reserving(chain, job.id, job.cap),
        ]

    async def _explain(self, chain: Keychain, order: Order) -> None:
        """Why the batch was refused; without a reason it is worth another try."""
        if order.thread is not None:
            known: dict[str, Scalar] = {"id": order.thread, "owner": chain.tag}
            if order.title is None and not await self._database.fetch(threads.ONE, known):
                raise ThreadNotFound
            if await self._database.fetch(rows.BUSY, {"thread": order.thread}):
                raise ThreadBusy
        balance = (await self._ledger.ensured(chain)).balance
        if balance.limited and balance.ticks < order.cap:
            raise InsufficientBalance(balance=balance.ticks, required=order.cap)

    def _corrected(
        self,
        chain: Keychain,
        job_id: str,
        key: str,
        former: tuple[int, str | None, bytes],
        outcome: Reconciled,
    ) -> list[Statement]:
        cost, provider, sealed = former
        name = rows.step_name(chain, job_id, key)
        kept = outcome.result is not None
        state = StepState.DONE if kept else StepState.FAILED
        head = rows.open_step(chain, (job_id, name, StepState.UNCERTAIN), sealed)
        body = rows.sealed_step_result(chain, job_id, name, outcome.result) if kept else None
        params: dict[str, Scalar] = {
            "id": job_id,
            "owner": chain.tag,
            "name": name,
            "state": state.value,
            "cost": outcome.cost,
            "head": rows.sealed_step(chain, (job_id, name, state), head),
            "body": body,
        }
        difference = outcome.cost - cost
        told = {"key": key, "state": state.value, "cost": outcome.cost, "note": outcome.note}
        return [
            Statement(sql=_CORRECT, params=params | {"cost": difference}, expect=1),
            Statement(sql=_SETTLED, params=params, expect=1),
            *self._ledger.settling(
                chain, job_id, difference, provider=provider, source="correction"
            ),
            rows.event(chain, job_id, self._clock(), "reconciled", told),
        ]

    async def _step(self, owner: str, job_id: str, key: str) -> Row:
        chain = await self._chain(owner)
        params: dict[str, Scalar] = {
            "id": job_id,
            "owner": chain.tag,
            "name": rows.step_name(chain, job_id, key),
        }
        found = await self._database.fetch(rows.STEP, params)
        if not found:
            await self.view(owner, job_id)
            raise StepNotFound("The job has no such step.")
        return found[0]

    async def _views(self, owner: str, sql: str, params: dict[str, Scalar]) -> tuple[JobView, ...]:
        chain = await self._vault.find(owner)
        if chain is None:
            return ()
        found = await self._database.fetch(sql, params | {"owner": chain.tag})
        opener = await self._covering(owner, rows.sealed_parts(found))
        return tuple(view for row in found if (view := _opened(opener, row)) is not None)

    async def _chain(self, owner: str) -> Keychain:
        chain = await self._vault.find(owner)
        if chain is None:
            raise JobNotFound
        return chain

    async def _covering(self, owner: str, bodies: Sequence[bytes]) -> Keychain:
        chain = await self._vault.covering(owner, bodies)
        if chain is None:
            raise JobNotFound
        return chain


def _opened(chain: Keychain, row: Row) -> JobView | None:
    """One altered row must not hide the others."""
    try:
        return rows.open_view(chain, [row])
    except Unreadable as error:
        _log.warning("A job is left out of the list. %s", error.message)
        return None
