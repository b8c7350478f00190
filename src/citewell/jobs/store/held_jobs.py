"""A job that a worker holds, and what the worker records; every write is one transaction that checks the fence."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from citewell.core.values.research import ResearchStatus
from citewell.jobs.durable_job import Job, JobEvent, JobStep, JobStepState, JsonValue
from citewell.jobs.store import job_rows as rows
from citewell.jobs.store.job_rows import encrypt_json
from citewell.jobs.store.ledger_store import SqlLedgerStore
from citewell.store.encryption import OwnerKeychain
from citewell.store.failures import BatchRolledBack, DecryptionFailed
from citewell.store.key_vault import KeyVault
from citewell.store.sql.database import SqlDatabase, SqlRow, SqlScalar, SqlStatement

logger = logging.getLogger(__name__)

IS_HELD_BY_US = "finished IS NULL AND holder = :holder AND fence = :fence AND id = :id"
CLAIM_COLUMNS = "id, thread, kind, created, cap, body, owner, status, fence, attempts, cancel, run"
_CLAIM_NEW_JOB = """
UPDATE job SET status = 'running', started = {now}, holder = :holder, fence = 1,
    expires = {now} + :term, delay = :term, attempts = 1
WHERE id = :id AND fence = 0
"""
_FAIL_UNREADABLE_JOB = """
UPDATE job SET status = 'failed', finished = :now, holder = ''
WHERE id = :id AND fence = :fence AND finished IS NULL
"""
_DELETE_ORPHAN_JOB = "DELETE FROM job WHERE id = :id AND fence = :fence"
_SELECT_HELD_JOBS = "SELECT id, fence, cancel FROM job WHERE holder = :holder AND finished IS NULL"

_MAX_INTENT_ATTEMPTS = 20
_IS_CURRENT_HOLDER = "id = :id AND fence = :fence AND finished IS NULL"
# Recording a step resets `attempts`: only claims without progress count.
_ADVANCE_JOB = f"""
UPDATE job SET seq = seq + 1, attempts = 0, held = held + :held, spent = spent + :cost
WHERE {_IS_CURRENT_HOLDER}
"""  # noqa: S608 - constants
_ADVANCE_JOB_WITH_RESERVE = f"""
UPDATE job SET seq = seq + 1, attempts = 0, held = held + :held
WHERE {_IS_CURRENT_HOLDER} AND cancel = 0
    AND (CAST(:held AS BIGINT) = 0 OR cap - spent - held >= CAST(:held AS BIGINT))
"""  # noqa: S608 - constants
_ADVANCE_EVENT_NUMBER = f"UPDATE job SET seq = seq + 1 WHERE {_IS_CURRENT_HOLDER}"  # noqa: S608 - constants
_UPDATE_JOB_STATUS = f"UPDATE job SET seq = seq + 1, status = :status WHERE {_IS_CURRENT_HOLDER}"  # noqa: S608 - constants
_FINISH_JOB = f"""
UPDATE job SET seq = seq + 1, status = :status, finished = :now, holder = '', held = 0,
    result = :result
WHERE {_IS_CURRENT_HOLDER}
"""  # noqa: S608 - constants
_SELECT_JOB_STANDING = f"SELECT cancel, cap - spent - held FROM job WHERE {_IS_CURRENT_HOLDER}"  # noqa: S608 - constants
_INSERT_STEP = """
INSERT INTO job_step
    (job, name, number, state, provider, started, finished, estimate, cost, head, body, fence)
VALUES (:id, :name, (SELECT COUNT(*) + 1 FROM job_step WHERE job = :id), :state, :provider,
    :started, :finished, :estimate, :cost, :head, :body, :fence)
"""
# The step has a fence of its own: whoever lost the job cannot move an intent that was taken over.
_UPDATE_STEP_STATE = """
UPDATE job_step SET state = :state, finished = :finished, cost = :cost, head = :head, body = :body,
    fence = :fence
