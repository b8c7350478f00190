"""Background work on the audit log, done by one process of many: sealing, retention and delivery."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Protocol

from citewell.errors import CitewellError
from citewell.store.audit.audit_store import AuditLogAltered, SqlAuditStore
from citewell.store.coordination.leases import LeaseTable

logger = logging.getLogger(__name__)
SEAL_SECONDS = 1.0  # between two rounds
_SEAL_LEASE, _LEASE_SECONDS = "audit-seal", 5.0
_RETENTION_SECONDS = 3600.0  # between two removals of old rows
_SECONDS_PER_DAY = 86400.0


class UpkeepTask(Protocol):
    """A piece of work that is done again and again."""

    async def run_round(self) -> float:
        """Do what there is to do now; returns the seconds until the next round."""
        ...

    async def finish_work(self) -> None:
        """Do what must be done before the process ends."""
        ...


class AuditSealer:
    """Seals waiting rows about every second, and removes those that are older than the retention."""

    def __init__(
        self,
        store: SqlAuditStore,
        leases: LeaseTable,
        *,
        retention_days: int,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._leases = leases
        self._retention_seconds = retention_days * _SECONDS_PER_DAY
        self._clock = clock
        self._next_removal = 0.0

    async def run_round(self) -> float:
        is_due = self._clock() >= self._next_removal
        if (is_due or await self._store.has_waiting_rows()) and await self._leases.take_lease(
            _SEAL_LEASE, seconds=_LEASE_SECONDS
        ):
            await self._store.seal_waiting_rows()
            if is_due:
                self._next_removal = self._clock() + _RETENTION_SECONDS
                await self._store.remove_rows_before(self._clock() - self._retention_seconds)
        return SEAL_SECONDS

    async def finish_work(self) -> None:
        await self._store.seal_waiting_rows()
        await self._leases.release_lease(_SEAL_LEASE)


class AuditUpkeep:
    """Runs upkeep tasks side by side until it is closed; a failure is logged, and tried again."""

    def __init__(
        self,
        tasks: Sequence[UpkeepTask],
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._work = tasks
        self._pause = pause
        self._running: list[asyncio.Task[None]] = []
        self._failing: set[UpkeepTask] = set()

    def ensure_running(self) -> None:
        """Start the tasks on the running event loop, unless they run already."""
        if all(task.done() for task in self._running):
            self._running = [asyncio.create_task(self._repeat_rounds(work)) for work in self._work]

    async def aclose(self) -> None:
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)
        for work in self._work:
            with self._log_failure(work):
                await work.finish_work()

    async def _repeat_rounds(self, work: UpkeepTask) -> None:
        seconds = SEAL_SECONDS
        while True:
            await self._pause(seconds)
            with self._log_failure(work):
                seconds = await work.run_round()

    @contextlib.contextmanager
    def _log_failure(self, work: UpkeepTask) -> Iterator[None]:
        """Log an error of the store, once until the work has succeeded again."""
        try:
            yield
        except CitewellError as error:
            if work not in self._failing:
                self._failing.add(work)
                level = logging.ERROR if isinstance(error, AuditLogAltered) else logging.WARNING
                logger.log(level, "Work on the audit log is put off. %s", error.message)
        else:
            self._failing.discard(work)
