"""The record of one running job: its stored steps, and whether the run must end."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Coroutine
from enum import StrEnum
from typing import Any

from citewell.errors import CitewellError, InternalError
from citewell.model.durable_job import JobStepState, JsonValue
from citewell.services.jobs.cancellation_shield import finish_despite_cancellation
from citewell.services.jobs.engine_timing import EngineTiming
from citewell.store.failures import PASSING_FAILURES, StoreError
from citewell.store.jobs.job_record import (
    JobRecord,
    KnownStep,
    LeaseLost,
    PaidCallOutcome,
)

logger = logging.getLogger(__name__)


StepBody = Callable[[], Coroutine[Any, Any, JsonValue]]
PerformStep = Callable[[str, StepBody], Awaitable[JsonValue]]


async def perform_directly(_kind: str, body: StepBody) -> JsonValue:
    """Do the work of a step, on an engine that knows no steps of its own."""
    return await body()


class RunEnding(StrEnum):
    """Why a run ends before its workflow does."""

    CANCEL = "cancel"  # the owner asked for it
    STOP = "stop"  # this process ends; another one continues the job
    LOST = "lost"  # another worker holds the job's lease
    STALLED = "stalled"  # the store is full, read-only or away; the job goes on afterwards
    BROKEN = "broken"  # what is stored of the job cannot be used

    @property
    def is_unwritable(self) -> bool:
        """Whether nothing more can or may be written for this run."""
        return self in {RunEnding.LOST, RunEnding.STALLED, RunEnding.BROKEN}

    @property
    def is_spared(self) -> bool:
        """Whether the job is not to blame, so that the run does not count as an attempt."""
        return self in {RunEnding.STOP, RunEnding.STALLED}


class RunRecord:
    """Reads and writes the stored steps of one run, and cancels its workflow when the run must end.

    A lost lease or a store that cannot be used ends the run and raises asyncio.CancelledError.
    """

    def __init__(
        self,
        record: JobRecord,
        *,
        timing: EngineTiming,
        clock: Callable[[], float],
        pause: Callable[[float], Awaitable[None]],
        notify: Callable[[str], None],
        perform: PerformStep = perform_directly,
    ) -> None:
        self.step_store = record
        self.job = record.job
        self.timing = timing
        self.clock = clock
        self.pause = pause
        self.perform_step = perform
        self.ending: RunEnding | None = None
        self.known_steps: dict[str, KnownStep] = {}
        self._notify = notify
        self._workflow_task: asyncio.Task[JsonValue] | None = None

    async def wait_for_workflow(self, work: asyncio.Task[JsonValue]) -> None:
        """Wait until the workflow task is done; cancel it when the run ends."""
        self._workflow_task = work
        if self.ending not in {None, RunEnding.CANCEL}:
            work.cancel()
        await asyncio.wait({work})

    def end_run(self, reason: RunEnding) -> None:
        """Cancel the workflow; a reason that forbids writing is not replaced by a later one."""
        if self.ending is reason or (self.ending is not None and self.ending.is_unwritable):
            return
        self.ending = reason
        if self._workflow_task is not None:
            self._workflow_task.cancel()

    def check_running(self) -> None:
        """Raise asyncio.CancelledError if the run is ending."""
        if self.ending is not None:
            raise asyncio.CancelledError

    async def read_step_result(self, key: str) -> JsonValue:
        """The stored result of a step."""
        try:
            return await self.step_store.load_recorded_result(key)
        except LeaseLost:
            self.end_run(RunEnding.LOST)
            raise asyncio.CancelledError from None
        except StoreError as error:
            raise self._end_unwritable(error) from None

    async def write_record(self, work: Callable[[], Awaitable[None]]) -> None:
        """Write to the store, with retries and despite cancellation; end the run if that fails.

        If the store is full, read-only or away, go on trying for as long as the run lasts: the result
        of a call that was paid for is nowhere else.
        """
        await finish_despite_cancellation(self._write_with_retries(work))

    async def close_open_calls(self) -> None:
        """Mark every paid call that is still open as uncertain, because the job ends."""
        error = {"kind": "upstream_unavailable", "message": "The job ended during this call."}
        for step in [step for step in self.known_steps.values() if step.state.is_open]:
            ended = PaidCallOutcome(state=JobStepState.UNCERTAIN, cost=step.estimate, error=error)
            await self.write_record(_build_ending_write(self.step_store, step, ended))

    async def _write_with_retries(self, work: Callable[[], Awaitable[None]]) -> None:
        delays = self.timing.write_retry_delays
        for tries in itertools.count():
            try:
                await work()
            except LeaseLost:
                self.end_run(RunEnding.LOST)
                raise asyncio.CancelledError from None
            except (StoreError, InternalError) as error:
                if tries >= len(delays) and not self._may_wait(error):
                    raise self._end_unwritable(error) from None
                if tries == len(delays):
                    logger.warning("A job waits for the store: %s", error.message)
                await self.pause(delays[min(tries, len(delays) - 1)])
            else:
                self._notify(self.job.id)
                return

    def _may_wait(self, error: CitewellError) -> bool:
        return self.ending is None and isinstance(error, PASSING_FAILURES)

    def _end_unwritable(self, error: CitewellError) -> asyncio.CancelledError:
        logger.warning("A job was stopped; its record cannot be used: %s", error.message)
        self.end_run(choose_store_ending(error))
        return asyncio.CancelledError()


def choose_store_ending(error: BaseException) -> RunEnding:
    """How a run ends that cannot use the store because of the error."""
    return RunEnding.STALLED if isinstance(error, PASSING_FAILURES) else RunEnding.BROKEN


def _build_ending_write(
    record: JobRecord, step: KnownStep, ended: PaidCallOutcome
) -> Callable[[], Awaitable[None]]:
    return lambda: record.record_outcome(step, ended)