WHERE job = :id AND name = :name AND state = :former AND fence <= :fence
"""
_SELECT_ALL_STEPS = f"SELECT {rows.STEP_COLUMNS} FROM job_step WHERE job = :id"  # noqa: S608 - constants
_SELECT_STEP_BODY = "SELECT body FROM job_step WHERE job = :id AND name = :name"
_SELECT_STEP_STATE = "SELECT state FROM job_step WHERE job = :id AND name = :name"
_SELECT_ALL_EVENTS = "SELECT seq, happened, body FROM job_event WHERE job = :id ORDER BY seq"


class LeaseLost(Exception):
    """Another worker holds the job, or it has finished or was erased: nothing more can be written."""


class CancellationRequested(Exception):
    """The job's cancellation was requested, so no new paid call may start."""


class EstimateUnaffordable(Exception):
    """The rest of the job's cap, `left` ticks, does not cover the estimate of the call."""

    def __init__(self, left: int) -> None:
        super().__init__(left)
        self.left = left


class JobRecord:
    """Reads and writes the record of one held job; raises LeaseLost if the fence has changed."""

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        ledger: SqlLedgerStore,
        held: HeldJob,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._vault = vault
        self._ledger = ledger
        self._clock = clock
        self._fence = held.fence
        self._chain: OwnerKeychain = held.keychain
        self.job = held.job

    async def load_steps(self) -> dict[str, JobStep]:
        """All recorded steps by key, without results."""
        found = await self._database.select_rows(_SELECT_ALL_STEPS, {"id": self.job.id})
        chain = await self._require_record_keychain([row[-1] for row in found])
        steps = (rows.decrypt_step(chain, self.job.id, row) for row in found)
        return {step.key: step for step in steps}

    async def load_events(self) -> tuple[JobEvent, ...]:
        found = await self._database.select_rows(_SELECT_ALL_EVENTS, {"id": self.job.id})
        chain = await self._require_record_keychain([row[-1] for row in found])
        return tuple(rows.decrypt_event(chain, self.job.id, row) for row in found)

    async def load_recorded_result(self, key: str) -> JsonValue:
        name = self._hash_step_key(key)
        found = await self._database.select_rows(
            _SELECT_STEP_BODY, {"id": self.job.id, "name": name}
        )
        if not found:
            raise LeaseLost
        ((sealed,),) = found
        if sealed is None:
            return None
        chain = await self._require_record_keychain([sealed])
        return rows.decrypt_step_result(chain, self.job.id, name, sealed)

    async def record_free_step(self, step: JobStep, value: JsonValue) -> None:
        """Store the result of a step that costs nothing."""
        done = replace(step, finished=self._clock())
        await self._write_step(done, [self._build_fence(), self._build_insert(done, value)])

    async def record_intent(self, step: JobStep) -> None:
        """Record that a paid call is about to be sent, and reserve its estimate from the job's cap.

        Raises EstimateUnaffordable or CancellationRequested; then the call must not be sent.
        """
        params = self._build_fence_params() | {"held": step.estimate}
        fence = SqlStatement(sql=_ADVANCE_JOB_WITH_RESERVE, params=params, expected_rows=1)
        batch = [fence, self._build_insert(step, None)]
        for _ in range(_MAX_INTENT_ATTEMPTS):
            try:
                await self._write_step(step, batch)
            except LeaseLost:
                await self._raise_intent_refusal(step.estimate)
            else:
                return
        raise LeaseLost

    async def record_submission(self, step: JobStep) -> None:
        """Store the upstream's reference of a submitted call, before the first poll."""
        sent = replace(step, state=JobStepState.SUBMITTED)
        move = self._build_move(JobStepState.INTENT, sent, None)
        await self._write_step(sent, [self._build_fence(), move])

    async def record_outcome(self, step: JobStep, ended: JobStep, result: JsonValue = None) -> None:
        """Store how the paid call `step` ended and settle its cost, in one transaction."""
        batch = [
            self._build_fence(held=-step.estimate, cost=ended.cost),
            self._build_move(step.state, replace(ended, finished=self._clock()), result),
            *self._ledger.build_settlement(
                self._chain, self.job.id, ended.cost, provider=step.provider, source=None
            ),
        ]
        await self._write_step(ended, batch, cost=ended.cost)

    async def append_event(self, kind: str, payload: Mapping[str, JsonValue]) -> None:
        tell = SqlStatement(
            sql=_ADVANCE_EVENT_NUMBER, params=self._build_fence_params(), expected_rows=1
        )
        await self._write_fenced([tell, self._build_event_statement(kind, payload)])

    async def change_status(self, status: ResearchStatus) -> None:
        params = self._build_fence_params() | {"status": status.value}
        enter = SqlStatement(sql=_UPDATE_JOB_STATUS, params=params, expected_rows=1)
        await self._write_fenced(
            [enter, self._build_event_statement("status", {"status": status.value})]
        )

    async def finish_job(self, status: ResearchStatus, value: JsonValue) -> None:
        """Finish the job with its result, and release the rest of its reserve."""
        params = self._build_fence_params() | {
            "status": status.value,
            "result": encrypt_json(self._chain, rows.JOB_TABLE, f"{self.job.id}/{status}", value),
        }
        batch = [
            SqlStatement(sql=_FINISH_JOB, params=params, expected_rows=1),
            *self._ledger.build_release(self._chain, self.job.id),
            self._build_event_statement("status", {"status": status.value}),
        ]
        await self._write_fenced(batch)

    async def _write_step(
        self, step: JobStep, batch: list[SqlStatement], **more: JsonValue
    ) -> None:
        """Write the batch and an event that tells the state of the step."""
        change = {"key": step.key, "state": step.state.value, "provider": step.provider}
        event = self._build_event_statement("step", change | more)
        await self._write_fenced([*batch, event], step)

    async def _write_fenced(
        self, batch: list[SqlStatement], reached: JobStep | None = None
    ) -> None:
        try:
            await self._database.execute_batch(batch)
        except BatchRolledBack:
            # If the reply to a first commit was lost, the retry finds its own write.
            if reached is None or not await self._has_reached_state(reached):
                raise LeaseLost from None

    async def _has_reached_state(self, step: JobStep) -> bool:
        ours = await self._database.select_rows(_SELECT_JOB_STANDING, self._build_fence_params())
        params: dict[str, SqlScalar] = {"id": self.job.id, "name": self._hash_step_key(step.key)}
        return bool(ours) and await self._database.select_rows(_SELECT_STEP_STATE, params) == [
            (step.state.value,)
        ]

    async def _raise_intent_refusal(self, estimate: int) -> None:
        """Raise why a call may not start; returns if the reason is gone, as when another call has ended."""
        found = await self._database.select_rows(_SELECT_JOB_STANDING, self._build_fence_params())
        if not found:
            raise LeaseLost
        ((cancel, left),) = found
        if cancel:
            raise CancellationRequested
        if left < estimate:
            raise EstimateUnaffordable(left)

    def _build_fence(self, *, held: int = 0, cost: int = 0) -> SqlStatement:
        return SqlStatement(
            sql=_ADVANCE_JOB,
            params=self._build_fence_params() | {"held": held, "cost": cost},
            expected_rows=1,
        )

    def _build_insert(self, step: JobStep, result: JsonValue) -> SqlStatement:
        params = rows.build_step_params(self._chain, self.job.id, step, result)
        return SqlStatement(
            sql=_INSERT_STEP, params=params | {"fence": self._fence}, expected_rows=1
        )

    def _build_move(self, former: JobStepState, step: JobStep, result: JsonValue) -> SqlStatement:
        params = rows.build_step_params(self._chain, self.job.id, step, result)
        params |= {"fence": self._fence, "former": former.value}
        return SqlStatement(sql=_UPDATE_STEP_STATE, params=params, expected_rows=1)

    def _build_event_statement(self, kind: str, payload: Mapping[str, JsonValue]) -> SqlStatement:
        return rows.build_event_insert(self._chain, self.job.id, self._clock(), kind, payload)

    def _build_fence_params(self) -> dict[str, SqlScalar]:
        return {"id": self.job.id, "fence": self._fence, "now": self._clock()}

    def _hash_step_key(self, key: str) -> str:
        return rows.hash_step_name(self._chain, self.job.id, key)

    async def _require_record_keychain(self, bodies: list[bytes]) -> OwnerKeychain:
        """A keychain for all `bodies`, which may be encrypted before and after a key rotation."""
        chain = await self._vault.find_covering_keychain(self.job.owner, bodies)
        if chain is None:
            raise LeaseLost
        return chain


