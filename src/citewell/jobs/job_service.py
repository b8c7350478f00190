"""Queues durable jobs, runs them, and returns their state, events and results."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from citewell.core.errors import CitewellError, InvalidInput
from citewell.jobs.durable_job import JobOrder, JobView
from citewell.jobs.job_engine import EngineSetup, JobEngine, WorkflowFunction, read_run_ending
from citewell.jobs.run_record import EngineTiming, PerformStep, RunEnding, perform_directly
from citewell.jobs.store.held_jobs import CLAIM_COLUMNS, IS_HELD_BY_US, HeldJob, HeldJobQueue
from citewell.jobs.store.job_store import ReconciledCall
from citewell.jobs.store.ledger_store import SqlLedgerStore
from citewell.store.coordination.change_notices import JOB_CANCEL_TOPIC, JOB_TOPIC
from citewell.store.key_vault import KeyVault
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement

if TYPE_CHECKING:
    from citewell.server.state.state_store import StateStore


_CLOCK_SLACK_SECONDS = 1.0  # difference allowed between two readings of the clock

_IS_TOO_FAR_AHEAD = f"""
finished IS NULL AND (
    (status = 'pending' AND due > :now + delay + {_CLOCK_SLACK_SECONDS})
    OR (status <> 'pending' AND expires > :now + delay + {_CLOCK_SLACK_SECONDS})
)
"""
_IS_READY = """
finished IS NULL AND kind IN ({kinds}) AND holder <> :holder AND (
    (status = 'pending' AND due <= :now) OR (status <> 'pending' AND expires <= :now)
)
"""
_SELECT_ANY_CLAIMABLE = "SELECT 1 FROM job WHERE ({ready}) OR ({ahead}) LIMIT 1"
_SHORTEN_WAITS = f"""
UPDATE job SET
    due = CASE WHEN status = 'pending' THEN :now + delay ELSE due END,
    expires = CASE WHEN status <> 'pending' THEN :now + delay ELSE expires END
WHERE {_IS_TOO_FAR_AHEAD}
"""  # noqa: S608 - constants
# Started jobs go first, because upstreams keep their answers for minutes only.
_CLAIM_NEXT_JOB = f"""
UPDATE job SET
    status = CASE WHEN status = 'pending' THEN 'running' ELSE status END,
    started = COALESCE(started, :now), holder = :holder, fence = fence + 1,
    expires = :now + :term, delay = :term, attempts = attempts + 1
