"""What a workflow is given: its job, and steps that are recorded as they are done."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator

from citewell.errors import CitewellError, InternalError
from citewell.model.job import JSON, Job, StepState
from citewell.model.research import Status
from citewell.services.jobs.desk import Desk
from citewell.services.jobs.paid import PaidCall
from citewell.services.jobs.payment import Payment
from citewell.store.steps import Known


class Run:
    """One life of a workflow; its steps are known by their keys.

    After a restart the workflow runs again from its beginning, and every step that was recorded
    gives back what it gave before. Cancellation, a stop and a lost lease all arrive as
    asyncio.CancelledError; let it pass.
    """

    def __init__(self, desk: Desk) -> None:
        self.job: Job = desk.job
        self._desk = desk
        self._status = Status.RUNNING
        self._said: Counter[str] = Counter()
        self._busy: set[str] = set()
        self._payments: set[asyncio.Task[JSON]] = set()

    async def step(
        self, key: str, work: Callable[[], Awaitable[JSON]], *, provider: str | None = None
    ) -> JSON:
        """Do the work once in the life of the job; later its result comes from the record.

        Failures that may pass are tried again a few times. What fails is not recorded.
        """
        if key in self._desk.known:
            return await self._desk.read(key)
        self._desk.go_on()
        with self._alone(key):
            begun = self._desk.clock()
            value = _plain(await self._persisted(work))
            step = Known(key=key, state=StepState.DONE, provider=provider, started=begun)
            await self._desk.write(lambda: self._desk.record.done(step, value))
            self._desk.known[key] = step
        return value

    async def paid(self, key: str, call: PaidCall, *, seconds: float | None = None) -> JSON:
        """Make a call that costs money, at most once in the life of the job.

        Raises CallFailed or Uncertain, and the same one again after a restart, or BudgetSpent
        where nothing was sent. After so many `seconds` it is cancelled upstream and has failed.
        """
        with self._alone(key):
            payment = Payment(self._desk, key, call, seconds=seconds)
            task = asyncio.create_task(payment.made())
            self._payments.add(task)
            try:
                return await task
            finally:
                if task.done():
                    self._payments.discard(task)

    async def emit(self, event: str, **payload: JSON) -> None:
        """Append to the job's log; what was said before a restart is not said again."""
        said = _signature(event, payload)
        if self._said[said] > 0:
            self._said[said] -= 1
            return
        self._desk.go_on()
        await self._desk.write(lambda: self._desk.record.emit(event, payload))

    async def sleep(self, key: str, seconds: float) -> None:
        """Wait, a restart in between included."""

        async def until() -> JSON:
            return self._desk.clock() + seconds

        wake = float(await self.step(key, until))
        self._desk.go_on()
        # Clocks may jump, and nobody waits longer than asked for.
        await self._desk.pause(max(0.0, min(seconds, wake - self._desk.clock())))

    async def enter(self, status: Status) -> None:
        """Show another status while running."""
        if status is self._status:
            return
        self._desk.go_on()
        await self._desk.write(lambda: self._desk.record.enter(status))
        self._status = status

    async def recall(self) -> None:
        """Read what was recorded before this process took the job."""
        self._desk.known.update(await self._desk.record.known())
        events = await self._desk.record.logged()
        self._said = Counter(_signature(event.type, event.payload) for event in events)

    async def wind_down(self) -> None:
        """End the calls that the workflow left behind."""
        for task in self._payments:
            task.cancel()
        if self._payments:
            await asyncio.wait(self._payments)
        self._payments.clear()

    async def _persisted(self, work: Callable[[], Awaitable[JSON]]) -> JSON:
        pace = self._desk.pace
        for delay in pace.retries:
            try:
                return await work()
            except CitewellError as error:
                if not error.retryable:
                    raise
                wait = max(delay, min(error.retry_after or 0.0, pace.longest_wait))
            await self._desk.pause(wait)
        return await work()

    @contextlib.contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """Two steps of one key at the same time would be done twice."""
        if key in self._busy:
            raise InternalError(f"Two steps of a job are called {key!r}.")
        self._busy.add(key)
        try:
            yield
        finally:
            self._busy.discard(key)


def _plain(value: JSON) -> JSON:
    """As it will come back from the record, so that a first run sees what a second one does."""
    return json.loads(json.dumps(value, allow_nan=False))


def _signature(event: str, payload: JSON) -> str:
    return json.dumps([event, dict(payload)], sort_keys=True)
