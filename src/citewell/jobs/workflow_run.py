"""One run of a workflow: its job, and steps whose results are stored."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from citewell.core.errors import CitewellError, InternalError
from citewell.core.values.research import ResearchStatus
from citewell.jobs.call_payment import CallPayment
from citewell.jobs.durable_job import Job, JobStep, JobStepState, JsonValue, PaidCall
from citewell.jobs.run_record import RunRecord

if TYPE_CHECKING:
    from pydantic import BaseModel

Model = TypeVar("Model", bound="BaseModel")


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