WHERE id = (
    SELECT id FROM job WHERE {{ready}} AND (
        SELECT COUNT(*) FROM job AS other
        WHERE other.owner = job.owner AND other.finished IS NULL AND other.holder <> ''
            AND other.expires > :now
    ) < :per_owner
    ORDER BY CASE WHEN fence > 0 THEN 0 ELSE 1 END, priority DESC, created, id LIMIT 1
)
RETURNING {CLAIM_COLUMNS}
"""  # noqa: S608 - constants
_RENEW_LEASE = (
    f"UPDATE job SET expires = :now + :term, delay = :term WHERE {IS_HELD_BY_US} RETURNING cancel"  # noqa: S608 - constants
)
_RELEASE_JOB = (
    f"UPDATE job SET holder = '', expires = 0, attempts = attempts - :spared WHERE {IS_HELD_BY_US}"  # noqa: S608 - constants
)
_POSTPONE_JOB = f"""
UPDATE job SET status = 'pending', holder = '', expires = 0, due = :now + :delay, delay = :delay
WHERE {IS_HELD_BY_US}
"""  # noqa: S608 - constants


class SqlJobQueue(HeldJobQueue):
    def __init__(
        self,
        database: SqlDatabase,
        vault: KeyVault,
        ledger: SqlLedgerStore,
        *,
        holder: str,
        lease_seconds: float,
        per_owner: int,
        clock: Callable[[], float],
    ) -> None:
        super().__init__(database, vault, ledger, holder=holder, clock=clock)
        self._term = lease_seconds
        self._per_owner = per_owner

    async def claim_job(self, kinds: Collection[str]) -> HeldJob | None:
        """Take the lease of the next job that can run; None if there is none."""
        if not kinds:
            return None
        names, params = self._build_claim_params(kinds)
        ready = _IS_READY.format(kinds=names)
        search = _SELECT_ANY_CLAIMABLE.format(ready=ready, ahead=_IS_TOO_FAR_AHEAD)
        if not await self._database.select_rows(search, params):
            return None
        outcomes = await self._database.execute_batch(
            [
                SqlStatement(sql=_SHORTEN_WAITS, params=params),
                SqlStatement(sql=_CLAIM_NEXT_JOB.format(ready=ready), params=params),
            ]
        )
        found = outcomes[-1].rows
        return await self.read_claimed_row(found[0]) if found else None

    async def renew_leases(self, held: Sequence[HeldJob]) -> dict[str, tuple[int, bool]]:
        """Renew leases; returns the jobs still held, as `list_held_jobs` does."""
        batch = [
            SqlStatement(sql=_RENEW_LEASE, params=self.build_held_params(job, term=self._term))
            for job in held
        ]
        outcomes = await self._database.execute_batch(batch) if batch else ()
        return {
            job.job.id: (job.fence, bool(outcome.rows[0][0]))
            for job, outcome in zip(held, outcomes, strict=True)
            if outcome.rows
        }

    async def postpone_job(self, held: HeldJob, *, seconds: float) -> None:
        await self.change_held_job(_POSTPONE_JOB, held, delay=float(seconds))

    def _build_claim_params(self, kinds: Collection[str]) -> tuple[str, dict[str, SqlScalar]]:
        named: dict[str, SqlScalar] = {
            f"kind_{place}": kind for place, kind in enumerate(sorted(kinds))
        }
        params = named | {
            "holder": self._holder,
            "now": self._clock(),
            "term": self._term,
            "per_owner": self._per_owner,
        }
        return ", ".join(f":{name}" for name in named), params


class JobRunner(JobEngine):
    """Claims jobs from the queue and runs several of them at the same time."""

    _queue: SqlJobQueue

    def __init__(self, setup: EngineSetup) -> None:
        state, timing = setup.state, setup.timing
        queue = SqlJobQueue(
            *(state.database, state.vault, state.ledger),
            holder=setup.new_id(),
            lease_seconds=timing.lease_seconds,
            per_owner=setup.per_owner,
            clock=setup.clock,
        )
        super().__init__(
            setup, queue, idle_interval=timing.idle_interval, turn_interval=timing.lease_seconds / 3
        )
        # Jobs that we still hold but no longer run; true if they were stopped in good order.
        self._abandoned: list[tuple[HeldJob, bool]] = []
        self._leases_renewed_at = 0.0

    async def build_queueing(
        self,
        job_id: str,  # noqa: ARG002 - of the interface
        providers: Collection[str],  # noqa: ARG002 - of the interface
    ) -> tuple[SqlStatement, ...]:
        """Nothing: a job that is not held is in the queue."""
        return ()

    def build_first_claim(self, job_id: str, *, seconds: float) -> SqlStatement:
        lease = max(self._timing.lease_seconds, seconds)
        return super().build_first_claim(job_id, seconds=lease)

    async def run_turn(self) -> None:
        """Release, renew and cancel jobs once, then claim jobs up to the limit."""
        await self._release_jobs()
        if self._running_jobs:
            await self._renew_leases()
        while len(self._running_jobs) < self._setup.at_once and not self._stopped.is_set():
            held = await self._queue.claim_job(self._setup.workflows)
            if held is None:
                return
            self._start_run(held)

    async def _renew_leases(self) -> None:
        runs = list(self._running_jobs.values())
        if self._monotonic() - self._leases_renewed_at >= self._timing.lease_seconds / 3:
            seen = await self._queue.renew_leases([run.held for run in runs])
            self._leases_renewed_at = self._monotonic()
        else:
            seen = await self._queue.list_held_jobs()
        self._end_lost_runs(runs, seen)

    def _start_run(
        self, held: HeldJob, perform: PerformStep = perform_directly
    ) -> asyncio.Task[RunEnding | None]:
        if not self._running_jobs:
            self._leases_renewed_at = self._monotonic()
        task = super()._start_run(held, perform)
        task.add_done_callback(lambda done: self._abandon_run(held, done))
        return task

    def _abandon_run(self, held: HeldJob, done: asyncio.Task[RunEnding | None]) -> None:
        ending = read_run_ending(done)
        if ending is not None:
            # If another worker holds the job by now, releasing it does nothing.
            self._abandoned.append((held, ending.is_spared))
        self.wake_loop()

    async def _release_jobs(self) -> None:
        while self._abandoned:
            held, orderly = self._abandoned[-1]
            # If stopped in good order, the claim does not count as an attempt.
            await self._queue.change_held_job(_RELEASE_JOB, held, spared=int(orderly))
            self._abandoned.pop()


logger = logging.getLogger(__name__)
_NO_POLL_SECONDS = 3600.0  # the engine looks at intervals by itself
_SWEEP_LEASE_KEY = "jobs/sweep"


class JobService:
    """No job runs before `start_runner`; queuing and reading jobs works without it."""

    def __init__(
        self,
        state: StateStore,
        workflows: Mapping[str, WorkflowFunction],
        *,
        at_once: int = 4,
        per_owner: int = 4,
        rates: Mapping[str, int] | None = None,
        retention: float | None = None,
        timing: EngineTiming | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._state = state
        self.store = state.jobs  # what is stored of jobs, for reading
        self._workflows = workflows
        self._retention = retention
        self._runs_jobs = at_once > 0
        self._timing = timing or EngineTiming()
        self._monotonic = monotonic
        self._new_id = new_id
        self._sweeper: asyncio.Task[None] | None = None
        self._cancel_watcher: asyncio.Task[None] | None = None
        setup = EngineSetup(
            state=state,
            workflows=workflows,
            at_once=at_once,
            per_owner=per_owner,
            rates=rates or {},
            timing=self._timing,
            clock=clock,
            monotonic=monotonic,
            pause=pause,
            new_id=new_id,
            notify=self._notify_waiters,
        )
        self.runner: JobEngine = build_job_engine(setup)

    async def dispatch_job(self, owner: str, order: JobOrder) -> JobView:
        """Queue a job; it is durable once this returns.

        Raises InsufficientBalance, ThreadBusy or ThreadNotFound, and then nothing was stored.
        """
        if order.kind not in self._workflows:
            raise InvalidInput(f"There is no job kind {order.kind!r}.")
        job_id = self._new_id()
        placement = await self.runner.build_queueing(job_id, order.providers)
        view = await self.store.create_job(owner, job_id, order, placement=placement)
        self.runner.wake_loop()
        return view

    async def run_job_now(
        self, owner: str, job_id: str, order: JobOrder, *, lease_seconds: float
    ) -> JobView:
        """Create a job and start it here at once, outside the queue and its limits.

        Nobody else runs it before `lease_seconds` have passed, also if this process is not running
        its loop. Raises like `dispatch_job`.
        """
        claim = self.runner.build_first_claim(job_id, seconds=lease_seconds)
        view = await self.store.create_job(owner, job_id, order, placement=[claim])
        await self.runner.run_new_job(view.job)
        return view

    async def wait_for_news(
        self, owner: str, job_id: str, *, since: int = 0, seconds: float = 0.0
    ) -> JobView:
        """The job as soon as its `seq` exceeds `since`, it has ended, or its worker is lost or replaced.

        At most `seconds` later.
        """
        end = self._monotonic() + seconds
        watching = self._state.notices.watch(
            JOB_TOPIC, job_id, poll_seconds=self._timing.wait_interval
        )
        async with watching as watch:
            view = first = await self.store.require_job_view(owner, job_id)
            while view.seq <= since and not view.status.is_final:
                left = end - self._monotonic()
                # The loss of a worker is no event of its job, because nobody is there to record it.
                if left <= 0 or view.is_worker_lost != first.is_worker_lost:
                    break
                await watch.wait(left)
                view = await self.store.require_job_view(owner, job_id)
            return view

    async def cancel_job(self, owner: str, job_id: str) -> JobView:
        """Request cancellation, also of upstream calls; a job that has ended does not change."""
        view = await self.store.request_cancellation(owner, job_id)
        self.runner.end_cancelled_job(job_id)
        self.runner.wake_loop()
        self._notify_waiters(job_id)
        return view

    async def reconcile_call(
        self, owner: str, job_id: str, key: str, outcome: ReconciledCall
    ) -> JobView:
        """Store the real outcome of an uncertain call."""
        view = await self.store.reconcile_step(owner, job_id, key, outcome)
        self._notify_waiters(job_id)
        return view

    async def sweep_old_jobs(self) -> int:
        """Delete jobs that ended before the retention time; returns how many.

        Of several processes on one store, only the one that gets the lease deletes.
        """
        if self._retention is None:
            return 0
        if not await self._state.leases.take_lease(
            _SWEEP_LEASE_KEY, seconds=self._timing.sweep_interval
        ):
            return 0
        return await self.store.delete_old_jobs(older_than=self._retention)

    def start_runner(self) -> None:
        """Start running jobs in this process, abandoned ones first, unless it may run none."""
        if self._runs_jobs:
            self.runner.start_loop()
            if self._cancel_watcher is None:
                self._cancel_watcher = asyncio.create_task(self._watch_cancellations())
        if self._retention is not None and self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep_forever())

    async def stop_runner(self, *, grace_seconds: float | None = None) -> None:
        """Stop running jobs so that another process can continue them at once."""
        tasks = {task for task in (self._sweeper, self._cancel_watcher) if task is not None}
        self._sweeper = self._cancel_watcher = None
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self.runner.stop_loop(
            grace_seconds=self._timing.call_grace_seconds
            if grace_seconds is None
            else grace_seconds
        )

    async def _watch_cancellations(self) -> None:
        """Have the engine look at its jobs as soon as another process asks for one to be cancelled."""
        notices = self._state.notices
        async with notices.watch(JOB_CANCEL_TOPIC, poll_seconds=_NO_POLL_SECONDS) as watch:
            while True:
                if await watch.wait(_NO_POLL_SECONDS):
                    self.runner.wake_loop()

    async def _sweep_forever(self) -> None:
        while True:
            try:
                await self.sweep_old_jobs()
            except CitewellError as error:  # tried again after the interval
                logger.warning("Old jobs could not be deleted: %s", error)
            await asyncio.sleep(self._timing.sweep_interval)

    def _notify_waiters(self, job_id: str) -> None:
        """Wake who waits in this process; the database tells other processes."""
        self._state.notices.notify_here(JOB_TOPIC, job_id)


# Chooses the engine that runs the jobs of a store.


def build_job_engine(setup: EngineSetup) -> JobEngine:
    """DBOS for a PostgreSQL store, the embedded engine for a file."""
    if setup.state.database.dialect.name == "postgres":
        # Loaded only here, so that a server with a file does without it.
        from citewell.jobs.dbos_engine import DbosEngine

        return DbosEngine(setup)
    return JobRunner(setup)
