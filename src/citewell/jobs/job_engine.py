"""What runs queued jobs, and what both engines share: runs of jobs, the loop, and the end of both.

Jobs can be created without a running loop; the loop of any process on the store runs them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from citewell.core.errors import CitewellError, InternalError
from citewell.core.values.research import ResearchStatus
from citewell.jobs.call_payment import CallPayment
from citewell.jobs.durable_job import Job, JobStep, JobStepState, JsonValue, PaidCall
from citewell.jobs.run_record import (
    EngineTiming,
    PerformStep,
    RunEnding,
    RunRecord,
    compute_backoff_delay,
    perform_directly,
)
from citewell.jobs.store.held_jobs import HeldJob, HeldJobQueue, JobRecord
from citewell.store.failures import PASSING_FAILURES
from citewell.store.sql.database import SqlStatement

if TYPE_CHECKING:
    from pydantic import BaseModel

    from citewell.server.state.state_store import StateStore

Model = TypeVar("Model", bound="BaseModel")
logger = logging.getLogger(__name__)
_WRITE_GRACE_SECONDS = 5.0  # seconds after the grace time of calls, for the last writes


class WorkflowRun:
    """One run of a workflow, the same on every engine; each of its steps has a key.

    After a restart the workflow runs again from its beginning, and every stored step returns its
    stored result. Cancellation, a stop and a lost lease all raise asyncio.CancelledError; a
    workflow must not suppress it.
    """

    def __init__(self, record: RunRecord) -> None:
        self.job: Job = record.job
        self._record = record
        self._status = ResearchStatus.RUNNING
        self._logged_events: Counter[str] = Counter()
        self._running_keys: set[str] = set()
        self._payments: set[asyncio.Future[JsonValue]] = set()

    async def run_step(
        self, key: str, work: Callable[[], Awaitable[JsonValue]], *, provider: str | None = None
    ) -> JsonValue:
        """Do the work once per job and store its result; later runs return the stored result.

        A retryable error is retried a few times, then raised. A failed step is not stored.
        """
        if key in self._record.known_steps:
            return await self._record.read_step_result(key)
        self._record.check_running()
        with self._reserve_step_key(key):
            return await self._record.perform_step(
                "step", lambda: self._complete_step(key, work, provider)
            )

    async def run_model_step(
        self, key: str, kind: type[Model], work: Callable[[], Awaitable[Model]]
    ) -> Model:
        """A step whose result is a pydantic model, stored as JSON."""

        async def dump() -> JsonValue:
            return (await work()).model_dump(mode="json")

        return kind.model_validate(await self.run_step(key, dump))

    async def run_paid_call(
        self, key: str, call: PaidCall, *, seconds: float | None = None
    ) -> JsonValue:
        """Make a call that costs money, at most once per job.

        Raises CallFailed or CallUncertain, and the same one again after a restart, or BudgetSpent
        if nothing was sent. After `seconds` the call is cancelled upstream and raises one of them.
        """
        with self._reserve_step_key(key):
            payment = CallPayment(self._record, key, call, seconds=seconds)
            task = asyncio.ensure_future(self._record.perform_step("paid", payment.complete_call))
            self._payments.add(task)
            try:
                return await task
            finally:
                if task.done():
                    self._payments.discard(task)

    async def emit_event(self, event: str, **payload: JsonValue) -> None:
        """Append an event to the job's log; events logged before a restart are not repeated."""
        signature = _build_event_signature(event, payload)
        if self._logged_events[signature] > 0:
            self._logged_events[signature] -= 1
            return
        self._record.check_running()
        await self._record.write_record(
            lambda: self._record.step_store.append_event(event, payload)
        )

    async def sleep_until_due(self, key: str, seconds: float) -> None:
        """Pause for `seconds`, counted from the first time that the job came here."""

        async def choose_end() -> JsonValue:
            return self._record.clock() + seconds

        end = float(await self.run_step(key, choose_end))
        self._record.check_running()
        await self._record.pause(max(0.0, min(seconds, end - self._record.clock())))

    async def enter_status(self, status: ResearchStatus) -> None:
        """Store another status for the running job."""
        if status is self._status:
            return
        self._record.check_running()
        await self._record.write_record(lambda: self._record.step_store.change_status(status))
        self._status = status

    async def load_history(self) -> None:
        """Load the steps and events that were stored before this process claimed the job."""
        self._record.known_steps.update(await self._record.step_store.load_steps())
        events = await self._record.step_store.load_events()
        self._logged_events = Counter(
            _build_event_signature(event.type, event.payload) for event in events
        )

    async def stop_open_calls(self) -> None:
        """Cancel the paid calls that the workflow left running, and wait for them."""
        for task in self._payments:
            task.cancel()
        if self._payments:
            await asyncio.wait(self._payments)
        self._payments.clear()

    async def _complete_step(
        self, key: str, work: Callable[[], Awaitable[JsonValue]], provider: str | None
    ) -> JsonValue:
        begun = self._record.clock()
        # The value as the store will return it, so that a first run sees what a later one sees.
        value = json.loads(json.dumps(await self._run_with_retries(work), allow_nan=False))
        step = JobStep(key=key, state=JobStepState.DONE, provider=provider, started=begun)
        await self._record.write_record(
            lambda: self._record.step_store.record_free_step(step, value)
        )
        self._record.known_steps[key] = step
        return value

    async def _run_with_retries(self, work: Callable[[], Awaitable[JsonValue]]) -> JsonValue:
        pace = self._record.timing
        for delay in pace.step_retry_delays:
            try:
                return await work()
            except CitewellError as error:
                if not error.retryable:
                    raise
                wait = max(delay, min(error.retry_after or 0.0, pace.max_retry_delay))
            await self._record.pause(wait)
        return await work()

    @contextlib.contextmanager
    def _reserve_step_key(self, key: str) -> Iterator[None]:
        """Raise InternalError if a step with this key runs already: it would be done twice."""
        if key in self._running_keys:
            raise InternalError(f"Two steps of a job use the key {key!r} at the same time.")
        self._running_keys.add(key)
        try:
            yield
        finally:
            self._running_keys.discard(key)


