"""Queues durable jobs, runs them, and returns their state, events and results."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping

from citewell.errors import CitewellError, InvalidInput
from citewell.model.durable_job import JobEvent, JobOrder, JobView, JsonValue
from citewell.services.jobs.engine_choice import build_job_engine
from citewell.services.jobs.engine_timing import EngineTiming
from citewell.services.jobs.job_engine import JobEngine
from citewell.services.jobs.job_execution import WorkflowFunction
from citewell.services.jobs.run_record import PerformStep, RunRecord, perform_directly
from citewell.store.coordination.change_notices import JOB_CANCEL_TOPIC, JOB_TOPIC
from citewell.store.jobs.held_jobs import HeldJob
from citewell.store.jobs.job_record import JobRecord
from citewell.store.jobs.job_store import ReconciledCall
from citewell.store.state_store import StateStore

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
        self._workflows = workflows
        self._retention = retention
        self._runs_jobs = at_once > 0
        self._timing = timing or EngineTiming()
        self._clock = clock
        self._monotonic = monotonic
        self._pause = pause
        self._new_id = new_id
        self._sweeper: asyncio.Task[None] | None = None
        self._cancel_watcher: asyncio.Task[None] | None = None
        self.runner: JobEngine = build_job_engine(
            state,
            self._build_run_record,
            workflows,
            at_once=at_once,
            per_owner=per_owner,
            rates=rates or {},
            timing=self._timing,
            clock=clock,
            monotonic=monotonic,
            new_id=new_id,
        )

    async def dispatch_job(self, owner: str, order: JobOrder) -> JobView:
        """Queue a job; it is durable once this returns.

        Raises InsufficientBalance, ThreadBusy or ThreadNotFound, and then nothing was stored.
        """
        if order.kind not in self._workflows:
            raise InvalidInput(f"There is no job kind {order.kind!r}.")
        job_id = self._new_id()
        placement = await self.runner.build_queueing(job_id, order.providers)
        view = await self._state.jobs.create_job(owner, job_id, order, placement=placement)
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
        view = await self._state.jobs.create_job(owner, job_id, order, placement=[claim])
        await self.runner.run_new_job(view.job)
        return view

    async def load_job_view(self, owner: str, job_id: str) -> JobView:
        return await self._state.jobs.require_job_view(owner, job_id)

    async def load_job_result(self, owner: str, job_id: str) -> JsonValue:
        """What the workflow returned; None while it runs."""
        return await self._state.jobs.look_up_job_result(owner, job_id)

    async def load_step_result(self, owner: str, job_id: str, key: str) -> JsonValue:
        return await self._state.jobs.look_up_step_result(owner, job_id, key)

    async def list_job_events(
        self, owner: str, job_id: str, *, after: int = 0
    ) -> tuple[JobEvent, ...]:
        return await self._state.jobs.list_stored_events(owner, job_id, after=after)

    async def list_jobs(
        self, owner: str, *, limit: int = 20, since: float = 0.0
    ) -> tuple[JobView, ...]:
        """Jobs of the owner created at `since` or later, newest first, without steps."""
        return await self._state.jobs.list_owner_jobs(owner, limit=limit, since=since)

    async def list_thread_jobs(
        self, owner: str, thread: str, *, limit: int = 20
    ) -> tuple[JobView, ...]:
        """Jobs of the thread, newest first, without steps."""
        return await self._state.jobs.list_jobs_of_thread(owner, thread, limit=limit)

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
            view = first = await self._state.jobs.require_job_view(owner, job_id)
            while view.seq <= since and not view.status.is_final:
                left = end - self._monotonic()
                # The loss of a worker is no event of its job, because nobody is there to record it.
                if left <= 0 or view.is_worker_lost != first.is_worker_lost:
                    break
                await watch.wait(left)
                view = await self._state.jobs.require_job_view(owner, job_id)
            return view

    async def cancel_job(self, owner: str, job_id: str) -> JobView:
        """Request cancellation, also of upstream calls; a job that has ended does not change."""
        view = await self._state.jobs.request_cancellation(owner, job_id)
        self.runner.end_cancelled_job(job_id)
        self.runner.wake_loop()
        self._notify_waiters(job_id)
        return view

    async def reconcile_call(
        self, owner: str, job_id: str, key: str, outcome: ReconciledCall
    ) -> JobView:
        """Store the real outcome of an uncertain call."""
        view = await self._state.jobs.reconcile_step(owner, job_id, key, outcome)
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
        return await self._state.jobs.delete_old_jobs(older_than=self._retention)

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

    def _build_run_record(
        self, held: HeldJob, perform: PerformStep = perform_directly
    ) -> RunRecord:
        record = JobRecord(
            self._state.database, self._state.vault, self._state.ledger, held, clock=self._clock
        )
        return RunRecord(
            record,
            timing=self._timing,
            clock=self._clock,
            pause=self._pause,
            notify=self._notify_waiters,
            perform=perform,
        )
