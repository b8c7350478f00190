"""The jobs of a PostgreSQL store as DBOS has them in its queue, and the channel through which it runs their steps.

A job is put into the queue in the transaction that creates it, by the SQL function that DBOS
installs. The number of the run is part of the workflow's id, so that a run that was replaced finds
nothing to do. A claim raises the fence number of the job, and every write of a worker names the
fence of its claim, because DBOS lets a worker that was frozen go on with its step. Only the clock
of the database is used.

A job that DBOS has is due, and its claim ends, in a time that never comes. So workers of the first
release, which go by those columns, leave it alone; and whatever is due or has expired by now is a
job that DBOS does not have.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from citewell.jobs.durable_job import JsonValue
from citewell.jobs.run_record import StepBody, finish_despite_cancellation
from citewell.jobs.store.held_jobs import CLAIM_COLUMNS, IS_HELD_BY_US, HeldJob, HeldJobQueue
from citewell.store.failures import BatchRolledBack
from citewell.store.sql.database import POSTGRES_DIALECT, SqlScalar, SqlStatement

WORKFLOW_SCHEMA = "citewell_jobs"  # where DBOS has its tables
WORKFLOW_NAME = "citewell_job"
QUEUE_NAME = "citewell-jobs"
APPLICATION_NAME = "citewell"
# Raised only if a workflow can no longer continue what an older release has begun.
APPLICATION_VERSION = "1"

_NEVER = "1e15"  # seconds since the epoch
_FIRST_PRIORITY = 0  # DBOS runs lower numbers first; this is for jobs that were begun before
_USUAL_PRIORITY = 1_000_000
_NOW = POSTGRES_DIALECT.now_expression
_MAX_ADOPTED = 500  # jobs that are put into the queue by one call

# While DBOS is being installed, the function is there with fewer arguments.
_SELECT_INSTALLED = """
SELECT 1 FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
WHERE nspname = :schema AND proname = 'enqueue_workflow' AND proargnames @> CAST(ARRAY[
    'workflow_name', 'queue_name', 'positional_args', 'workflow_id', 'app_version',
    'application_name', 'priority', 'queue_partition_key', 'delay_until_epoch_ms'
] AS TEXT[])
"""
_IS_ON_QUEUE = f"due = {_NEVER}, expires = {_NEVER}, delay = {_NEVER}, run = run + 1"
_MARK_QUEUED = f"""
UPDATE job SET {_IS_ON_QUEUE}, rated = COALESCE((
    SELECT provider FROM job_rate WHERE POSITION(' ' || provider || ' ' IN :providers) > 0
    ORDER BY per_minute, provider LIMIT 1
), '') WHERE id = :id
"""  # noqa: S608 - constants
_ENQUEUE_WORKFLOW = f"""
SELECT {WORKFLOW_SCHEMA}.enqueue_workflow(
    workflow_name => '{WORKFLOW_NAME}',
    queue_name => '{QUEUE_NAME}' || CASE WHEN rated = '' THEN '' ELSE '-' || rated END,
    positional_args => ARRAY[to_json(id), to_json(run)],
    workflow_id => id || '.' || run,
    app_version => '{APPLICATION_VERSION}', application_name => '{APPLICATION_NAME}',
    priority => CAST(CASE WHEN fence > 0 THEN {_FIRST_PRIORITY}
        ELSE {_USUAL_PRIORITY} - LEAST(GREATEST(priority, -1000000), 999999) END AS INTEGER),
    queue_partition_key => owner,
    delay_until_epoch_ms => CASE WHEN CAST(:delay AS DOUBLE PRECISION) > 0
        THEN CAST(({_NOW} + CAST(:delay AS DOUBLE PRECISION)) * 1000 AS BIGINT) END
) FROM job WHERE id = :id
"""  # noqa: S608 - constants
_INSERT_RATE = """
INSERT INTO job_rate (provider, per_minute) VALUES (:provider, :rate)
ON CONFLICT (provider) DO UPDATE SET per_minute = :rate
"""
_CLAIM_RUN = f"""
UPDATE job SET
    status = CASE WHEN status = 'pending' THEN 'running' ELSE status END,
    started = COALESCE(started, {_NOW}), holder = :holder, fence = fence + 1,
    expires = {_NEVER}, delay = {_NEVER}, attempts = attempts + 1
