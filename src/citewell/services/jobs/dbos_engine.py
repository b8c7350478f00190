"""The engine for a PostgreSQL store: DBOS has the queue and starts runs, on any number of machines.

What a job records, what it pays and whether it may still write are decided in our own tables.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from citewell import __version__
from citewell.errors import CitewellError, Misconfigured
from citewell.model.durable_job import Job
from citewell.services.jobs.dbos_host import PARKED, DbosHost, HostOptions, check_installed
from citewell.services.jobs.engine_timing import EngineTiming, compute_backoff_delay
from citewell.services.jobs.job_execution import JobExecution, WorkflowFunction
from citewell.services.jobs.job_reaper import JobReaper
from citewell.services.jobs.run_record import PerformStep, RunEnding, RunRecord, perform_directly
from citewell.services.jobs.step_channel import StepChannel
from citewell.store.coordination.leader_lock import REAPER_LOCK_ID, LeaderLock
from citewell.store.jobs.held_jobs import HeldJob
from citewell.store.jobs.worker_heartbeats import SqlWorkerHeartbeats, WorkerName
from citewell.store.jobs.workflow_queue import SqlWorkflowQueue
from citewell.store.sql.database import SqlStatement
from citewell.store.sql.postgres_database import PostgresDatabase
from citewell.store.sql.postgres_listener import require_sessions

logger = logging.getLogger(__name__)
_WRITE_GRACE_SECONDS = 5.0  # seconds after the grace time of calls, for the last writes
_MIN_LOCK_SECONDS = 5.0  # a turn takes far less
_UNKNOWN_KIND_DELAY_SECONDS = (
    60.0  # before a job of a kind that this release lacks is offered again
)

BuildRunRecord = Callable[[HeldJob, PerformStep], RunRecord]


@dataclass(frozen=True, slots=True, kw_only=True)
class _RunningJob:
    held: HeldJob
    run_record: RunRecord
    task: asyncio.Task[RunEnding | None]


def name_worker(new_id: Callable[[], str]) -> WorkerName:
    """A name that no other process has, even one of the same host name and process id."""
    host = socket.gethostname()
    return WorkerName(
        executor=f"{host}-{os.getpid()}-{new_id()[:12]}", host=host, version=__version__
    )


class DbosEngine:
    """Runs the jobs that DBOS starts in this process; see JobEngine."""

    def __init__(
        self,
        database: PostgresDatabase,
        queue: SqlWorkflowQueue,
        build_run_record: BuildRunRecord,
        workflows: Mapping[str, WorkflowFunction],
        *,
        worker: WorkerName,
        max_concurrent: int,
        per_owner: int,
        rates: Mapping[str, int],
        timing: EngineTiming,
        monotonic: Callable[[], float],
    ) -> None:
        self._database = database
        self._queue = queue
        self._build_run_record = build_run_record
        self._workflows = workflows
        self._execution = JobExecution(queue, workflows, timing=timing)
        self._heartbeats = SqlWorkerHeartbeats(database)
        self._worker = worker
        self._max_concurrent = max_concurrent
        self._per_owner = per_owner
        self._rates = rates
        self._slots = asyncio.Semaphore(max_concurrent)  # DBOS counts for each queue by itself
        self._reaper_lock = LeaderLock(
            database,
            REAPER_LOCK_ID,
            seconds=max(_MIN_LOCK_SECONDS, timing.heartbeat_seconds),
        )
        self._timing = timing
        self._monotonic = monotonic
        self._running_jobs: dict[tuple[str, int], _RunningJob] = {}
        self._wake_event = asyncio.Event()
        self._stopped = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None
        self._host: DbosHost | None = None

    @property
    def running_count(self) -> int:
        return len(self._running_jobs)

    async def build_queueing(
        self, job_id: str, providers: Collection[str]
    ) -> Sequence[SqlStatement]:
        return await self._queue.build_queueing(job_id, providers)

    def build_first_claim(self, job_id: str, *, seconds: float) -> SqlStatement:
        return self._queue.build_first_claim(job_id, seconds=seconds)

    async def run_new_job(self, job: Job) -> None:
        self._start_run(await self._queue.load_first_claim(job), perform_directly)

    def start_loop(self) -> None:
        if self._loop is None:
            self._stopped.clear()
            self._loop = asyncio.create_task(self._run_engine_loop())

    def wake_loop(self) -> None:
        self._wake_event.set()

    def end_cancelled_job(self, job: str) -> None:
        for play in self._running_jobs.values():
            if play.held.job.id == job:
                play.run_record.end_run(RunEnding.CANCEL)

    async def stop_loop(self, *, grace_seconds: float) -> None:
        self._stopped.set()
        self.wake_loop()
        if self._loop is not None:
            await self._loop
            self._loop = None
        await self._stop_runs(grace_seconds)
        host, self._host = self._host, None
        if host is not None:
            await asyncio.to_thread(host.destroy)
            with contextlib.suppress(CitewellError):  # the reaper finds us silent
                await self._leave_store(host)

    async def run_workflow(self, job_id: str, run: int, channel: StepChannel) -> str:
        """Run a job that DBOS has started, and return how that ended."""
        async with self._slots:
            return await self._run_until_ended(job_id, run, channel)

    async def _run_until_ended(self, job_id: str, run: int, channel: StepChannel) -> str:
        stalls = 0
        while not self._stopped.is_set():
            delay = self._timing.write_retry_delays[-1]
            try:
                held = await self._queue.claim_run(job_id, run)
                if held is None:
                    return "obsolete"
                if held.job.kind not in self._workflows:
                    await self._queue.postpone_job(held, seconds=_UNKNOWN_KIND_DELAY_SECONDS)
                    return "postponed"
                ending = await self._finish_run(self._start_run(held, channel.perform_step))
                if ending is RunEnding.STALLED:
                    # What it did not store it does again, so that it asks others less and less often.
                    delay = compute_backoff_delay(delay, self._timing.max_retry_delay, stalls)
                    stalls += 1
                if ending is not None and ending.is_spared:
                    await self._queue.release_run(held)
                elif ending is not RunEnding.BROKEN:
                    return ending or "finished"
            except CitewellError as error:
                logger.warning("A job could not be run and is tried again: %s", error.message)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), delay)
        return PARKED

    async def _finish_run(self, task: asyncio.Task[RunEnding | None]) -> RunEnding | None:
        """How the run ended; BROKEN if it failed by itself, and must be tried again."""
        await asyncio.wait({task})
        if task.cancelled():
            return RunEnding.BROKEN
        error = task.exception()
        if error is None:
            return task.result()
        logger.error("A job stopped because of an unexpected error.", exc_info=error)
        return RunEnding.BROKEN

    def _start_run(self, held: HeldJob, perform: PerformStep) -> asyncio.Task[RunEnding | None]:
        desk = self._build_run_record(held, perform)
        task = asyncio.create_task(self._execution.run_job(held, desk))
        key = held.job.id, held.fence
        self._running_jobs[key] = _RunningJob(held=held, run_record=desk, task=task)
        task.add_done_callback(lambda _: self._running_jobs.pop(key))
        return task

    async def _run_engine_loop(self) -> None:
        host = await self._launch_host()
        if host is None:
            return
        self._host = host
        reaper = JobReaper(
            host,
            self._queue,
            self._heartbeats,
            self._reaper_lock,
            timing=self._timing,
            monotonic=self._monotonic,
        )
        beat_at = self._monotonic()
        while not self._stopped.is_set():
            self._wake_event.clear()
            try:
                if self._monotonic() >= beat_at:
                    beat_at = self._monotonic() + self._timing.beat_interval
                    await self._record_own_beat()
                    await reaper.run_turn()
                await self._watch_runs()
            except CitewellError as error:
                logger.warning("Jobs could not be watched: %s", error.message)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake_event.wait(), self._choose_beat_interval())

    def _choose_beat_interval(self) -> float:
        if not self._running_jobs:
            return self._timing.beat_interval
        return min(self._timing.watch_interval, self._timing.beat_interval)

    async def _launch_host(self) -> DbosHost | None:
        """DBOS, started once the database answers; None if it cannot be started at all."""
        options = HostOptions(
            url=self._database.direct_url,
            executor=self._worker.executor,
            worker_concurrency=self._max_concurrent,
            owner_concurrency=self._per_owner,
            poll_seconds=self._timing.queue_interval,
            rates=self._rates,
        )
        host = DbosHost(options, asyncio.get_running_loop(), self.run_workflow)
        try:
            check_installed()
        except Misconfigured as error:
            logger.warning("Research jobs wait for a worker. %s", error.message)
            return None
        is_told = False
        while not self._stopped.is_set():
            try:
                await require_sessions(options.url)
                await self._record_own_beat()
                await self._resume_left_runs(host)
                await asyncio.to_thread(host.launch)
                await self._queue.replace_rates(self._rates)
            except CitewellError as error:
                if not is_told:
                    logger.warning("Research jobs cannot be run yet: %s", error.message)
                is_told = True
            else:
                return host
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), self._timing.launch_retry_delay)
        return None

    async def _resume_left_runs(self, host: DbosHost) -> None:
        """Put what dead workers have begun back into the queue before it is served, so that it is first.

        Workers that start at the same time leave this to one of them.
        """

        async def resume_runs() -> None:
            if silent := await self._heartbeats.list_silent_workers():
                await asyncio.to_thread(host.resume_left_runs, silent)

        await self._reaper_lock.run_as_leader(resume_runs)

    async def _record_own_beat(self) -> None:
        await self._heartbeats.record_beat(
            self._worker, silence_seconds=self._timing.silence_seconds
        )

    async def _watch_runs(self) -> None:
        """End the runs whose job was cancelled, or that another worker has taken over."""
        if not self._running_jobs:
            return
        plays = list(self._running_jobs.values())
        seen = await self._queue.list_held_jobs()
        for play in plays:
            fence, cancelled = seen.get(play.held.job.id, (0, False))
            if play.task.done():
                continue
            if fence != play.held.fence:
                play.run_record.end_run(RunEnding.LOST)
            elif cancelled:
                play.run_record.end_run(RunEnding.CANCEL)

    async def _stop_runs(self, grace_seconds: float) -> None:
        plays = list(self._running_jobs.values())
        for play in plays:
            play.run_record.end_run(RunEnding.STOP)
        tasks = {play.task for play in plays}
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=grace_seconds + _WRITE_GRACE_SECONDS)
        for play in list(self._running_jobs.values()):
            play.run_record.end_run(RunEnding.BROKEN)
        for task in late:
            task.cancel()
        await asyncio.wait(tasks)

    async def _leave_store(self, host: DbosHost) -> None:
        """Let other workers have what this one ran, at once."""
        await asyncio.to_thread(host.resume_left_runs, [self._worker.executor])
        await self._heartbeats.remove_worker(self._worker.executor)