def _build_event_signature(event: str, payload: JsonValue) -> str:
    return json.dumps([event, dict(payload)], sort_keys=True)


WorkflowFunction = Callable[[WorkflowRun], Awaitable[JsonValue]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSetup:
    """What an engine runs, for which store, how much of it at once, and how it tells time."""

    state: StateStore
    workflows: Mapping[str, WorkflowFunction]
    at_once: int
    per_owner: int
    rates: Mapping[str, int]  # starts a minute, by provider
    timing: EngineTiming
    clock: Callable[[], float]
    monotonic: Callable[[], float]
    pause: Callable[[float], Awaitable[None]]
    new_id: Callable[[], str]
    notify: Callable[[str], None]  # whoever waits for news of a job


@dataclass(frozen=True, slots=True, kw_only=True)
class _RunningJob:
    held: HeldJob
    run_record: RunRecord
    task: asyncio.Task[RunEnding | None]


class JobEngine(ABC):
    """The embedded engine on a SQLite file, DBOS on a PostgreSQL server."""

    def __init__(
        self, setup: EngineSetup, queue: HeldJobQueue, *, idle_interval: float, turn_interval: float
    ) -> None:
        """A turn of the loop follows after `idle_interval`, or `turn_interval` while jobs run."""
        self._setup = setup
        self._queue = queue
        self._timing = setup.timing
        self._monotonic = setup.monotonic
        self._intervals = idle_interval, min(setup.timing.watch_interval, turn_interval)
        self._running_jobs: dict[tuple[str, int], _RunningJob] = {}
        self._wake_event = asyncio.Event()
        self._stopped = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None

    @abstractmethod
    async def build_queueing(
        self, job_id: str, providers: Collection[str]
    ) -> Sequence[SqlStatement]:
        """Statements that put a job with these providers into the queue, for the batch that creates it."""

    @abstractmethod
    async def run_turn(self) -> None:
        """What the loop does again and again."""

    @abstractmethod
    async def _release_jobs(self) -> None:
        """Let other processes have what was stopped here, at once; if that fails, they find out."""

    @property
    def running_count(self) -> int:
        """How many jobs run in this process."""
        return len(self._running_jobs)

    def build_first_claim(self, job_id: str, *, seconds: float) -> SqlStatement:
        """A statement that gives this process the job for `seconds`, for the batch that creates it."""
        return self._queue.build_first_claim(job_id, seconds=seconds)

    async def run_new_job(self, job: Job) -> None:
        """Start a job here that `build_first_claim` gave to this process, however many others run."""
        self._start_run(await self._queue.load_first_claim(job))

    def start_loop(self) -> None:
        """Start running queued jobs in this process."""
        if self._loop is None:
            self._stopped.clear()
            self._loop = asyncio.create_task(self._run_loop())

    def wake_loop(self) -> None:
        """Have the loop look at the queue and at cancellations now."""
        self._wake_event.set()

    def end_cancelled_job(self, job: str) -> None:
        """End the job if it runs here; the cancellation is stored already."""
        for run in self._running_jobs.values():
            if run.held.job.id == job:
                run.run_record.end_run(RunEnding.CANCEL)

    async def stop_loop(self, *, grace_seconds: float) -> None:
        """Stop every job so that another process can continue it at once, and end the loop."""
        self._stopped.set()
        self.wake_loop()
        if self._loop is not None:
            await self._loop
            self._loop = None
        await self._stop_runs(grace_seconds)
        with contextlib.suppress(CitewellError):
            await self._release_jobs()

    async def _run_loop(self) -> None:
        while not self._stopped.is_set():
            self._wake_event.clear()
            turn = asyncio.create_task(self.run_turn())
            await asyncio.wait({turn})
            error = turn.exception()
            if isinstance(error, CitewellError):
                logger.warning("Jobs could not be claimed or watched: %s", error.message)
            elif error is not None:
                logger.error("The job loop raised an unexpected error.", exc_info=error)
            with contextlib.suppress(TimeoutError):
                interval = self._intervals[bool(self._running_jobs)]
                await asyncio.wait_for(self._wake_event.wait(), interval)

    async def _stop_runs(self, grace_seconds: float) -> None:
        runs = list(self._running_jobs.values())
        for run in runs:
            run.run_record.end_run(RunEnding.STOP)
        tasks = {run.task for run in runs}
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=grace_seconds + _WRITE_GRACE_SECONDS)
        for run in list(self._running_jobs.values()):
            run.run_record.end_run(RunEnding.BROKEN)
        for task in late:
            task.cancel()
        await asyncio.wait(tasks)

    def _end_lost_runs(
        self, runs: Sequence[_RunningJob], seen: Mapping[str, tuple[int, bool]]
    ) -> None:
        """End those of the runs whose job was cancelled, or that another worker has taken over."""
        for run in runs:
            fence, cancelled = seen.get(run.held.job.id, (0, False))
            if run.task.done():
                continue
            if fence != run.held.fence:
                run.run_record.end_run(RunEnding.LOST)
            elif cancelled:
                run.run_record.end_run(RunEnding.CANCEL)

    def _start_run(
        self, held: HeldJob, perform: PerformStep = perform_directly
    ) -> asyncio.Task[RunEnding | None]:
        state, clock = self._setup.state, self._setup.clock
        run_record = RunRecord(
            JobRecord(state.database, state.vault, state.ledger, held, clock=clock),
            timing=self._timing,
            clock=clock,
            pause=self._setup.pause,
            notify=self._setup.notify,
            perform=perform,
        )
        task = asyncio.create_task(self._run_job(held, run_record))
        key = held.job.id, held.fence
        self._running_jobs[key] = _RunningJob(held=held, run_record=run_record, task=task)
        task.add_done_callback(lambda _: self._running_jobs.pop(key))
        return task

    async def _run_job(self, held: HeldJob, run_record: RunRecord) -> RunEnding | None:
        """Run the job until it has finished or is postponed, or why it was left unfinished."""
        run = WorkflowRun(run_record)
        if held.cancelling:
            run_record.end_run(RunEnding.CANCEL)
        if held.is_recovered:
            await run.load_history()
        if held.attempts > self._timing.max_attempts:
            error = InternalError("The job was restarted too many times without progress.")
            await run_record.fail_job(error)
            return None
        work = asyncio.ensure_future(self._setup.workflows[held.job.kind](run))
        await run_record.wait_for_workflow(work)
        failure = asyncio.CancelledError() if work.cancelled() else work.exception()
        if run_record.ending is None and isinstance(failure, PASSING_FAILURES):
            run_record.end_run(RunEnding.STALLED)  # because of the store: no fault of the job
        # What ended the workflow may pass: a failure that says so, or a cancellation. Nobody who
        # waits for the job has cancelled it then, so something around it has failed.
        may_pass = isinstance(failure, asyncio.CancelledError) or (
            isinstance(failure, CitewellError) and failure.retryable
        )
        can_try_again = may_pass and held.attempts < self._timing.max_attempts
        if run_record.ending is None and can_try_again:
            run_record.end_run(RunEnding.STOP)  # calls that run upstream are polled in the next run
            await run.stop_open_calls()
            first, last = self._timing.step_retry_delays[0], self._timing.max_retry_delay
            delay = compute_backoff_delay(first, last, held.attempts)
            await self._queue.postpone_job(held, seconds=delay)
            return None
        await run.stop_open_calls()
        if run_record.ending is RunEnding.CANCEL:
            await run_record.finish_job(ResearchStatus.CANCELLED, None)
        elif run_record.ending is not None:
            return run_record.ending
        elif failure is not None:
            await run_record.fail_job(failure)
        else:
            await run_record.finish_job(ResearchStatus.COMPLETED, work.result())
        return None


def read_run_ending(task: asyncio.Task[RunEnding | None]) -> RunEnding | None:
    """How the run ended; BROKEN if it failed by itself, and must be tried again."""
    if task.cancelled():
        return RunEnding.BROKEN
    error = task.exception()
    if error is None:
        return task.result()
    logger.error("A job stopped because of an unexpected error.", exc_info=error)
    return RunEnding.BROKEN