WHERE id = :id AND run = :run AND finished IS NULL
RETURNING {CLAIM_COLUMNS}
"""  # noqa: S608 - constants
_RELEASE_RUN = f"UPDATE job SET holder = '', attempts = attempts - 1 WHERE {IS_HELD_BY_US}"  # noqa: S608 - constants
_POSTPONE_RUN = f"""
UPDATE job SET status = 'pending', holder = '', {_IS_ON_QUEUE} WHERE {IS_HELD_BY_US}
"""  # noqa: S608 - constants
_IS_OFF_QUEUE = f"""
finished IS NULL
AND ((status = 'pending' AND due <= {_NOW}) OR (status <> 'pending' AND expires <= {_NOW}))
"""
_SELECT_OFF_QUEUE = f"SELECT id FROM job WHERE {_IS_OFF_QUEUE} ORDER BY created, id LIMIT :limit"  # noqa: S608 - constants
_ADOPT_JOB = f"UPDATE job SET holder = '', {_IS_ON_QUEUE} WHERE id = :id AND {_IS_OFF_QUEUE}"  # noqa: S608 - constants
_SELECT_ON_QUEUE = f"""
SELECT id, run, fence FROM job
WHERE finished IS NULL AND (due >= {_NEVER} OR status <> 'pending') AND expires >= {_NEVER}
"""  # noqa: S608 - constants
_TAKE_OFF_QUEUE = """
UPDATE job SET due = 0, expires = 0
WHERE id = :id AND run = :run AND fence = :fence AND finished IS NULL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedRun:
    """A job that DBOS should have, as the workflow `workflow_id`."""

    job_id: str
    run: int
    fence: int

    @property
    def workflow_id(self) -> str:
        return build_workflow_id(self.job_id, self.run)


def build_workflow_id(job_id: str, run: int) -> str:
    return f"{job_id}.{run}"


class SqlWorkflowQueue(HeldJobQueue):
    """Puts jobs into the queue of DBOS, and claims the runs that DBOS starts."""

    _installed = False

    async def build_queueing(self, job_id: str, providers: Collection[str]) -> list[SqlStatement]:
        """Statements that queue a job that is created in the same batch.

        If workers limit how often jobs with one of its providers start, it goes into the queue of
        the provider with the lowest rate. There are none before a worker has installed DBOS; the first worker then adopts the job.
        """
        if not self._installed:
            found = await self._database.select_rows(_SELECT_INSTALLED, {"schema": WORKFLOW_SCHEMA})
            self._installed = bool(found)
        if not self._installed:
            return []
        params: dict[str, SqlScalar] = {"id": job_id, "providers": f" {' '.join(providers)} "}
        return [
            SqlStatement(sql=_MARK_QUEUED, params=params, expected_rows=1),
            _build_enqueueing(job_id),
        ]

    async def replace_rates(self, rates: Mapping[str, int]) -> None:
        """Store how many jobs with each of these providers start in a minute, for all who queue jobs."""
        await self._database.execute_batch(
            [
                SqlStatement(sql="DELETE FROM job_rate"),
                *(
                    SqlStatement(sql=_INSERT_RATE, params={"provider": provider, "rate": rate})
                    for provider, rate in sorted(rates.items())
                ),
            ]
        )

    async def claim_run(self, job_id: str, run: int) -> HeldJob | None:
        """Take the job for this worker; None if it has ended, or if another run replaced this one."""
        params: dict[str, SqlScalar] = {"id": job_id, "run": run, "holder": self._holder}
        (outcome,) = await self._database.execute_batch(
            [SqlStatement(sql=_CLAIM_RUN, params=params)]
        )
        return await self.read_claimed_row(outcome.rows[0]) if outcome.rows else None

    async def release_run(self, held: HeldJob) -> None:
        """Let the job go in good order, so that the claim does not count as an attempt."""
        await self.change_held_job(_RELEASE_RUN, held)

    async def postpone_job(self, held: HeldJob, *, seconds: float) -> None:
        """Put the job back into the queue as its next run, which starts after `seconds`."""
        move = SqlStatement(sql=_POSTPONE_RUN, params=self.build_held_params(held), expected_rows=1)
        with contextlib.suppress(BatchRolledBack):
            await self._database.execute_batch(
                [move, _build_enqueueing(held.job.id, delay=seconds)]
            )

    async def adopt_jobs(self) -> int:
        """Queue the jobs that DBOS does not have, and return their number.

        They are of an older release, of a process that paid for a single call and ended, or were
        created before DBOS was installed.
        """
        found = await self._database.select_rows(_SELECT_OFF_QUEUE, {"limit": _MAX_ADOPTED})
        adopted = 0
        for (job_id,) in found:
            adopt = SqlStatement(sql=_ADOPT_JOB, params={"id": job_id}, expected_rows=1)
            try:
                await self._database.execute_batch([adopt, _build_enqueueing(job_id)])
            except BatchRolledBack:  # somebody else has it by now
                continue
            adopted += 1
        return adopted

    async def list_queued_runs(self) -> list[QueuedRun]:
        """Every run of an unfinished job that DBOS should have, as queued or as running."""
        found = await self._database.select_rows(_SELECT_ON_QUEUE)
        return [QueuedRun(job_id=job, run=run, fence=fence) for job, run, fence in found]

    async def drop_runs(self, lost: Collection[QueuedRun]) -> None:
        """Note that DBOS does not have these runs, so that `adopt_jobs` queues their jobs again."""
        for item in lost:
            params: dict[str, SqlScalar] = {"id": item.job_id, "run": item.run, "fence": item.fence}
            await self._database.execute_batch([SqlStatement(sql=_TAKE_OFF_QUEUE, params=params)])


