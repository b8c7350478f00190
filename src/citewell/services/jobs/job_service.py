"""Queues durable jobs, runs them, and returns their state, events and results."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping

from citewell.errors import CitewellError, InvalidInput
from citewell.model.durable_job import JobEvent, JobOrder, JobView, JsonValue
from citewell.services.jobs.engine_timing import EngineTiming
from citewell.services.jobs.job_runner import JobRunner, WorkflowFunction
from citewell.services.jobs.job_signals import JobSignals
from citewell.services.jobs.run_record import RunRecord
from citewell.store.jobs.job_queue import HeldJob, SqlJobQueue
from citewell.store.jobs.job_record import JobRecord
from citewell.store.jobs.job_store import ReconciledCall
from citewell.store.state_store import StateStore

logger = logging.getLogger(__name__)
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
        self._timing = timing or EngineTiming()
        self._clock = clock
        self._monotonic = monotonic
        self._pause = pause
        self._new_id = new_id
        self._signals = JobSignals()
        self._sweeper: asyncio.Task[None] | None = None
        self._queue = SqlJobQueue(
            state.database,
            state.vault,
            state.ledger,
            holder=new_id(),
            lease_seconds=self._timing.lease_seconds,
            per_owner=per_owner,
            clock=clock,
        )
        self.runner = JobRunner(
            self._queue,
            self._build_run_record,
            workflows,
            max_concurrent=at_once,
            timing=self._timing,
            monotonic=monotonic,
        )

    async def dispatch_job(self, owner: str, order: JobOrder) -> JobView:
        """Queue a job; it is durable once this returns.

        Raises InsufficientBalance, ThreadBusy or ThreadNotFound, and then nothing was stored.
        """
        if order.kind not in self._workflows:
            raise InvalidInput(f"There is no job kind {order.kind!r}.")
        view = await self._state.jobs.create_job(owner, self._new_id(), order)
        self.runner.wake_loop()
        return view

    async def run_job_now(
        self, owner: str, job_id: str, order: JobOrder, *, lease_seconds: float
    ) -> JobView:
        """Create a job and start it here at once, outside the queue and its limits.

        Nobody else runs it before `lease_seconds` have passed, also if this process is not running
        its loop. Raises like `dispatch_job`.
        """
        claim = self._queue.build_first_claim(job_id, seconds=lease_seconds)
        view = await self._state.jobs.create_job(owner, job_id, order, claim=claim)
        self.runner.run_claimed_job(await self._queue.load_first_claim(view.job))
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
        """The job as soon as its `seq` exceeds `since` or it has ended, at most `seconds` later."""
        end = self._monotonic() + seconds
        with self._signals.open_listener(job_id) as bell:
            while True:
                bell.clear()
                view = await self._state.jobs.require_job_view(owner, job_id)
                left = end - self._monotonic()
                if view.seq > since or view.status.is_final or left <= 0:
                    return view
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(bell.wait(), min(left, self._timing.wait_interval))

    async def cancel_job(self, owner: str, job_id: str) -> JobView:
        """Request cancellation, also of upstream calls; a job that has ended does not change."""
        view = await self._state.jobs.request_cancellation(owner, job_id)
        self.runner.end_cancelled_job(job_id)
        self.runner.wake_loop()
        self._signals.notify_waiters(job_id)
        return view

    async def reconcile_call(
        self, owner: str, job_id: str, key: str, outcome: ReconciledCall
    ) -> JobView:
        """Store the real outcome of an uncertain call."""
        view = await self._state.jobs.reconcile_step(owner, job_id, key, outcome)
        self._signals.notify_waiters(job_id)
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
        """Start running jobs in this process, abandoned ones first."""
        self.runner.start_loop()
        if self._retention is not None and self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep_forever())

    async def stop_runner(self, *, grace_seconds: float | None = None) -> None:
        """Stop running jobs so that another process can continue them at once."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.wait({self._sweeper})
            self._sweeper = None
        await self.runner.stop_loop(
            grace_seconds=self._timing.call_grace_seconds
            if grace_seconds is None
            else grace_seconds
        )

    async def _sweep_forever(self) -> None:
        while True:
            try:
                await self.sweep_old_jobs()
            except CitewellError as error:  # tried again after the interval
                logger.warning("Old jobs could not be deleted: %s", error)
            await asyncio.sleep(self._timing.sweep_interval)

    def _build_run_record(self, held: HeldJob) -> RunRecord:
        record = JobRecord(
            self._state.database, self._state.vault, self._state.ledger, held, clock=self._clock
        )
        return RunRecord(
            record,
            timing=self._timing,
            clock=self._clock,
            pause=self._pause,
            notify=self._signals.notify_waiters,
        )
