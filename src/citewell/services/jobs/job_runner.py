"""The embedded engine, for a SQLite file: claims jobs, renews their leases and runs them here."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from citewell.errors import CitewellError
from citewell.model.durable_job import Job
from citewell.services.jobs.engine_timing import EngineTiming
from citewell.services.jobs.job_execution import JobExecution, WorkflowFunction
from citewell.services.jobs.run_record import PerformStep, RunEnding, RunRecord, perform_directly
from citewell.store.jobs.held_jobs import HeldJob
from citewell.store.jobs.job_queue import SqlJobQueue
from citewell.store.sql.database import SqlStatement

logger = logging.getLogger(__name__)
_WRITE_GRACE_SECONDS = 5.0  # seconds after the grace time of calls, for the last writes


@dataclass(frozen=True, slots=True, kw_only=True)
class _RunningJob:
    claimed: HeldJob
    run_record: RunRecord
    task: asyncio.Task[None]


class JobRunner:
    """Claims jobs from the queue and runs several of them at the same time."""

    def __init__(
        self,
        queue: SqlJobQueue,
        build_run_record: Callable[[HeldJob, PerformStep], RunRecord],
        workflows: Mapping[str, WorkflowFunction],
        *,
        max_concurrent: int,
        timing: EngineTiming,
        monotonic: Callable[[], float],
    ) -> None:
        self._queue = queue
        self._build_run_record = build_run_record
        self._workflows = workflows
        self._execution = JobExecution(queue, workflows, timing=timing)
        self._max_concurrent = max_concurrent
        self._timing = timing
        self._monotonic = monotonic
        self._running_jobs: dict[tuple[str, int], _RunningJob] = {}
        # Jobs that we still hold but no longer run; true if they were stopped in good order.
        self._abandoned: list[tuple[HeldJob, bool]] = []
        self._leases_renewed_at = 0.0
        self._wake_event = asyncio.Event()
        self._stopping = False
        self._loop: asyncio.Task[None] | None = None

    @property
    def running_count(self) -> int:
        return len(self._running_jobs)

    def start_loop(self) -> None:
        if self._loop is None:
            self._stopping = False
            self._loop = asyncio.create_task(self._run_loop())

    def wake_loop(self) -> None:
        """Have the loop look at the queue now."""
        self._wake_event.set()

    async def build_queueing(
        self,
        job_id: str,  # noqa: ARG002 - of the interface
        providers: Collection[str],  # noqa: ARG002 - of the interface
    ) -> Sequence[SqlStatement]:
        """Nothing: a job that is not held is in the queue."""
        return ()

    def build_first_claim(self, job_id: str, *, seconds: float) -> SqlStatement:
        lease = max(self._timing.lease_seconds, seconds)
        return self._queue.build_first_claim(job_id, seconds=lease)

    async def run_new_job(self, job: Job) -> None:
        self._start_claimed_job(await self._queue.load_first_claim(job))

    def end_cancelled_job(self, job: str) -> None:
        """End the job if it runs here; the cancellation is stored already."""
        for play in self._running_jobs.values():
            if play.claimed.job.id == job:
                play.run_record.end_run(RunEnding.CANCEL)

    async def stop_loop(self, *, grace_seconds: float) -> None:
        """Stop claiming, stop every job so that another process can continue it, and end the loop."""
        self._stopping = True
        self.wake_loop()
        if self._loop is not None:
            await self._loop
            self._loop = None
        for play in self._running_jobs.values():
            play.run_record.end_run(RunEnding.STOP)
        tasks = {play.task for play in self._running_jobs.values()}
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=grace_seconds + _WRITE_GRACE_SECONDS)
            for play in list(self._running_jobs.values()):
                play.run_record.end_run(RunEnding.BROKEN)
            for task in late:
                task.cancel()
            await asyncio.wait(tasks)
        with contextlib.suppress(CitewellError):  # their leases expire by themselves
            await self._release_abandoned()

    async def run_turn(self) -> None:
        """Release, renew and cancel jobs once, then claim jobs up to the limit."""
        await self._release_abandoned()
        if self._running_jobs:
            await self._renew_leases()
        while len(self._running_jobs) < self._max_concurrent and not self._stopping:
            held = await self._queue.claim_job(self._workflows)
            if held is None:
                return
            self._start_claimed_job(held)

    async def _run_loop(self) -> None:
        while not self._stopping:
            self._wake_event.clear()
            turn = asyncio.create_task(self.run_turn())
            await asyncio.wait({turn})
            error = turn.exception()
            if isinstance(error, CitewellError):
                logger.warning("Jobs could not be claimed or renewed: %s", error.message)
            elif error is not None:
                logger.error("The job loop raised an unexpected error.", exc_info=error)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake_event.wait(), self._choose_interval())

    def _choose_interval(self) -> float:
        if not self._running_jobs:
            return self._timing.idle_interval
        return min(self._timing.watch_interval, self._timing.lease_seconds / 3)

    async def _renew_leases(self) -> None:
        plays = list(self._running_jobs.values())
        if self._monotonic() - self._leases_renewed_at >= self._timing.lease_seconds / 3:
            cancelled = await self._queue.renew_leases([play.claimed for play in plays])
            self._leases_renewed_at = self._monotonic()
        else:
            seen = await self._queue.list_held_jobs()
            cancelled = {
                play.claimed.job.id: seen[play.claimed.job.id][1]
                for play in plays
                if seen.get(play.claimed.job.id, (0, False))[0] == play.claimed.fence
            }
        for play in plays:
            if play.task.done():
                continue
            if play.claimed.job.id not in cancelled:
                play.run_record.end_run(RunEnding.LOST)
            elif cancelled[play.claimed.job.id]:
                play.run_record.end_run(RunEnding.CANCEL)

    def _start_claimed_job(self, held: HeldJob) -> None:
        desk = self._build_run_record(held, perform_directly)
        if not self._running_jobs:
            self._leases_renewed_at = self._monotonic()
        task = asyncio.create_task(self._run_claimed_job(held, desk))
        self._running_jobs[_build_run_key(held)] = _RunningJob(
            claimed=held, run_record=desk, task=task
        )
        task.add_done_callback(lambda done: self._remove_ended_job(held, done))

    def _remove_ended_job(self, held: HeldJob, done: asyncio.Task[None]) -> None:
        del self._running_jobs[_build_run_key(held)]
        if done.cancelled():
            self._abandoned.append((held, False))
        elif (error := done.exception()) is not None:
            logger.error("A job stopped because of an unexpected error.", exc_info=error)
            self._abandoned.append((held, False))
        self.wake_loop()

    async def _run_claimed_job(self, held: HeldJob, desk: RunRecord) -> None:
        ending = await self._execution.run_job(held, desk)
        if ending is not None:
            # If another worker holds the job by now, releasing it does nothing.
            self._abandoned.append((held, ending.is_spared))

    async def _release_abandoned(self) -> None:
        while self._abandoned:
            held, orderly = self._abandoned[-1]
            await self._queue.release_job(held, orderly=orderly)
            self._abandoned.pop()


def _build_run_key(held: HeldJob) -> tuple[str, int]:
    return held.job.id, held.fence