def _build_enqueueing(job_id: str, *, delay: float = 0.0) -> SqlStatement:
    params: dict[str, SqlScalar] = {"id": job_id, "delay": float(delay)}
    return SqlStatement(sql=_ENQUEUE_WORKFLOW, params=params, expected_rows=1)


# Carries the steps of a job between our event loop and the one of DBOS.


class StepRequest:
    """One step: its work, and the task that does it in our loop."""

    def __init__(self, kind: str, body: StepBody, loop: asyncio.AbstractEventLoop) -> None:
        self.kind = kind
        self._body = body
        self._loop = loop
        self._begun: asyncio.Future[asyncio.Task[JsonValue]] = loop.create_future()

    async def wait_for_result(self) -> JsonValue:
        """What the work returned or raised; if the caller is cancelled, so is the work."""
        try:
            task = await asyncio.shield(self._begun)
            await asyncio.wait({task})
        except asyncio.CancelledError:
            await finish_despite_cancellation(self._cancel_work())
            raise
        return task.result()

    async def run_body(self) -> str:
        """Do the work, in our loop, and return how it ended."""
        if self._begun.cancelled():
            return "stopped"
        task = asyncio.ensure_future(self._body())
        self._begun.set_result(task)
        await asyncio.wait({task})
        if task.cancelled():
            return "stopped"
        return "done" if task.exception() is None else "failed"

    def refuse_step(self) -> None:
        """End the step, because DBOS does not let it begin; may be called from any thread."""
        self._loop.call_soon_threadsafe(self._begun.cancel)

    async def _cancel_work(self) -> None:
        if not self._begun.done():
            self._begun.cancel()
            return
        if not self._begun.cancelled():
            task = self._begun.result()
            task.cancel()
            await asyncio.wait({task})


class StepChannel:
    """The way of the steps of one run from our loop to the workflow in the loop of DBOS."""

    def __init__(self, home: asyncio.AbstractEventLoop) -> None:
        self._home = home
        self._dbos_loop = asyncio.get_running_loop()
        # Steps, in the loop of DBOS; None once the job has ended.
        self.requests: asyncio.Queue[StepRequest | None] = asyncio.Queue()

    async def perform_step(self, kind: str, body: StepBody) -> JsonValue:
        """Do the work of a step as a step of DBOS; called in our loop."""
        request = StepRequest(kind, body, self._home)
        self._dbos_loop.call_soon_threadsafe(self.requests.put_nowait, request)
        return await request.wait_for_result()
