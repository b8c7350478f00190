"""Jobs from the owner's side: create, list, read, cancel, reconcile and delete."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from citewell.core.errors import InvalidInput
from citewell.core.values.research import ResearchStatus
from citewell.jobs.durable_job import (
    Job,
    JobEvent,
    JobOrder,
    JobStep,
    JobStepState,
    JobView,
    JsonValue,
)
from citewell.jobs.store import job_rows as rows
from citewell.jobs.store import thread_store
from citewell.jobs.store import thread_store as threads
from citewell.jobs.store.job_rows import build_item_index, encrypt_json
from citewell.jobs.store.ledger_rows import round_up_cents
from citewell.jobs.store.ledger_store import SqlLedgerStore
from citewell.store.encryption import OwnerKeychain, run_off_loop_if_large
from citewell.store.failures import BatchRolledBack, DecryptionFailed, WriteContended
from citewell.store.key_vault import KeyVault
from citewell.store.owner_table import OwnedTable, OwnerStore
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

logger = logging.getLogger(__name__)
_MAX_CREATE_ATTEMPTS = 8
_MAX_EVENTS_LISTED = 500  # returned by one call

# A job that is not started, or waits without a call in progress, is cancelled at once.
_CANCEL_IDLE_JOB = """
UPDATE job SET status = 'cancelled', cancel = 1, finished = :now, seq = seq + 1, held = 0
WHERE id = :id AND owner = :owner AND status = 'pending' AND NOT EXISTS (
    SELECT 1 FROM job_step WHERE job_step.job = job.id AND state IN ('intent', 'submitted')
)
"""
_REQUEST_CANCELLATION = """
UPDATE job SET cancel = 1, due = 0, seq = seq + 1
WHERE id = :id AND owner = :owner AND finished IS NULL AND cancel = 0
"""
_UPDATE_JOB_SPENT = (
    "UPDATE job SET seq = seq + 1, spent = spent + :cost WHERE id = :id AND owner = :owner"
)
_UPDATE_UNCERTAIN_STEP = """
UPDATE job_step SET state = :state, cost = :cost, head = :head, body = :body
WHERE job = :id AND name = :name AND state = 'uncertain'
"""
_DELETE_OLD_JOBS = "DELETE FROM job WHERE finished < :before"
_DELETE_EMPTY_THREADS = """
DELETE FROM thread WHERE updated < :before
    AND NOT EXISTS (SELECT 1 FROM job WHERE job.thread = thread.id)
