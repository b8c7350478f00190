"""DBOS on a SQLite file as the engine of jobs, as far as a measurement beside the embedded engine needs it.

It is what the engine for PostgreSQL is, with four differences that a file imposes. DBOS has its own
file beside ours, so a job is queued after the transaction that creates it. There is no NOTIFY. Dead
workers are those whose process is gone, which only one machine can tell. Nobody elects a leader.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import psutil

from citewell.core.errors import CitewellError
from citewell.jobs.dbos_engine import DbosEngine, name_worker
from citewell.jobs.dbos_host import DbosHost, HostOptions
from citewell.jobs.dbos_queue import (
    APPLICATION_NAME,
    APPLICATION_VERSION,
    QUEUE_NAME,
    WORKFLOW_NAME,
    build_workflow_id,
)
from citewell.jobs.job_engine import EngineSetup, JobEngine
from citewell.jobs.store.held_jobs import CLAIM_COLUMNS, HeldJob, HeldJobQueue
from citewell.store.sql.database import SqlStatement

_NEVER = 1e15  # seconds since the epoch
_SELECT_UNQUEUED = "SELECT id, run, owner FROM job WHERE finished IS NULL AND due <= :now LIMIT 100"
_MARK_QUEUED = "UPDATE job SET due = :never WHERE id = :id AND run = :run"
_CLAIM_RUN = f"""
UPDATE job SET status = CASE WHEN status = 'pending' THEN 'running' ELSE status END,
    started = COALESCE(started, :now), holder = :holder, fence = fence + 1, expires = :never,
    delay = :never, attempts = attempts + 1
WHERE id = :id AND run = :run AND finished IS NULL RETURNING {CLAIM_COLUMNS}
"""
_RELEASE_RUN = """
UPDATE job SET holder = '', attempts = attempts - 1
WHERE id = :id AND fence = :fence AND finished IS NULL
"""
_POSTPONE_RUN = """
UPDATE job SET status = 'pending', holder = '', run = run + 1, due = :due
WHERE id = :id AND fence = :fence AND finished IS NULL
"""


class FileWorkflowQueue(HeldJobQueue):
    async def claim_run(self, job_id: str, run: int) -> HeldJob | None:
        outcome = await self._execute(_CLAIM_RUN, id=job_id, run=run, holder=self._holder)
        return await self.read_claimed_row(outcome[0]) if outcome else None

    async def release_run(self, held: HeldJob) -> None:
        await self._execute(_RELEASE_RUN, id=held.job.id, fence=held.fence)

    async def postpone_job(self, held: HeldJob, *, seconds: float) -> None:
        due = self._clock() + seconds
        await self._execute(_POSTPONE_RUN, id=held.job.id, fence=held.fence, due=due)

    async def queue_jobs(self) -> None:
        """Give DBOS the jobs that it does not have; an id that it has already changes nothing."""
        from dbos import DBOS

        found = await self._database.select_rows(_SELECT_UNQUEUED, {"now": self._clock()})
        for job_id, run, owner in found:
            await asyncio.to_thread(
                DBOS.enqueue_workflow_with_options,
                {
                    "workflow_name": WORKFLOW_NAME,
                    "queue_name": QUEUE_NAME,
                    "workflow_id": build_workflow_id(job_id, run),
                    "app_version": APPLICATION_VERSION,
                    "application_name": APPLICATION_NAME,
                    "queue_partition_key": owner,
                },
                *(job_id, run),
            )
            await self._execute(_MARK_QUEUED, id=job_id, run=run)

    async def _execute(self, sql: str, **params: Any) -> Any:
        known = {"now": self._clock(), "never": _NEVER, **params}
        (outcome,) = await self._database.execute_batch([SqlStatement(sql=sql, params=known)])
        return outcome.rows


class DbosFileEngine(DbosEngine):
    """Differs in how DBOS is launched, how jobs get there, and who counts as dead."""

    _queue: FileWorkflowQueue  # type: ignore[assignment]
    _host: DbosHost

    def __init__(self, setup: EngineSetup) -> None:
        state = setup.state
        self._worker = name_worker(setup.new_id)
        queue = FileWorkflowQueue(
            *(state.database, state.vault, state.ledger),
            holder=self._worker.executor,
            clock=setup.clock,
        )
        JobEngine.__init__(
            self,
            setup,
            queue,
            idle_interval=setup.timing.idle_interval,
            turn_interval=setup.timing.watch_interval,
        )
        self._slots = asyncio.Semaphore(setup.at_once)

    async def build_queueing(self, *_: Any) -> tuple[()]:
        return ()

    async def run_turn(self) -> None:
        await self._queue.queue_jobs()
        await asyncio.to_thread(_resume_dead_runs, self._host)
        seen = await self._queue.list_held_jobs()
        self._end_lost_runs(list(self._running_jobs.values()), seen)

    async def _run_loop(self) -> None:
        self._host = await self._launch_host()
        await super(DbosEngine, self)._run_loop()

    async def _release_jobs(self) -> None:
        await asyncio.to_thread(self._host.destroy)
        await asyncio.to_thread(self._host.resume_left_runs, [self._worker.executor])

    async def _launch_host(self) -> DbosHost:
        database = self._setup.state.database
        ((_, _, state_file),) = await database.select_rows("PRAGMA database_list")
        file = Path(state_file).with_name("workflows.db")
        with contextlib.closing(sqlite3.connect(file)) as link:
            link.execute("PRAGMA journal_mode = WAL")  # which DBOS does not set, and is faster
        options = HostOptions(
            url=f"sqlite:///{file}",
            executor=self._worker.executor,
            worker_concurrency=self._setup.at_once,
            owner_concurrency=self._setup.per_owner,
            poll_seconds=self._timing.queue_interval,
        )
        host = DbosHost(options, asyncio.get_running_loop(), self.run_workflow)
        while True:  # two processes that start at once install the same tables
            with contextlib.suppress(CitewellError):
                await asyncio.to_thread(host.launch)
                return host
            await asyncio.sleep(self._timing.launch_retry_delay)


def _resume_dead_runs(host: DbosHost) -> None:
    running = host.list_running_runs()
    host.resume_runs([name for name, executor in running.items() if not _is_alive(executor)])


def _is_alive(executor: str) -> bool:
    """Its process id is in the name of a worker."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return bool(psutil.Process(int(executor.split("-")[-2])).status() != psutil.STATUS_ZOMBIE)
    return False
