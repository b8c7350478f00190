"""Durable jobs for whoever orders them: queued at once, run here or elsewhere, never lost."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping

from citewell.errors import CitewellError, InvalidInput
from citewell.model.job import JSON, Event, JobView, Order
from citewell.services.jobs.bells import Bells
from citewell.services.jobs.desk import Desk
from citewell.services.jobs.pace import Pace
from citewell.services.jobs.runner import Runner, Workflow
from citewell.store.jobs import Reconciled
from citewell.store.queue import Held, SqlQueue
from citewell.store.state import State
from citewell.store.steps import Record

_log = logging.getLogger(__name__)
_SWEEPING = "jobs/sweep"


class Jobs:
    """Nothing runs before `start`; whoever only orders and looks need not start it."""

    def __init__(
        self,
        state: State,
        workflows: Mapping[str, Workflow],
        *,
        at_once: int = 4,
        per_owner: int = 4,
        retention: float | None = None,
        pace: Pace | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._state = state
        self._workflows = workflows
        self._retention = retention
        self._pace = pace or Pace()
        self._clock = clock
        self._monotonic = monotonic
        self._pause = pause
        self._new_id = new_id
        self._bells = Bells()
        self._sweeper: asyncio.Task[None] | None = None
        queue = SqlQueue(
            state.database,
            state.vault,
            state.ledger,
            holder=new_id(),
            term=self._pace.lease,
            per_owner=per_owner,
            clock=clock,
        )
        self.runner = Runner(
            queue,
            self._desk,
            workflows,
            at_once=at_once,
            pace=self._pace,
            monotonic=monotonic,
        )

    async def dispatch(self, owner: str, order: Order) -> JobView:
        """Queue a job; it is durable once this returns.

        Raises InsufficientBalance, ThreadBusy or ThreadNotFound, and then nothing was kept.
        """
        if order.kind not in self._workflows:
            raise InvalidInput(f"There is no work called {order.kind!r}.")
        view = await self._state.jobs.create(owner, self._new_id(), order)
        self.runner.wake()
        return view

    async def view(self, owner: str, job_id: str) -> JobView:
        return await self._state.jobs.view(owner, job_id)

    async def result(self, owner: str, job_id: str) -> JSON:
        """What the workflow returned; None while it has not."""
        return await self._state.jobs.result(owner, job_id)

    async def step_result(self, owner: str, job_id: str, key: str) -> JSON:
        return await self._state.jobs.step_result(owner, job_id, key)

    async def events(self, owner: str, job_id: str, *, after: int = 0) -> tuple[Event, ...]:
        return await self._state.jobs.events(owner, job_id, after=after)

    async def listed(
        self, owner: str, *, limit: int = 20, since: float = 0.0
    ) -> tuple[JobView, ...]:
        """The newest first, without steps."""
        return await self._state.jobs.listed(owner, limit=limit, since=since)

    async def of_thread(self, owner: str, thread: str, *, limit: int = 20) -> tuple[JobView, ...]:
        """The newest first, without steps."""
        return await self._state.jobs.of_thread(owner, thread, limit=limit)

    async def wait(
        self, owner: str, job_id: str, *, since: int = 0, seconds: float = 0.0
    ) -> JobView:
        """The job once it has news beyond `since` or has ended, and at the latest after `seconds`."""
        end = self._monotonic() + seconds
        with self._bells.listening(job_id) as bell:
            while True:
                bell.clear()
                view = await self._state.jobs.view(owner, job_id)
                left = end - self._monotonic()
                if view.seq > since or view.status.final or left <= 0:
                    return view
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(bell.wait(), min(left, self._pace.look))

    async def cancel(self, owner: str, job_id: str) -> JobView:
        """Ask for its end, which reaches upstream; a job that is final stays as it is."""
        view = await self._state.jobs.cancel(owner, job_id)
        self.runner.cancel(job_id)
        self.runner.wake()
        self._bells.ring(job_id)
        return view

    async def reconcile(self, owner: str, job_id: str, key: str, outcome: Reconciled) -> JobView:
        """Put an uncertain call right, once somebody knows what came of it."""
        view = await self._state.jobs.reconcile(owner, job_id, key, outcome)
        self._bells.ring(job_id)
        return view

    async def sweep(self) -> int:
        """Let go of what ended longer ago than it is kept; how many jobs there were.

        Of many processes on one store, the first to come does it until the next time is due.
        """
        if self._retention is None:
            return 0
        if not await self._state.leases.take(_SWEEPING, seconds=self._pace.sweep):
            return 0
        return await self._state.jobs.sweep(older_than=self._retention)

    def start(self) -> None:
        """Begin to run jobs in this process, those that others left behind first."""
        self.runner.start()
        if self._retention is not None and self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep_forever())

    async def stop(self, *, patience: float | None = None) -> None:
        """Put running jobs down where another process can go on at once."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.wait({self._sweeper})
            self._sweeper = None
        await self.runner.stop(patience=self._pace.patience if patience is None else patience)

    async def _sweep_forever(self) -> None:
        while True:
            try:
                await self.sweep()
            except CitewellError as error:  # the next time is soon enough
                _log.warning("Old jobs could not be let go: %s", error)
            await asyncio.sleep(self._pace.sweep)

    def _desk(self, held: Held) -> Desk:
        record = Record(
            self._state.database, self._state.vault, self._state.ledger, held, clock=self._clock
        )
        return Desk(
            record, pace=self._pace, clock=self._clock, pause=self._pause, ring=self._bells.ring
        )