# A job in the hands of a worker, and how it is read from the row that a claim returns.


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldJob:
    """A job that this worker has claimed."""

    job: Job
    keychain: OwnerKeychain
    fence: int
    status: ResearchStatus
    attempts: int  # claims since the last recorded step, including this one
    cancelling: bool
    run: int = 0  # how often it was put into the queue of workflows

    @property
    def is_recovered(self) -> bool:
        return self.fence > 1


class HeldJobQueue(ABC):
    """Claims new jobs for one worker, reads what it holds, and takes it back."""

    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        ledger: SqlLedgerStore,
        *,
        holder: str,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._vault = vault
        self._ledger = ledger
        self._holder = holder
        self._clock = clock

    @abstractmethod
    async def postpone_job(self, held: HeldJob, *, seconds: float) -> None:
        """Put the job back into the queue, to be claimed again after `seconds`.

        A job that another worker has by now is left to it.
        """

    def build_first_claim(self, job_id: str, *, seconds: float) -> SqlStatement:
        """A statement that gives this worker a job for `seconds` that is created in the same batch."""
        sql = _CLAIM_NEW_JOB.format(now=self._database.dialect.now_expression)
        params: dict[str, SqlScalar] = {
            "id": job_id,
            "holder": self._holder,
            "term": float(seconds),
            "now": self._clock(),
        }
        return SqlStatement(sql=sql, params=params, expected_rows=1)

    async def load_first_claim(self, job: Job) -> HeldJob:
        """The job that `build_first_claim` gave to this worker."""
        return HeldJob(
            job=job,
            keychain=await self._vault.ensure_keychain(job.owner),
            fence=1,
            status=ResearchStatus.RUNNING,
            attempts=1,
            cancelling=False,
        )

    async def list_held_jobs(self) -> dict[str, tuple[int, bool]]:
        """Fence and cancellation request of every job this worker holds, by id; writes nothing."""
        found = await self._database.select_rows(_SELECT_HELD_JOBS, {"holder": self._holder})
        return {job: (fence, bool(cancel)) for job, fence, cancel in found}

    def build_held_params(self, held: HeldJob, **more: SqlScalar) -> dict[str, SqlScalar]:
        """The parameters of IS_HELD_BY_US, the time and others."""
        return {
            "id": held.job.id,
            "fence": held.fence,
            "holder": self._holder,
            "now": self._clock(),
            **more,
        }

    async def change_held_job(self, sql: str, held: HeldJob, **more: SqlScalar) -> None:
        """Execute one statement about a held job; if another worker has it by now, nothing changes."""
        params = self.build_held_params(held, **more)
        await self._database.execute_batch([SqlStatement(sql=sql, params=params)])

    async def read_claimed_row(self, row: SqlRow) -> HeldJob | None:
        """The claimed job; None if its owner was erased, or if it cannot be decrypted and has failed."""
        job_id, *_, tag, status, fence, attempts, cancel, run = row
        params: dict[str, SqlScalar] = {"id": job_id, "fence": fence, "now": self._clock()}
        chain = await self._vault.load_tagged_keychain(tag)
        if chain is None:
            await self._database.execute_batch(
                [SqlStatement(sql=_DELETE_ORPHAN_JOB, params=params)]
            )
            return None
        try:
            job = rows.decrypt_job(chain, row[:6])
        except DecryptionFailed as error:
            logger.warning("A job cannot be decrypted and is marked as failed. %s", error.message)
            spoilt = SqlStatement(sql=_FAIL_UNREADABLE_JOB, params=params, expected_rows=1)
            await self._database.execute_batch([spoilt, *self._ledger.build_release(chain, job_id)])
            return None
        return HeldJob(
            job=job,
            keychain=await self._vault.find_keychain(job.owner) or chain,
            fence=fence,
            status=ResearchStatus(status),
            attempts=attempts,
            cancelling=bool(cancel),
            run=run,
        )
