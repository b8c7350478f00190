"""The engine for a PostgreSQL store: DBOS has the queue and starts runs, on any number of machines.

What a job records, what it pays and whether it may still write are decided in our own tables.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from citewell import __version__
from citewell.core.errors import CitewellError, Misconfigured
from citewell.jobs.dbos_host import PARKED, DbosHost, HostOptions, check_installed
from citewell.jobs.dbos_queue import SqlWorkflowQueue, StepChannel
from citewell.jobs.job_engine import EngineSetup, JobEngine, read_run_ending
from citewell.jobs.run_record import RunEnding, compute_backoff_delay
from citewell.store.sql.database import POSTGRES_DIALECT, SqlDatabase, SqlScalar, SqlStatement
from citewell.store.sql.postgres_database import PostgresDatabase
from citewell.store.sql.postgres_listener import require_sessions

if TYPE_CHECKING:
    from citewell.store.sql.postgres_pool import PoolConnection

REAPER_LOCK_ID = 0x72656170

_NOW = POSTGRES_DIALECT.now_expression
_RECORD_BEAT = f"""
INSERT INTO worker_heartbeats (executor, host, version, started, beat, silence)
VALUES (:executor, :host, :version, {_NOW}, {_NOW}, :silence)
ON CONFLICT (executor) DO UPDATE SET beat = {_NOW}
"""  # noqa: S608 - constants
_IS_SILENT = f"beat < {_NOW} - silence"
_SELECT_SILENT = f"SELECT executor FROM worker_heartbeats WHERE {_IS_SILENT}"  # noqa: S608 - constants
_SELECT_WORKERS = "SELECT executor FROM worker_heartbeats"
_DELETE_WORKER = "DELETE FROM worker_heartbeats WHERE executor = :executor"
# The status of a job tells since when its worker is silent, until another one has claimed it.
_DELETE_IDLE_WORKERS = f"""
DELETE FROM worker_heartbeats WHERE {_IS_SILENT} AND NOT EXISTS (
    SELECT 1 FROM job WHERE job.holder = worker_heartbeats.executor AND job.finished IS NULL
)
"""  # noqa: S608 - constants

_KEPT_HOURS = 1  # for which DBOS keeps a run that has ended; it holds nothing of its owner

logger = logging.getLogger(__name__)
_MIN_LOCK_SECONDS = 5.0  # a turn takes far less
# Before a job of a kind that this release lacks is offered again
_UNKNOWN_KIND_DELAY_SECONDS = 60.0


def name_worker(new_id: Callable[[], str]) -> WorkerName:
    """A name that no other process has, even one of the same host name and process id."""
    host = socket.gethostname()
    return WorkerName(
        executor=f"{host}-{os.getpid()}-{new_id()[:12]}", host=host, version=__version__
    )


class DbosEngine(JobEngine):
    """Runs the jobs that DBOS starts in this process."""

    _queue: SqlWorkflowQueue

    def __init__(self, setup: EngineSetup) -> None:
        state, timing = setup.state, setup.timing
        assert isinstance(state.database, PostgresDatabase)  # noqa: S101 - the only one of its dialect
        self._worker = name_worker(setup.new_id)
        queue = SqlWorkflowQueue(
            *(state.database, state.vault, state.ledger),
            holder=self._worker.executor,
            clock=setup.clock,
        )
        super().__init__(
            setup, queue, idle_interval=timing.beat_interval, turn_interval=timing.beat_interval
        )
        self._url = state.database.direct_url
        self._heartbeats = SqlWorkerHeartbeats(state.database)
        self._reaper_lock = LeaderLock(
            state.database, REAPER_LOCK_ID, seconds=max(_MIN_LOCK_SECONDS, timing.heartbeat_seconds)
        )
        self._slots = asyncio.Semaphore(setup.at_once)  # DBOS counts for each queue by itself
        self._host: DbosHost | None = None
        self._reaper: JobReaper | None = None
        self._beat_at = 0.0

    async def build_queueing(
        self, job_id: str, providers: Collection[str]
    ) -> Sequence[SqlStatement]:
        return await self._queue.build_queueing(job_id, providers)

    async def run_turn(self) -> None:
        """Send a heartbeat, look for dead workers, and end the runs that others took or cancelled."""
        if self._reaper is not None and self._monotonic() >= self._beat_at:
            self._beat_at = self._monotonic() + self._timing.beat_interval
            await self._record_own_beat()
            await self._reaper_lock.run_as_leader(self._reaper.take_over)
        if self._running_jobs:
            runs = list(self._running_jobs.values())
            self._end_lost_runs(runs, await self._queue.list_held_jobs())

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
                if held.job.kind not in self._setup.workflows:
                    await self._queue.postpone_job(held, seconds=_UNKNOWN_KIND_DELAY_SECONDS)
                    return "postponed"
                task = self._start_run(held, channel.perform_step)
                await asyncio.wait({task})
                ending = read_run_ending(task)
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

    async def _run_loop(self) -> None:
        host = await self._launch_host()
        if host is not None:
            self._host = host
            self._reaper = JobReaper(host, self._queue, self._heartbeats, self._setup)
            await super()._run_loop()

    async def _launch_host(self) -> DbosHost | None:
        """DBOS, started once the database answers; None if it cannot be started at all."""
        options = HostOptions(
            url=self._url,
            executor=self._worker.executor,
            worker_concurrency=self._setup.at_once,
            owner_concurrency=self._setup.per_owner,
            poll_seconds=self._timing.queue_interval,
            rates=self._setup.rates,
        )
        host = DbosHost(options, asyncio.get_running_loop(), self.run_workflow)
        try:
            check_installed()
        except Misconfigured as error:
            logger.warning("Research jobs wait for a worker. %s", error.message)
            return None
        is_warned = False
        while not self._stopped.is_set():
            try:
                await require_sessions(options.url)
                await self._record_own_beat()
                await self._resume_left_runs(host)
                await asyncio.to_thread(host.launch)
                await self._queue.replace_rates(self._setup.rates)
            except CitewellError as error:
                if not is_warned:
                    logger.warning("Research jobs cannot be run yet: %s", error.message)
                is_warned = True
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

    async def _release_jobs(self) -> None:
        host, self._host = self._host, None
        if host is not None:
            await asyncio.to_thread(host.destroy)
            await asyncio.to_thread(host.resume_left_runs, [self._worker.executor])
            await self._heartbeats.remove_worker(self._worker.executor)


# Gives the jobs of dead workers, and jobs that DBOS does not have, back to the queue.


class JobReaper:
    def __init__(
        self,
        host: DbosHost,
        queue: SqlWorkflowQueue,
        heartbeats: SqlWorkerHeartbeats,
        setup: EngineSetup,
    ) -> None:
        self._host = host
        self._queue = queue
        self._heartbeats = heartbeats
        self._setup = setup
        self._checked_at = float("-inf")
        self._stale: set[str] = set()  # runs without a job, when they were last compared

    async def take_over(self) -> None:
        """Look once; the caller holds the lock."""
        silent = await self._heartbeats.list_silent_workers()
        if silent:
            running = await asyncio.to_thread(self._host.list_running_runs, silent)
            await asyncio.to_thread(self._host.resume_runs, running)
            await self._heartbeats.remove_silent_workers()
        if self._setup.monotonic() - self._checked_at >= self._setup.timing.check_interval:
            await self._check_queued_runs()
            before = datetime.now(UTC) - timedelta(hours=_KEPT_HOURS)
            await asyncio.to_thread(self._host.delete_old_runs, before=before.isoformat())
        await self._queue.adopt_jobs()

    async def _check_queued_runs(self) -> None:
        """Find jobs that should be in the queue of DBOS and are not, as after a restored backup."""
        runs = await self._queue.list_queued_runs()
        names = {run.workflow_id for run in runs}
        live = await asyncio.to_thread(self._host.list_live_runs, names) if names else set()
        await self._queue.drop_runs([run for run in runs if run.workflow_id not in live])
        await self._clear_stale_runs(names)
        self._checked_at = self._setup.monotonic()

    async def _clear_stale_runs(self, names: set[str]) -> None:
        """Start runs again whose worker is unknown, or that DBOS could not end.

        The latter find their job ended and end too; until then each takes the place of a job of
        its owner. A run that has only just ended is left alone.
        """
        running = await asyncio.to_thread(self._host.list_running_runs)
        # Also those that are taken for dead.
        workers = await self._setup.state.database.select_rows(_SELECT_WORKERS)
        known = {executor for (executor,) in workers}
        ownerless = {name for name, executor in running.items() if executor not in known}
        stale, self._stale = self._stale, running.keys() - names
        await asyncio.to_thread(self._host.resume_runs, ownerless | (stale & self._stale))


# Which workers of a PostgreSQL store are alive, by the clock of the database alone.


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerName:
    """One process that runs jobs; its id is never used again."""

    executor: str
    host: str
    version: str


class SqlWorkerHeartbeats:
    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    async def record_beat(self, worker: WorkerName, *, silence_seconds: float) -> None:
        """Tell that the worker is alive; without a further beat for so long it is taken for dead."""
        params: dict[str, SqlScalar] = {
            "executor": worker.executor,
            "host": worker.host,
            "version": worker.version,
            "silence": float(silence_seconds),
        }
        await self._database.execute_batch([SqlStatement(sql=_RECORD_BEAT, params=params)])

    async def list_silent_workers(self) -> list[str]:
        """The executor ids of workers that are taken for dead."""
        found = await self._database.select_rows(_SELECT_SILENT)
        return [executor for (executor,) in found]

    async def remove_worker(self, executor: str) -> None:
        await self._database.execute_batch(
            [SqlStatement(sql=_DELETE_WORKER, params={"executor": executor})]
        )

    async def remove_silent_workers(self) -> None:
        """Remove the dead workers whose jobs others have claimed."""
        await self._database.execute_batch([SqlStatement(sql=_DELETE_IDLE_WORKERS)])


# Lets one process of all that share a PostgreSQL store do something at a time.


class LeaderLock:
    """An advisory lock that lasts for one transaction, so it also works behind a pooler.

    If its holder freezes, the server ends the transaction after `seconds`.
    """

    def __init__(self, database: PostgresDatabase, lock_id: int, *, seconds: float) -> None:
        self._database = database
        self._lock_id = lock_id
        self._timeout = f"SET LOCAL idle_in_transaction_session_timeout = {int(seconds * 1000)}"

    async def run_as_leader(self, work: Callable[[], Awaitable[None]]) -> bool:
        """Do the work if no other process does so now; returns whether it was done."""

        async def run_locked(link: PoolConnection) -> bool:
            await link.execute(self._timeout)
            if not await link.fetchval("SELECT pg_try_advisory_xact_lock($1)", self._lock_id):
                return False
            await work()
            return True

        return await self._database.run_in_transaction(run_locked)
