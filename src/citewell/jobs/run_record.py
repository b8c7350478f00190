"""The record of one running job: its stored steps, and whether the run must end."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar

from citewell.core.errors import CitewellError, InternalError
from citewell.core.values.research import ResearchStatus
from citewell.jobs.durable_job import JobStep, JobStepState, JsonValue
from citewell.jobs.store.held_jobs import JobRecord, LeaseLost
from citewell.store.failures import PASSING_FAILURES, StoreError

T = TypeVar("T")

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
        self.known_steps: dict[str, JobStep] = {}
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

    async def fail_job(self, failure: BaseException) -> None:
        """Finish the job as failed; a CancelledError means that the workflow cancelled itself."""
        if isinstance(failure, asyncio.CancelledError):
            failure = InternalError("The workflow cancelled itself.")
        if isinstance(failure, CitewellError):
            value = {"kind": failure.kind, "message": failure.message}
        else:
            logger.error("A workflow raised an unexpected error.", exc_info=failure)
            message = "The job failed because of an internal error."
            value = {"kind": "internal", "message": message}
        await self.finish_job(ResearchStatus.FAILED, value)

    async def finish_job(self, status: ResearchStatus, value: JsonValue) -> None:
        """Store how the job ended; a paid call that is still open is uncertain from then on."""
        error = {"kind": "upstream_unavailable", "message": "The job ended during this call."}
        for step in [step for step in self.known_steps.values() if step.state.is_open]:
            ended = replace(step, state=JobStepState.UNCERTAIN, cost=step.estimate, error=error)
            await self.write_record(partial(self.step_store.record_outcome, step, ended))
        await self.write_record(partial(self.step_store.finish_job, status, value))

    async def _write_with_retries(self, work: Callable[[], Awaitable[None]]) -> None:
        delays = self.timing.write_retry_delays
        for tries in itertools.count():
            try:
                await work()
            except LeaseLost:
                self.end_run(RunEnding.LOST)
                raise asyncio.CancelledError from None
            except (StoreError, InternalError) as error:
                may_wait = self.ending is None and isinstance(error, PASSING_FAILURES)
                if tries >= len(delays) and not may_wait:
                    raise self._end_unwritable(error) from None
                if tries == len(delays):
                    logger.warning("A job waits for the store: %s", error.message)
                await self.pause(delays[min(tries, len(delays) - 1)])
            else:
                self._notify(self.job.id)
                return

    def _end_unwritable(self, error: CitewellError) -> asyncio.CancelledError:
        logger.warning("A job was stopped; its record cannot be used: %s", error.message)
        passes = isinstance(error, PASSING_FAILURES)
        self.end_run(RunEnding.STALLED if passes else RunEnding.BROKEN)
        return asyncio.CancelledError()


# Lets a piece of work finish although the waiting task is cancelled.


async def finish_despite_cancellation(work: Coroutine[Any, Any, T]) -> T:
    """Await the work to its end, then raise CancelledError if a cancellation came meanwhile.

    An error of the work itself is raised instead of the cancellation.
    """
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    if cancelled and not task.cancelled() and task.exception() is None:
        raise asyncio.CancelledError
    return task.result()


# The waits, intervals and retry delays of the job engines.


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTiming:
    """In seconds, except `max_poll_failures` and `max_attempts`, which are counts."""

    lease_seconds: float = 30.0  # after which another worker may claim a silent worker's job
    idle_interval: float = 5.0  # between checks for jobs that other processes queued
    watch_interval: float = 1.0  # between checks for cancellations, while jobs run
    wait_interval: float = 0.5  # between checks of another process's job that a caller waits for
    first_poll_delay: float = 2.0
    max_poll_delay: float = 20.0
    max_poll_failures: int = 60  # in a row, before a call becomes uncertain
    call_grace_seconds: float = 10.0  # for a call in flight, once its job must end
    resend_delays: tuple[float, ...] = (
        1.0,
        5.0,
        15.0,
    )  # before a call that may be resent is resent
    max_retry_delay: float = 60.0  # the most of a rate limit's retry-after that is obeyed
    step_retry_delays: tuple[float, ...] = (1.0, 4.0, 15.0)  # before a failed step is tried again
    write_retry_delays: tuple[float, ...] = (
        0.1,
        0.5,
        2.0,
        5.0,
    )  # before a failed write is tried again
    sweep_interval: float = 3600.0  # between deletions of jobs that are past their retention
    max_attempts: int = 10  # claims of a job without a new step between them
    # Of the engine for PostgreSQL:
    heartbeat_seconds: float = 5.0  # within which a dead worker's jobs go on elsewhere
    # Between looks of DBOS at its queue; each look is two transactions
    queue_interval: float = 0.25
    check_interval: float = 30.0  # between comparisons of our jobs with those of DBOS
    launch_retry_delay: float = 5.0  # before DBOS is started again, if its database is away

    @property
    def beat_interval(self) -> float:
        return self.heartbeat_seconds / 5

    @property
    def silence_seconds(self) -> float:
        """After which a worker is taken to be dead; beats and looks take the rest of the heartbeat."""
        return self.heartbeat_seconds * 3 / 5


def compute_backoff_delay(first: float, last: float, times: int) -> float:
    """The delay after `times` attempts: `first`, growing by half each time, at most `last`."""
    return min(last, first * 1.5 ** min(times, 40))
