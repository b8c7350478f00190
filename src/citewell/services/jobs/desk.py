"""Where one running job is written down: what is known of it, and whether it may go on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from enum import StrEnum

from citewell.errors import CitewellError, InternalError
from citewell.model.job import JSON, StepState
from citewell.services.jobs.pace import Pace
from citewell.services.jobs.unbroken import unbroken
from citewell.store.failures import StoreError
from citewell.store.steps import Ended, Known, Lost, Record

_log = logging.getLogger(__name__)


class Ending(StrEnum):
    """Why a run ends before its workflow does."""

    CANCEL = "cancel"  # the owner asked for it
    STOP = "stop"  # this process ends; another goes on
    LOST = "lost"  # another worker has the job
    BROKEN = "broken"  # the store cannot be written

    @property
    def mute(self) -> bool:
        """Nothing more can or may be written."""
        return self in {Ending.LOST, Ending.BROKEN}


class Desk:
    def __init__(
        self,
        record: Record,
        *,
        pace: Pace,
        clock: Callable[[], float],
        pause: Callable[[float], Awaitable[None]],
        ring: Callable[[str], None],
    ) -> None:
        self.record = record
        self.job = record.job
        self.pace = pace
        self.clock = clock
        self.pause = pause
        self.ending: Ending | None = None
        self.known: dict[str, Known] = {}
        self._ring = ring
        self._work: asyncio.Task[JSON] | None = None

    async def watch_over(self, work: asyncio.Task[JSON]) -> None:
        """Wait for the workflow, and have it end when the run does."""
        self._work = work
        if self.ending not in {None, Ending.CANCEL}:
            work.cancel()
        await asyncio.wait({work})

    def end(self, why: Ending) -> None:
        """Have the workflow end; the strongest reason stands."""
        if self.ending is why or (self.ending is not None and self.ending.mute):
            return
        self.ending = why
        if self._work is not None:
            self._work.cancel()

    def go_on(self) -> None:
        if self.ending is not None:
            raise asyncio.CancelledError

    async def read(self, key: str) -> JSON:
        """What a step gave."""
        try:
            return await self.record.result(key)
        except Lost:
            self.end(Ending.LOST)
            raise asyncio.CancelledError from None
        except StoreError as error:
            raise self._broken(error) from None

    async def write(self, work: Callable[[], Awaitable[None]]) -> None:
        """Write to the record, whatever comes in between; ends the run where that cannot be."""
        await unbroken(self._written(work))

    async def close_calls(self) -> None:
        """No call of a job that ends stays open: what nobody asks for any more is uncertain."""
        error = {"kind": "upstream_unavailable", "message": "The job ended during this call."}
        for step in [step for step in self.known.values() if step.state.open]:
            ended = Ended(state=StepState.UNCERTAIN, cost=step.estimate, error=error)
            await self.write(_bound(self.record, step, ended))

    async def _written(self, work: Callable[[], Awaitable[None]]) -> None:
        for delay in (*self.pace.writes, None):
            try:
                await work()
            except Lost:
                self.end(Ending.LOST)
                raise asyncio.CancelledError from None
            except (StoreError, InternalError) as error:
                if delay is None:
                    raise self._broken(error) from None
                await self.pause(delay)
            else:
                self._ring(self.job.id)
                return

    def _broken(self, error: CitewellError) -> asyncio.CancelledError:
        _log.warning("A job is put down. %s", error.message)
        self.end(Ending.BROKEN)
        return asyncio.CancelledError()


def _bound(record: Record, step: Known, ended: Ended) -> Callable[[], Awaitable[None]]:
    return lambda: record.ended(step, ended)
