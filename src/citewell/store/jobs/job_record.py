"""What a worker records about the job it holds; every write is one transaction that checks the fence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from citewell.model.durable_job import JobEvent, JobStepState, JsonValue
from citewell.model.research import ResearchStatus
from citewell.store.failures import BatchRolledBack
from citewell.store.jobs import job_rows as rows
from citewell.store.jobs.held_jobs import HeldJob
from citewell.store.jobs.job_rows import StepHead
from citewell.store.jobs.ledger_store import SqlLedgerStore
from citewell.store.keys.key_vault import KeyVault
from citewell.store.keys.owner_keychain import OwnerKeychain
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement

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
    :started, :finished, :estimate, 0, :head, :body, :fence)
"""
# The step has a fence of its own: whoever lost the job cannot move an intent that was taken over.
_UPDATE_STEP_STATE = """
UPDATE job_step SET state = :state, finished = :finished, cost = :cost, head = :head, body = :body,
    fence = :fence
WHERE job = :id AND name = :name AND state = :former AND fence <= :fence
"""
_SELECT_ALL_STEPS = (
    "SELECT name, state, provider, estimate, started, head FROM job_step WHERE job = :id"
)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownStep:
    """A recorded step without its result."""

    key: str
    state: JobStepState
    provider: str | None = None
    estimate: int = 0
    started: float = 0.0
    ref: str | None = None
    tag: str | None = None
    error: Mapping[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidCallOutcome:
    """How a paid call ended."""

    state: JobStepState
    cost: int = 0
    result: JsonValue = None
    error: Mapping[str, JsonValue] | None = None


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

    async def load_steps(self) -> dict[str, KnownStep]:
        """All recorded steps by key, without results."""
        found = await self._database.select_rows(_SELECT_ALL_STEPS, {"id": self.job.id})
        chain = await self._require_record_keychain([row[-1] for row in found])
        steps: dict[str, KnownStep] = {}
        for name, state, provider, estimate, started, sealed in found:
            head = rows.decrypt_step_head(chain, (self.job.id, name, state), sealed)
            steps[head.key] = KnownStep(
                key=head.key,
                state=JobStepState(state),
                provider=provider,
                estimate=estimate,
                started=started,
                ref=head.ref,
                tag=head.tag,
                error=head.error,
            )
        return steps

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

    async def record_free_step(self, step: KnownStep, value: JsonValue) -> None:
        """Store the result of a step that costs nothing."""
        told = self._build_event_statement("step", _describe_step_change(step))
        batch = [self._build_fence(), self._build_step_insert(step, result=value), told]
        await self._write_fenced(batch, (step.key, JobStepState.DONE))

    async def record_intent(self, step: KnownStep) -> None:
        """Record that a paid call is about to be sent, and reserve its estimate from the job's cap.

        Raises EstimateUnaffordable or CancellationRequested; then the call must not be sent.
        """
        params = self._build_fence_params() | {"held": step.estimate}
        fence = SqlStatement(sql=_ADVANCE_JOB_WITH_RESERVE, params=params, expected_rows=1)
        told = self._build_event_statement("step", _describe_step_change(step))
        batch = [fence, self._build_step_insert(step), told]
        for _ in range(_MAX_INTENT_ATTEMPTS):
            try:
                await self._write_fenced(batch, (step.key, step.state))
            except LeaseLost:
                await self._raise_intent_refusal(step.estimate)
            else:
                return
        raise LeaseLost

    async def record_submission(self, step: KnownStep) -> None:
        """Store the upstream's reference of a submitted call, before the first poll."""
        move = self._build_step_move(
            step, JobStepState.INTENT, PaidCallOutcome(state=JobStepState.SUBMITTED)
        )
        batch = [
            self._build_fence(),
            move,
            self._build_event_statement("step", _describe_step_change(step)),
        ]
        await self._write_fenced(batch, (step.key, JobStepState.SUBMITTED))

    async def record_outcome(self, step: KnownStep, how: PaidCallOutcome) -> None:
        """Store the outcome of a paid call and settle its cost, in one transaction."""
        provider = step.provider
        batch = [
            self._build_fence(held=-step.estimate, cost=how.cost),
            self._build_step_move(step, step.state, how),
            *self._ledger.build_settlement(
                self._chain, self.job.id, how.cost, provider=provider, source=None
            ),
            self._build_event_statement(
                "step", _describe_step_change(step) | {"state": how.state.value, "cost": how.cost}
            ),
        ]
        await self._write_fenced(batch, (step.key, how.state))

    async def append_event(self, kind: str, payload: Mapping[str, JsonValue]) -> None:
        tell = SqlStatement(
            sql=_ADVANCE_EVENT_NUMBER, params=self._build_fence_params(), expected_rows=1
        )
        await self._write_fenced([tell, self._build_event_statement(kind, payload)], None)

    async def change_status(self, status: ResearchStatus) -> None:
        params = self._build_fence_params() | {"status": status.value}
        enter = SqlStatement(sql=_UPDATE_JOB_STATUS, params=params, expected_rows=1)
        await self._write_fenced(
            [enter, self._build_event_statement("status", {"status": status.value})], None
        )

    async def finish_job(self, status: ResearchStatus, value: JsonValue) -> None:
        """Finish the job with its result, and release the rest of its reserve."""
        params = self._build_fence_params() | {
            "status": status.value,
            "result": rows.encrypt_job_result(self._chain, self.job.id, status, value),
        }
        batch = [
            SqlStatement(sql=_FINISH_JOB, params=params, expected_rows=1),
            *self._ledger.build_release(self._chain, self.job.id),
            self._build_event_statement("status", {"status": status.value}),
        ]
        await self._write_fenced(batch, None)

    async def _write_fenced(
        self, batch: list[SqlStatement], reached: tuple[str, JobStepState] | None
    ) -> None:
        try:
            await self._database.execute_batch(batch)
        except BatchRolledBack:
            # If the reply to a first commit was lost, the retry finds its own write.
            if reached is None or not await self._has_reached_state(*reached):
                raise LeaseLost from None

    async def _has_reached_state(self, key: str, state: JobStepState) -> bool:
        ours = await self._database.select_rows(_SELECT_JOB_STANDING, self._build_fence_params())
        params: dict[str, SqlScalar] = {"id": self.job.id, "name": self._hash_step_key(key)}
        return bool(ours) and await self._database.select_rows(_SELECT_STEP_STATE, params) == [
            (state.value,)
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

    def _build_step_insert(self, step: KnownStep, *, result: JsonValue = None) -> SqlStatement:
        name = self._hash_step_key(step.key)
        done = step.state is JobStepState.DONE
        params = self._build_fence_params() | {
            "name": name,
            "state": step.state.value,
            "provider": step.provider,
            "started": step.started,
            "finished": self._clock() if done else None,
            "estimate": step.estimate,
            "head": self._encrypt_head(step, step.state),
            "body": rows.encrypt_step_result(self._chain, self.job.id, name, result)
            if done
            else None,
        }
        return SqlStatement(sql=_INSERT_STEP, params=params, expected_rows=1)

    def _build_step_move(
        self, step: KnownStep, former: JobStepState, how: PaidCallOutcome
    ) -> SqlStatement:
        name = self._hash_step_key(step.key)
        final = not how.state.is_open
        kept = how.result is not None
        body = (
            rows.encrypt_step_result(self._chain, self.job.id, name, how.result) if kept else None
        )
        params = self._build_fence_params() | {
            "name": name,
            "former": former.value,
            "state": how.state.value,
            "finished": self._clock() if final else None,
            "cost": how.cost,
            "head": self._encrypt_head(step, how.state, how.error),
            "body": body,
        }
        return SqlStatement(sql=_UPDATE_STEP_STATE, params=params, expected_rows=1)

    def _encrypt_head(
        self, step: KnownStep, state: JobStepState, error: Mapping[str, JsonValue] | None = None
    ) -> bytes:
        head = StepHead(key=step.key, ref=step.ref, tag=step.tag, error=error)
        place = (self.job.id, self._hash_step_key(step.key), state)
        return rows.encrypt_step_head(self._chain, place, head)

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


def _describe_step_change(step: KnownStep) -> dict[str, JsonValue]:
    return {"key": step.key, "state": step.state.value, "provider": step.provider}
