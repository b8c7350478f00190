"""Runs queued jobs in this process: claims them, keeps their leases, and brings them to an end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from citewell.errors import CitewellError, InternalError
from citewell.model.job import JSON
from citewell.model.research import Status
from citewell.services.jobs.desk import Desk, Ending
from citewell.services.jobs.pace import Pace, growing
from citewell.services.jobs.run import Run
from citewell.store.queue import Held, SqlQueue

_log = logging.getLogger(__name__)
_GRACE = 5.0  # seconds beyond the patience with calls, for the last writes

Workflow = Callable[[Run], Awaitable[JSON]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Play:
    held: Held
    desk: Desk
    task: asyncio.Task[None]


class Runner:
    def __init__(
        self,
        queue: SqlQueue,
        desks: Callable[[Held], Desk],
        workflows: Mapping[str, Workflow],
        *,
        at_once: int,
        pace: Pace,
        monotonic: Callable[[], float],
    ) -> None:
        self._queue = queue
        self._desks = desks
        self._workflows = workflows
        self._at_once = at_once
        self._pace = pace
        self._monotonic = monotonic
        self._plays: dict[tuple[str, int], _Play] = {}
        # Ours by name, but nobody here runs them any more; with whether that was in good order.
        self._put_down: list[tuple[Held, bool]] = []
        self._beaten = 0.0
        self._woken = asyncio.Event()
        self._stopping = False
        self._loop: asyncio.Task[None] | None = None

    @property
    def running(self) -> int:
        return len(self._plays)

    def start(self) -> None:
        if self._loop is None:
            self._stopping = False
            self._loop = asyncio.create_task(self._forever())

    def wake(self) -> None:
        self._woken.set()

    def cancel(self, job: str) -> None:
        """The owner wants the job to end; it was written down already."""
        for play in self._plays.values():
            if play.held.job.id == job:
                play.desk.end(Ending.CANCEL)

    async def stop(self, *, patience: float) -> None:
        """Claim nothing more, put every job down where another can go on, and end."""
        self._stopping = True
        self.wake()
        if self._loop is not None:
            await self._loop
            self._loop = None
        for play in self._plays.values():
            play.desk.end(Ending.STOP)
        tasks = {play.task for play in self._plays.values()}
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=patience + _GRACE)
            for play in list(self._plays.values()):
                play.desk.end(Ending.BROKEN)
            for task in late:
                task.cancel()
            await asyncio.wait(tasks)
        with contextlib.suppress(CitewellError):  # their leases lapse by themselves
            await self._release()

    async def turn(self) -> None:
        """One look at everything: leases, cancellations, and jobs to take on."""
        await self._release()
        if self._plays:
            await self._look_after()
        while len(self._plays) < self._at_once and not self._stopping:
            held = await self._queue.claim(self._workflows)
            if held is None:
                return
            self._take(held)

    async def _forever(self) -> None:
        while not self._stopping:
            self._woken.clear()
            turn = asyncio.create_task(self.turn())
            await asyncio.wait({turn})
            error = turn.exception()
            if isinstance(error, CitewellError):
                _log.warning("Jobs cannot be looked after. %s", error.message)
            elif error is not None:
                _log.error("Jobs cannot be looked after.", exc_info=error)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), self._interval())

    def _interval(self) -> float:
        if not self._plays:
            return self._pace.idle
        return min(self._pace.watch, self._pace.lease / 3)

    async def _look_after(self) -> None:
        plays = list(self._plays.values())
        if self._monotonic() - self._beaten >= self._pace.lease / 3:
            cancelled = await self._queue.beat([play.held for play in plays])
            self._beaten = self._monotonic()
        else:
            seen = await self._queue.watch()
            cancelled = {
                play.held.job.id: seen[play.held.job.id][1]
                for play in plays
                if seen.get(play.held.job.id, (0, False))[0] == play.held.fence
            }
        for play in plays:
            if play.task.done():
                continue
            if play.held.job.id not in cancelled:
                play.desk.end(Ending.LOST)
            elif cancelled[play.held.job.id]:
                play.desk.end(Ending.CANCEL)

    def _take(self, held: Held) -> None:
        desk = self._desks(held)
        if not self._plays:
            self._beaten = self._monotonic()
        task = asyncio.create_task(self._played(held, desk))
        self._plays[_place(held)] = _Play(held=held, desk=desk, task=task)
        task.add_done_callback(lambda done: self._ended(held, done))

    def _ended(self, held: Held, done: asyncio.Task[None]) -> None:
        del self._plays[_place(held)]
        if done.cancelled():
            self._put_down.append((held, False))
        elif (error := done.exception()) is not None:
            _log.error("A job was put down.", exc_info=error)
            self._put_down.append((held, False))
        self.wake()

    async def _played(self, held: Held, desk: Desk) -> None:
        run = Run(desk)
        if held.cancelling:
            desk.end(Ending.CANCEL)
        if held.recovered:
            await run.recall()
        if held.attempts > self._pace.tries:
            error = InternalError("The job was begun again and again, and never came farther.")
            await self._finish(desk, Status.FAILED, _told(error))
            return
        work = asyncio.create_task(_worked(self._workflows[held.job.kind], run))
        await desk.watch_over(work)
        failure = None if work.cancelled() else work.exception()
        if desk.ending is None and self._worth_another(held, failure):
            await self._postpone(held, desk, run)
            return
        await run.wind_down()
        await self._conclude(held, desk, work)

    def _worth_another(self, held: Held, failure: BaseException | None) -> bool:
        passing = isinstance(failure, CitewellError) and failure.retryable
        return passing and held.attempts < self._pace.tries

    async def _conclude(self, held: Held, desk: Desk, work: asyncio.Task[JSON]) -> None:
        if desk.ending is Ending.CANCEL:
            await self._finish(desk, Status.CANCELLED, None)
        elif desk.ending is not None:
            # Where the job is another's by now, releasing it does nothing.
            self._put_down.append((held, desk.ending is Ending.STOP))
        elif work.cancelled():
            error = InternalError("The workflow ended itself.")
            await self._finish(desk, Status.FAILED, _told(error))
        elif (failure := work.exception()) is not None:
            if not isinstance(failure, CitewellError):
                _log.error("A workflow broke.", exc_info=failure)
            await self._finish(desk, Status.FAILED, _told(failure))
        else:
            await self._finish(desk, Status.COMPLETED, work.result())

    async def _postpone(self, held: Held, desk: Desk, run: Run) -> None:
        desk.end(Ending.STOP)  # what is under way upstream is asked for next time
        await run.wind_down()
        delay = growing(self._pace.retries[0], self._pace.longest_wait, held.attempts)
        await self._queue.postpone(held, seconds=delay)

    async def _finish(self, desk: Desk, status: Status, value: JSON) -> None:
        await desk.close_calls()
        await desk.write(lambda: desk.record.finish(status, value))

    async def _release(self) -> None:
        while self._put_down:
            held, orderly = self._put_down[-1]
            await self._queue.release(held, orderly=orderly)
            self._put_down.pop()


def _place(held: Held) -> tuple[str, int]:
    return held.job.id, held.fence


async def _worked(workflow: Workflow, run: Run) -> JSON:
    return await workflow(run)


def _told(error: BaseException) -> dict[str, JSON]:
    if isinstance(error, CitewellError):
        return {"kind": error.kind, "message": error.message}
    return {"kind": "internal", "message": "The job broke off for a fault of ours."}
