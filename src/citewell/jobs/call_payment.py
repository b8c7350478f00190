"""Makes one paid call: intent, reference and result are each stored before the next stage.

After a crash the store shows one of three states. No intent: the call was never sent, so it is
sent now. A reference: it is polled, and nothing is sent. An intent alone: it is unknown whether
the call was sent. An idempotent call is then sent again; any other is uncertain and stays so.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace

from citewell.core import errors
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import TICKS_PER_CENT, ResearchStatus
from citewell.jobs import run_record
from citewell.jobs.durable_job import (
    BudgetSpent,
    CallFailed,
    CallNotSent,
    CallReply,
    CallUncertain,
    JobStep,
    JobStepState,
    JsonValue,
    PaidCall,
)
from citewell.jobs.store.held_jobs import CancellationRequested, EstimateUnaffordable

logger = logging.getLogger(__name__)

# Errors with which an upstream refuses a call before it does any work.
_REFUSAL_ERRORS = (
    CallNotSent,
    errors.RateLimited,
    errors.AuthRequired,
    errors.OutOfCredit,
    errors.RejectedRequest,
    errors.InvalidInput,
    errors.Misconfigured,
    errors.NotFound,
    errors.Blocked,
)
_FINAL_STEP_STATES = {
    ResearchStatus.COMPLETED: JobStepState.DONE,
    ResearchStatus.FAILED: JobStepState.FAILED,
    ResearchStatus.CANCELLED: JobStepState.CANCELLED,
}
_CANCELLED_MESSAGE = "The call was cancelled."


class CallPayment:
    """One paid call of a run, sent or resumed as the store says."""

    def __init__(
        self, record: run_record.RunRecord, key: str, call: PaidCall, *, seconds: float | None
    ) -> None:
        self._record = record
        self._key = key
        self._call = call
        self._step = step = record.known_steps.get(key)
        self._seconds = seconds
        self._submission_task: asyncio.Future[CallReply] | None = None
        # Whether the call may have been sent with its outcome unknown.
        self._may_be_sent = step is not None and step.state is JobStepState.INTENT

    async def complete_call(self) -> JsonValue:
        """The result of the call, sent now or earlier.

        Raises CallFailed, CallUncertain, or BudgetSpent if nothing was sent.
        """
        left, now = self._seconds, self._record.clock()
        if left is not None and self._step is not None:
            left = max(0.0, min(left, self._step.started + left - now))
        try:
            async with asyncio.timeout(left):
                return await self._complete_or_interrupt()
        except TimeoutError:
            if self._step is not None and self._step.state is JobStepState.DONE:
                return await self._record.read_step_result(self._key)
            raise self._build_stored_error() from None

    async def _complete_or_interrupt(self) -> JsonValue:
        try:
            return await self._resume_or_send()
        except asyncio.CancelledError:
            await run_record.finish_despite_cancellation(self._interrupt_call())
            raise

    async def _resume_or_send(self) -> JsonValue:
        step = self._step
        if step is not None and not step.state.is_open:
            if step.state is JobStepState.DONE:
                return await self._record.read_step_result(self._key)
            raise self._build_stored_error()
        if self._record.ending is not None:
            raise asyncio.CancelledError
        if step is None:
            await self._record_intent()
        elif step.state is JobStepState.SUBMITTED:
            return await self._poll_until_final()
        elif not self._call.is_idempotent:
            raise await self._settle_uncertain("The process ended while the call was in progress.")
        return await self._send_with_retries()

    async def _record_intent(self) -> None:
        tag = hashlib.sha256(f"{self._record.job.id}\0{self._key}".encode()).hexdigest()[:32]
        step = JobStep(
            key=self._key,
            state=JobStepState.INTENT,
            provider=self._call.provider,
            estimate=max(0, self._call.estimate_cost),
            started=self._record.clock(),
            tag=f"citewell-{tag}",
        )
        try:
            await self._store_step(step, self._record.step_store.record_intent)
        except EstimateUnaffordable as short:
            raise BudgetSpent(
                f"{self._call.provider} may cost {_format_cents(step.estimate)} {pluralize(step.estimate / TICKS_PER_CENT, 'cent')}, but "
                f"the job has only {_format_cents(short.left)} {pluralize(short.left / TICKS_PER_CENT, 'cent')} left to spend.",
                provider=self._call.provider,
            ) from None
        except CancellationRequested:
            raise asyncio.CancelledError from None

    async def _send_with_retries(self) -> JsonValue:
        waits = iter(self._record.timing.resend_delays)
        while True:
            answer = await self._send_once()
            if isinstance(answer, CallReply):
                return await self._handle_submit_reply(answer)
            wait = next(waits, None)
            # A rate limit costs nothing, and some tags are charged only once.
            can_resend = (
                isinstance(answer, errors.RateLimited)
                if isinstance(answer, _REFUSAL_ERRORS)
                else self._call.is_idempotent
            )
            if wait is None or not can_resend:
                break
            asked = getattr(answer, "retry_after", None) or 0.0
            await self._record.pause(max(wait, min(asked, self._record.timing.max_retry_delay)))
        if self._may_be_sent:
            raise await self._settle_uncertain(_describe_call_failure(answer))
        raise await self._settle_failure(answer)

    async def _send_once(self) -> CallReply | BaseException:
        step = self._require_step()
        former, self._may_be_sent = self._may_be_sent, True
        self._submission_task = asyncio.ensure_future(self._call.submit_research(step.tag or ""))
        await asyncio.wait({self._submission_task})
        answer = _read_task_outcome(self._submission_task)
        self._submission_task = None
        if isinstance(answer, _REFUSAL_ERRORS):
            self._may_be_sent = former
        return answer

    async def _handle_submit_reply(self, reply: CallReply) -> JsonValue:
        """Store the reference and poll, or settle a call that is final already."""
        if reply.status in _FINAL_STEP_STATES:
            return await self._settle_reply(reply)
        if reply.ref is None:
            raise await self._settle_uncertain(
                "The provider accepted the call without a reference."
            )
        await self._store_reference(reply.ref)
        return await self._poll_until_final()

    async def _store_reference(self, ref: str) -> None:
        step = replace(self._require_step(), state=JobStepState.SUBMITTED, ref=ref)
        await self._store_step(step, self._record.step_store.record_submission)

    async def _store_step(self, step: JobStep, write: Callable[[JobStep], Awaitable[None]]) -> None:
        """Write the step; once that is done, it is the known one, even if we are cancelled meanwhile."""

        async def store() -> None:
            await write(step)
            self._step = self._record.known_steps[step.key] = step

        await self._record.write_record(store)

    async def _poll_until_final(self) -> JsonValue:
        """Poll until the call is final; polling is free."""
        pace = self._record.timing
        asked = failures = 0
        while True:
            try:
                reply = await self._call.poll_research(self._require_step().ref or "")
                failures = 0
            except errors.NotFound:
                raise await self._settle_uncertain(
                    "The provider no longer knows the call."
                ) from None
            except errors.CitewellError as error:
                failures += 1
                if failures >= pace.max_poll_failures:
                    raise await self._settle_uncertain(error.message) from None
            else:
                if reply.status in _FINAL_STEP_STATES:
                    return await self._settle_reply(reply)
            await self._record.pause(
                run_record.compute_backoff_delay(pace.first_poll_delay, pace.max_poll_delay, asked)
            )
            asked += 1

    async def _settle_reply(self, reply: CallReply) -> JsonValue:
        await self._store_reply(reply, f"{self._call.provider} ended the call as {reply.status}.")
        if reply.status is ResearchStatus.COMPLETED:
            return await self._record.read_step_result(self._key)
        raise self._build_stored_error()

    async def _settle_uncertain(self, why: str) -> CallUncertain:
        """Store the call as uncertain; its estimate counts as spent until it is reconciled."""
        estimate = self._require_step().estimate
        await self._store_outcome(
            JobStepState.UNCERTAIN, ("upstream_unavailable", why), cost=estimate
        )
        error = self._build_stored_error()
        return error if isinstance(error, CallUncertain) else CallUncertain(why)

    async def _settle_failure(self, answer: BaseException) -> errors.CitewellError:
        kind = answer.kind if isinstance(answer, errors.CitewellError) else "internal"
        await self._store_outcome(JobStepState.FAILED, (kind, _describe_call_failure(answer)))
        return self._build_stored_error()

    async def _store_reply(self, reply: CallReply, message: str) -> None:
        """Store a final reply; `message` says why there is no result if the upstream does not."""
        state = _FINAL_STEP_STATES[reply.status]
        is_done = state is JobStepState.DONE
        error = None if is_done else (reply.error_kind, reply.error or message)
        await self._store_outcome(state, error, cost=max(0, reply.cost), result=reply.result)

    async def _store_outcome(
        self,
        state: JobStepState,
        error: tuple[str, str] | None,
        *,
        cost: int = 0,
        result: JsonValue = None,
    ) -> None:
        """Store how the call ended; an error is its kind and its message."""
        step = self._require_step()
        stored = None if error is None else {"kind": error[0], "message": error[1]}
        await self._store_step(
            replace(step, state=state, cost=cost, error=stored),
            lambda ended: self._record.step_store.record_outcome(step, ended, result),
        )

    async def _interrupt_call(self) -> None:
        """Bring the call to a stored state after the run or the workflow cancelled it."""
        ending = self._record.ending
        step = self._step
        if step is None or not step.state.is_open or (ending is not None and ending.is_unwritable):
            await self._cancel_submission()
            return
        await self._wait_for_submission()
        step = self._require_step()
        if ending is run_record.RunEnding.STOP or not step.state.is_open:
            return
        if step.state is JobStepState.SUBMITTED:
            await self._cancel_upstream(step.ref or "", why=self._describe_stop())
        elif self._may_be_sent:
            await self._settle_uncertain(f"{self._describe_stop()} It was sent, and not answered.")
        else:
            error = ("cancelled", f"{self._describe_stop()} Nothing was sent.")
            await self._store_outcome(JobStepState.CANCELLED, error)

    async def _wait_for_submission(self) -> None:
        """Wait a little for a submission in flight: its reply spares an uncertain call."""
        sending = self._submission_task
        if sending is None:
            return
        await asyncio.wait({sending}, timeout=self._record.timing.call_grace_seconds)
        if not sending.done():
            await self._cancel_submission()
            return
        self._submission_task = None
        answer = _read_task_outcome(sending)
        if isinstance(answer, _REFUSAL_ERRORS):
            await self._settle_failure(answer)
        elif isinstance(answer, CallReply) and answer.status in _FINAL_STEP_STATES:
            await self._store_reply(answer, _CANCELLED_MESSAGE)
        elif isinstance(answer, CallReply) and answer.ref is not None:
            await self._store_reference(answer.ref)

    async def _cancel_submission(self) -> None:
        sending, self._submission_task = self._submission_task, None
        if sending is not None:
            sending.cancel()
            await asyncio.wait({sending})
            _read_task_outcome(sending)

    def _describe_stop(self) -> str:
        """Why we end a call ourselves."""
        if self._record.ending is run_record.RunEnding.CANCEL:
            return "The research job was cancelled."
        if self._seconds is None:
            return "The research job ended before this call did, so the call was cancelled."
        return f"The call took more than {self._seconds:g} {pluralize(self._seconds, 'second')} and was cancelled."

    async def _cancel_upstream(self, ref: str, *, why: str) -> None:
        """Cancel the call upstream and settle the cost metered so far."""
        try:
            async with asyncio.timeout(self._record.timing.call_grace_seconds):
                reply = await self._call.cancel_research(ref)
                while reply.status not in _FINAL_STEP_STATES:
                    await self._record.pause(self._record.timing.first_poll_delay)
                    reply = await self._call.poll_research(ref)
        except (errors.CitewellError, TimeoutError) as error:
            await self._settle_uncertain(
                f"{why} It could not be cancelled upstream: {_describe_call_failure(error)}"
            )
            return
        if reply.status is ResearchStatus.CANCELLED:  # by us: what the upstream says of it is moot
            reply = replace(reply, error=why, error_kind="cancelled")
        await self._store_reply(reply, _CANCELLED_MESSAGE)

    def _build_stored_error(self) -> errors.CitewellError:
        """The stored error of a call without a result; the same before and after a restart."""
        step = self._require_step()
        error = step.error or {
            "kind": "upstream_unavailable",
            "message": "The call ended without a result.",
        }
        message = str(error["message"])
        if step.state is JobStepState.UNCERTAIN:
            return CallUncertain.from_provider(
                step.provider, f"{message} It may have been charged, so it is not sent again."
            )
        return CallFailed.from_provider(step.provider, message, extra={"kind": error["kind"]})

    def _require_step(self) -> JobStep:
        assert self._step is not None  # noqa: S101 - nothing is sent or polled without an intent
        return self._step


def _read_task_outcome(task: asyncio.Future[CallReply]) -> CallReply | BaseException:
    if task.cancelled():
        return asyncio.CancelledError()
    error = task.exception()
    if error is None:
        return task.result()
    if not isinstance(error, errors.CitewellError):
        logger.error("A paid call raised an unexpected error.", exc_info=error)
    return error


def _describe_call_failure(error: BaseException) -> str:
    return (
        error.message
        if isinstance(error, errors.CitewellError)
        else "The call failed unexpectedly."
    )


def _format_cents(ticks: int) -> str:
    return f"{ticks / TICKS_PER_CENT:.2f}".rstrip("0").rstrip(".")