"""
_SELECT_ANY_UNFINISHED = "SELECT 1 FROM job WHERE finished IS NULL LIMIT 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconciledCall:
    """The real outcome of a paid call that was recorded as uncertain."""

    cost: int  # ticks that were really charged; 0 if the call never arrived
    result: JsonValue = None
    note: str = ""


class SqlJobStore(OwnerStore):
    """Every call names an owner and raises UnknownJob for a missing job or another owner's."""

    tables = (OwnedTable(name="job", counted_as="jobs"),)

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        ledger: SqlLedgerStore,
        *,
        clock: Callable[[], float],
        new_id: Callable[[], str],
    ) -> None:
        self._database = database
        self._vault = vault
        self._ledger = ledger
        self._clock = clock
        self._new_id = new_id

    async def create_job(
        self, owner: str, job_id: str, order: JobOrder, *, placement: Sequence[SqlStatement] = ()
    ) -> JobView:
        """Create a job, with its thread, message and credit reserve in one transaction.

        The statements of `placement`, which the job engine builds, put it into a queue or give it
        to a worker in the same transaction.
        Raises BalanceTooLow, ThreadInUse or UnknownThread; then nothing is stored.
        """
        for _ in range(_MAX_CREATE_ATTEMPTS):
            chain = await self._vault.ensure_keychain(owner)
            await self._ledger.ensure_account(chain)
            tenant = await self._ledger.tenants.load_balance(owner)
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
                await self._database.execute_batch(
                    [
                        *self._build_job_creation(chain, job, order),
                        *placement,
                        # Last, to lock the accounts' rows for as short a time as possible.
                        *self._ledger.build_reserve(chain, job.id, job.cap, tenant=tenant),
                    ]
                )
            except BatchRolledBack:
                await self._raise_creation_refusal(chain, order)
                self._vault.forget_keychain(owner)
            else:
                return JobView(job=job, status=ResearchStatus.PENDING, seq=1)
        raise WriteContended(
            "The job was not queued: its account or thread kept changing. Try again."
        )

    async def require_job_view(self, owner: str, job_id: str) -> JobView:
        chain = await self._require_job_keychain(owner)
        found = await self._select_jobs(rows.SELECT_JOB_WITH_STEPS, {"id": job_id}, chain)
        if not found:
            raise thread_store.UnknownJob
        view = rows.decrypt_job_view(
            await self._require_covering_keychain(owner, rows.collect_encrypted_parts(found)), found
        )
        if not view.spent:
            return view
        spends = await self._ledger.list_job_spending(owner, job_id)
        return replace(view, provider_cents={spend.provider: spend.cents for spend in spends})

    async def list_owner_jobs(
        self, owner: str, *, limit: int = 20, since: float = 0.0
    ) -> tuple[JobView, ...]:
        """Newest first, without steps."""
        return await self._require_job_views(
            owner, rows.SELECT_OWNER_JOBS, {"limit": limit, "since": float(since)}
        )

    async def list_jobs_of_thread(
        self, owner: str, thread: str, *, limit: int = 20
    ) -> tuple[JobView, ...]:
        """Newest first, without steps."""
        return await self._require_job_views(
            owner, rows.SELECT_THREAD_JOBS, {"limit": limit, "thread": thread}
        )

    async def look_up_job_result(self, owner: str, job_id: str) -> JsonValue:
        """What the workflow returned; None until the job is completed."""
        chain = await self._require_job_keychain(owner)
        found = await self._database.select_rows(
            rows.SELECT_JOB_RESULT, {"id": job_id, "owner": chain.tag}
        )
        if not found:
            raise thread_store.UnknownJob
        ((status, sealed),) = found
        if status != ResearchStatus.COMPLETED or sealed is None:
            return None
        opener = await self._require_covering_keychain(owner, [sealed])
        return await run_off_loop_if_large(
            len(sealed), lambda: rows.decrypt_job_result(opener, job_id, status, sealed)
        )

    async def look_up_step_result(self, owner: str, job_id: str, key: str) -> JsonValue:
        """What a step returned; None until it has finished. Raises UnknownStep."""
        name, *_, sealed = await self._require_step_row(owner, job_id, key)
        if sealed is None:
            return None
        chain = await self._require_covering_keychain(owner, [sealed])
        return await run_off_loop_if_large(
            len(sealed), lambda: rows.decrypt_step_result(chain, job_id, name, sealed)
        )

    async def list_stored_events(
        self, owner: str, job_id: str, *, after: int = 0
    ) -> tuple[JobEvent, ...]:
        chain = await self._require_job_keychain(owner)
        params: dict[str, SqlScalar] = {
            "id": job_id,
            "owner": chain.tag,
            "after": after,
            "limit": _MAX_EVENTS_LISTED,
        }
        found = await self._database.select_rows(rows.SELECT_EVENTS_AFTER, params)
        if not found:
            await self.require_job_view(owner, job_id)  # raises UnknownJob if the job is missing
        opener = await self._require_covering_keychain(owner, [row[-1] for row in found])
        return tuple(rows.decrypt_event(opener, job_id, row) for row in found)

    async def request_cancellation(self, owner: str, job_id: str) -> JobView:
        """Ask for the job to end; a finished job is left unchanged."""
        chain = await self._require_job_keychain(owner)
        params: dict[str, SqlScalar] = {"id": job_id, "owner": chain.tag, "now": self._clock()}
        ended = [
            SqlStatement(sql=_CANCEL_IDLE_JOB, params=params, expected_rows=1),
            *self._ledger.build_release(chain, job_id),
            rows.build_event_insert(
                chain, job_id, self._clock(), "status", {"status": "cancelled"}
            ),
        ]
        requested = [
            SqlStatement(sql=_REQUEST_CANCELLATION, params=params, expected_rows=1),
            rows.build_event_insert(chain, job_id, self._clock(), "cancel", {}),
        ]
        for batch in (ended, requested):
            with suppress(BatchRolledBack):
                await self._database.execute_batch(batch)
                break
        return await self.require_job_view(owner, job_id)

    async def reconcile_step(
        self, owner: str, job_id: str, key: str, outcome: ReconciledCall
    ) -> JobView:
        if outcome.cost < 0:
            raise InvalidInput("The cost must not be negative.")
        *row, _ = await self._require_step_row(owner, job_id, key)
        if row[1] != JobStepState.UNCERTAIN:
            raise InvalidInput(f"The step is {row[1]}; only an uncertain step can be reconciled.")
        chain = await self._require_covering_keychain(owner, [row[-1]])
        step = rows.decrypt_step(chain, job_id, tuple(row))
        batch = self._build_reconciliation(chain, job_id, step, outcome)
        try:
            await self._database.execute_batch(batch)
        except BatchRolledBack:
            raise WriteContended("Somebody else has just reconciled this step.") from None
        return await self.require_job_view(owner, job_id)

    async def delete_old_jobs(self, *, older_than: float) -> int:
        """Delete jobs that finished more than `older_than` seconds ago, and return their number."""
        before = {"before": self._clock() - older_than}
        gone, _ = await self._database.execute_batch(
            [
                SqlStatement(sql=_DELETE_OLD_JOBS, params=before),
                SqlStatement(sql=_DELETE_EMPTY_THREADS, params=before),
            ]
        )
        return gone.changed_rows

    async def has_unfinished_jobs(self) -> bool:
        """Whether any owner has an unfinished job."""
        return bool(await self._database.select_rows(_SELECT_ANY_UNFINISHED))

    def _build_job_creation(
        self, chain: OwnerKeychain, job: Job, order: JobOrder
    ) -> list[SqlStatement]:
        params: dict[str, SqlScalar] = {
            "id": job.id,
            "owner": chain.tag,
            "thread": job.thread,
            "kind": job.kind,
            "priority": order.priority,
            "now": job.created,
            "cap": job.cap,
            # With the owner, because the tables hold only a hash of the owner for a worker to read.
            "body": encrypt_json(
                chain, rows.JOB_TABLE, job.id, {"owner": job.owner, "args": dict(job.args)}
            ),
        }
        words = build_item_index(chain, "job", job.id, order.question or "")
        return [
            self._vault.build_owner_guard(chain),
            *threads.build_question_batch(chain, order, self._new_id(), job.created),
            SqlStatement(sql=rows.INSERT_JOB, params=params, expected_rows=1),
            rows.build_event_insert(chain, job.id, job.created, "status", {"status": "pending"}),
            *words,
        ]

    async def _raise_creation_refusal(self, chain: OwnerKeychain, order: JobOrder) -> None:
        """Raise the reason why the batch was refused; returns if there is none, so that a retry may work."""
        if order.thread is not None:
            known: dict[str, SqlScalar] = {"id": order.thread, "owner": chain.tag}
            if order.title is None and not await self._database.select_rows(
                threads.SELECT_THREAD, known
            ):
                raise thread_store.UnknownThread
            if await self._database.select_rows(
                rows.SELECT_UNFINISHED_IN_THREAD, {"thread": order.thread}
            ):
                raise thread_store.ThreadInUse
        balance = await self._ledger.ensure_account(chain)
        required = round_up_cents(order.cap)
        if balance.limited and balance.cents < required:
            raise thread_store.BalanceTooLow(balance_cents=balance.cents, required_cents=required)
        left = (await self._ledger.tenants.load_balance(chain.owner)).remaining_cents
        if left is not None and left < required:
            raise thread_store.TenantBudgetTooLow(balance_cents=left, required_cents=required)

    def _build_reconciliation(
        self, chain: OwnerKeychain, job_id: str, step: JobStep, outcome: ReconciledCall
    ) -> list[SqlStatement]:
        state = JobStepState.FAILED if outcome.result is None else JobStepState.DONE
        settled = replace(step, state=state, cost=outcome.cost)
        params = rows.build_step_params(chain, job_id, settled, outcome.result)
        params["owner"] = chain.tag
        difference = outcome.cost - step.cost
        change = {"key": step.key, "state": state.value, "cost": outcome.cost, "note": outcome.note}
        return [
            SqlStatement(
                sql=_UPDATE_JOB_SPENT, params=params | {"cost": difference}, expected_rows=1
            ),
            SqlStatement(sql=_UPDATE_UNCERTAIN_STEP, params=params, expected_rows=1),
            *self._ledger.build_settlement(
                chain, job_id, difference, provider=step.provider, source="correction"
            ),
            rows.build_event_insert(chain, job_id, self._clock(), "reconciled", change),
        ]

    async def _require_step_row(self, owner: str, job_id: str, key: str) -> SqlRow:
        chain = await self._require_job_keychain(owner)
        params: dict[str, SqlScalar] = {
            "id": job_id,
            "owner": chain.tag,
            "name": rows.hash_step_name(chain, job_id, key),
        }
        found = await self._database.select_rows(rows.SELECT_STEP, params)
        if not found:
            await self.require_job_view(owner, job_id)
            raise thread_store.UnknownStep("The job has no such step.")
        return found[0]

    async def _require_job_views(
        self, owner: str, sql: str, params: dict[str, SqlScalar]
    ) -> tuple[JobView, ...]:
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            return ()
        found = await self._select_jobs(sql, params, chain)
        opener = await self._require_covering_keychain(owner, rows.collect_encrypted_parts(found))
        return tuple(
            view for row in found if (view := _decrypt_listed_job(opener, row)) is not None
        )

    async def _select_jobs(
        self, sql: str, params: Mapping[str, SqlScalar], chain: OwnerKeychain
    ) -> list[SqlRow]:
        """Rows of the owner's jobs; `sql` compares leases with the clock that workers share."""
        known: dict[str, SqlScalar] = {**params, "owner": chain.tag, "now": self._clock()}
        dialect = self._database.dialect
        lost = rows.WORKER_LOST if dialect.name == "postgres" else rows.LEASE_LOST
        return await self._database.select_rows(
            sql.format(lost=lost.format(now=dialect.now_expression)), known
        )

    async def _require_job_keychain(self, owner: str) -> OwnerKeychain:
        chain = await self._vault.find_keychain(owner)
        if chain is None:
            raise thread_store.UnknownJob
        return chain

    async def _require_covering_keychain(
        self, owner: str, bodies: Sequence[bytes]
    ) -> OwnerKeychain:
        chain = await self._vault.find_covering_keychain(owner, bodies)
        if chain is None:
            raise thread_store.UnknownJob
        return chain


def _decrypt_listed_job(chain: OwnerKeychain, row: SqlRow) -> JobView | None:
    """None, with a warning, if the row cannot be decrypted: it must not hide the other rows."""
    try:
        return rows.decrypt_job_view(chain, [row])
    except DecryptionFailed as error:
        logger.warning("A job is left out of the list. %s", error.message)
        return None
