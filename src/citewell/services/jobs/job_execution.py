"""Runs one claimed job to its end, on either engine, and stores how it ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from citewell.errors import CitewellError, InternalError
from citewell.model.durable_job import JsonValue
from citewell.model.research import ResearchStatus
from citewell.services.jobs.engine_timing import EngineTiming, compute_backoff_delay
from citewell.services.jobs.run_record import RunEnding, RunRecord
from citewell.services.jobs.workflow_run import WorkflowRun
from citewell.store.failures import PASSING_FAILURES
from citewell.store.jobs.held_jobs import HeldJob

logger = logging.getLogger(__name__)

WorkflowFunction = Callable[[WorkflowRun], Awaitable[JsonValue]]


class PostponingQueue(Protocol):
    """A queue that takes a claimed job back."""

    async def postpone_job(self, held: HeldJob, *, seconds: float) -> None: ...


class JobExecution:
    """Runs the workflows of claimed jobs."""

    def __init__(
        self,
        queue: PostponingQueue,
        workflows: Mapping[str, WorkflowFunction],
        *,
        timing: EngineTiming,
    ) -> None:
        self._queue = queue
        self._workflows = workflows
        self._timing = timing

    async def run_job(self, held: HeldJob, desk: RunRecord) -> RunEnding | None:
        """Run the job until it has finished or is postponed, or why it was left unfinished."""
        run = WorkflowRun(desk)
        if held.cancelling:
            desk.end_run(RunEnding.CANCEL)
        if held.is_recovered:
            await run.load_history()
        if held.attempts > self._timing.max_attempts:
            error = InternalError("The job was restarted too many times without progress.")
            await self._finish_executed_job(desk, ResearchStatus.FAILED, _describe_job_error(error))
            return None
        work = asyncio.create_task(_call_workflow(self._workflows[held.job.kind], run))
        await desk.wait_for_workflow(work)
        if desk.ending is None and _is_stalled(work):
            desk.end_run(RunEnding.STALLED)
        if desk.ending is None and self._should_postpone(held, work):
            await self._postpone_job(held, desk, run)
            return None
        await run.stop_open_calls()
        return await self._conclude_job(desk, work)

    def _should_postpone(self, held: HeldJob, work: asyncio.Task[JsonValue]) -> bool:
        """Whether what ended the workflow may pass: a failure that says so, or a cancellation.

        Nobody who waits for the job has cancelled it then, so something around it has failed.
        """
        failure = None if work.cancelled() else work.exception()
        may_pass = isinstance(failure, CitewellError) and failure.retryable
        return (may_pass or work.cancelled()) and held.attempts < self._timing.max_attempts

    async def _postpone_job(self, held: HeldJob, desk: RunRecord, run: WorkflowRun) -> None:
        desk.end_run(RunEnding.STOP)  # calls that run upstream are polled in the next run
        await run.stop_open_calls()
        delay = compute_backoff_delay(
            self._timing.step_retry_delays[0], self._timing.max_retry_delay, held.attempts
        )
        await self._queue.postpone_job(held, seconds=delay)

    async def _conclude_job(
        self, desk: RunRecord, work: asyncio.Task[JsonValue]
    ) -> RunEnding | None:
        if desk.ending is RunEnding.CANCEL:
            await self._finish_executed_job(desk, ResearchStatus.CANCELLED, None)
        elif desk.ending is not None:
            return desk.ending
        elif work.cancelled():
            error = InternalError("The workflow cancelled itself.")
            await self._finish_executed_job(desk, ResearchStatus.FAILED, _describe_job_error(error))
        elif (failure := work.exception()) is not None:
            if not isinstance(failure, CitewellError):
                logger.error("A workflow raised an unexpected error.", exc_info=failure)
            await self._finish_executed_job(
                desk, ResearchStatus.FAILED, _describe_job_error(failure)
            )
        else:
            await self._finish_executed_job(desk, ResearchStatus.COMPLETED, work.result())
        return None

    async def _finish_executed_job(
        self, desk: RunRecord, status: ResearchStatus, value: JsonValue
    ) -> None:
        await desk.close_open_calls()
        await desk.write_record(lambda: desk.step_store.finish_job(status, value))


async def _call_workflow(workflow: WorkflowFunction, run: WorkflowRun) -> JsonValue:
    return await workflow(run)


def _is_stalled(work: asyncio.Task[JsonValue]) -> bool:
    """Whether the workflow could not go on because of the store, which is no fault of the job."""
    return not work.cancelled() and isinstance(work.exception(), PASSING_FAILURES)


def _describe_job_error(error: BaseException) -> dict[str, JsonValue]:
    if isinstance(error, CitewellError):
        return {"kind": error.kind, "message": error.message}
    return {"kind": "internal", "message": "The job failed because of an internal error."}
