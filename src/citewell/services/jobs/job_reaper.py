"""Gives the jobs of dead workers, and jobs that DBOS does not have, back to the queue.

Of all workers on a store one does so at a time, under a lock of the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from citewell.services.jobs.dbos_host import DbosHost
from citewell.services.jobs.engine_timing import EngineTiming
from citewell.store.coordination.leader_lock import LeaderLock
from citewell.store.jobs.worker_heartbeats import SqlWorkerHeartbeats
from citewell.store.jobs.workflow_queue import SqlWorkflowQueue

_KEPT_HOURS = 1  # for which DBOS keeps a run that has ended; it holds nothing of its owner


class JobReaper:
    def __init__(
        self,
        host: DbosHost,
        queue: SqlWorkflowQueue,
        heartbeats: SqlWorkerHeartbeats,
        lock: LeaderLock,
        *,
        timing: EngineTiming,
        monotonic: Callable[[], float],
    ) -> None:
        self._host = host
        self._queue = queue
        self._heartbeats = heartbeats
        self._lock = lock
        self._timing = timing
        self._monotonic = monotonic
        self._checked_at = float("-inf")
        self._stale: set[str] = set()  # runs without a job, when they were last compared

    async def run_turn(self) -> None:
        """Look once, unless another worker does so now."""
        await self._lock.run_as_leader(self._take_over)

    async def _take_over(self) -> None:
        silent = await self._heartbeats.list_silent_workers()
        if silent:
            await asyncio.to_thread(self._host.resume_dead_runs, silent)
            await self._heartbeats.remove_silent_workers()
        if self._monotonic() - self._checked_at >= self._timing.check_interval:
            await self._check_queued_runs()
            await self._sweep_old_runs()
        await self._queue.adopt_jobs()

    async def _check_queued_runs(self) -> None:
        """Find jobs that should be in the queue of DBOS and are not, as after a restored backup."""
        runs = await self._queue.list_queued_runs()
        names = {one.workflow_id for one in runs}
        live = await asyncio.to_thread(self._host.list_live_runs, names) if names else set()
        await self._queue.drop_runs([one for one in runs if one.workflow_id not in live])
        await self._clear_stale_runs(names)
        self._checked_at = self._monotonic()

    async def _clear_stale_runs(self, names: set[str]) -> None:
        """Start runs again whose worker is unknown, or that DBOS could not end.

        The latter find their job ended and end too; until then each takes the place of a job of
        its owner. A run that has only just ended is left alone.
        """
        running = await asyncio.to_thread(self._host.list_running_runs)
        known = await self._heartbeats.list_workers()
        ownerless = {name for name, executor in running.items() if executor not in known}
        stale, self._stale = self._stale, running.keys() - names
        await asyncio.to_thread(self._host.resume_runs, ownerless | (stale & self._stale))

    async def _sweep_old_runs(self) -> None:
        before = datetime.now(UTC) - timedelta(hours=_KEPT_HOURS)
        await asyncio.to_thread(self._host.delete_old_runs, before=before.isoformat())
