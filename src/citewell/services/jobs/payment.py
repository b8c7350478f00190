"""The making of one paid call: intent, reference, result, each written before the next.

A crash leaves one of three traces. Nothing: the call was never sent. A reference: it is asked
for, and nothing is sent. An intent alone: nobody knows, so only a call that is charged once for
the same tag goes again, and any other is uncertain for good.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Mapping
from dataclasses import replace

from citewell.errors import (
    AuthRequired,
    Blocked,
    CitewellError,
    InvalidInput,
    Misconfigured,
    NotFound,
    OutOfCredit,
    RateLimited,
    RejectedRequest,
)
from citewell.model.job import JSON, StepState
from citewell.model.research import TICKS_PER_CENT, Status
from citewell.services.jobs.desk import Desk, Ending
from citewell.services.jobs.pace import growing
from citewell.services.jobs.paid import (
    BudgetSpent,
    CallFailed,
    NotSent,
    PaidCall,
    Reply,
    Uncertain,
)
from citewell.services.jobs.unbroken import unbroken
from citewell.store.steps import Cancelling, Ended, Known, Unaffordable

_log = logging.getLogger(__name__)

# The upstream said no before it did anything.
_REFUSED = (
    NotSent,
    RateLimited,
    AuthRequired,
    OutOfCredit,
    RejectedRequest,
    InvalidInput,
    Misconfigured,
    NotFound,
    Blocked,
)
_OUTCOMES = {
    Status.COMPLETED: StepState.DONE,
    Status.FAILED: StepState.FAILED,
    Status.CANCELLED: StepState.CANCELLED,
}


class Payment:
    def __init__(self, desk: Desk, key: str, call: PaidCall, *, seconds: float | None) -> None:
        self._desk = desk
        self._key = key
        self._call = call
        self._step = step = desk.known.get(key)
        self._seconds = seconds
        self._sending: asyncio.Task[Reply] | None = None
        # Whether it may have been sent without our knowing what came of it.
        self._loose = step is not None and step.state is StepState.INTENT

    async def made(self) -> JSON:
        try:
            async with asyncio.timeout(self._left()):
                return await self._unless_cancelled()
        except TimeoutError:
            if self._step is not None and self._step.state is StepState.DONE:
                return await self._desk.read(self._key)
            raise self._told() from None

    async def _unless_cancelled(self) -> JSON:
        try:
            return await self._made()
        except asyncio.CancelledError:
            await unbroken(self._cut_short())
            raise

    async def _made(self) -> JSON:
        step = self._step
        if step is not None and not step.state.open:
            if step.state is StepState.DONE:
                return await self._desk.read(self._key)
            raise self._told()
        if self._desk.ending is not None:
            raise asyncio.CancelledError
        if step is None:
            await self._intend()
        elif step.state is StepState.SUBMITTED:
            return await self._follow()
        elif not self._call.idempotent:
            raise await self._uncertain("The process ended while the call was under way.")
        return await self._send()

    async def _intend(self) -> None:
        tag = hashlib.sha256(f"{self._desk.job.id}\0{self._key}".encode()).hexdigest()[:32]
        step = Known(
            key=self._key,
            state=StepState.INTENT,
            provider=self._call.provider,
            estimate=max(0, self._call.estimate),
            started=self._desk.clock(),
            tag=f"citewell-{tag}",
        )
        try:
            await self._desk.write(lambda: self._intended(step))
        except Unaffordable as short:
            raise BudgetSpent(
                f"{self._call.provider} may cost {_cents(step.estimate)} cents, and "
                f"{_cents(short.left)} are left of what this job may spend.",
                provider=self._call.provider,
            ) from None
        except Cancelling:
            raise asyncio.CancelledError from None

    async def _intended(self, step: Known) -> None:
        await self._desk.record.intend(step)
        self._now(step)

    async def _send(self) -> JSON:
        waits = iter(self._desk.pace.resend)
        while True:
            answer = await self._sent()
            if isinstance(answer, Reply):
                return await self._received(answer)
            wait = next(waits, None)
            if wait is None or not self._again(answer):
                break
            asked = getattr(answer, "retry_after", None) or 0.0
            await self._desk.pause(max(wait, min(asked, self._desk.pace.longest_wait)))
        if self._loose:
            raise await self._uncertain(_words(answer))
        raise await self._failed(answer)

    def _again(self, answer: BaseException) -> bool:
        """A rate limit costs nothing, and a tag that is charged once may go as often as need be."""
        if isinstance(answer, _REFUSED):
            return isinstance(answer, RateLimited)
        return self._call.idempotent

    async def _sent(self) -> Reply | BaseException:
        step = self._here()
        former, self._loose = self._loose, True
        self._sending = asyncio.create_task(self._submission(step.tag or ""))
        await asyncio.wait({self._sending})
        answer = _outcome(self._sending)
        self._sending = None
        if isinstance(answer, _REFUSED):
            self._loose = former
        return answer

    async def _submission(self, tag: str) -> Reply:
        return await self._call.submit(tag)

    async def _received(self, reply: Reply) -> JSON:
        """What a submit came back with."""
        if reply.status in _OUTCOMES:
            return await self._over(reply)
        if reply.ref is None:
            raise await self._uncertain("The provider accepted the call without a reference.")
        step = replace(self._here(), state=StepState.SUBMITTED, ref=reply.ref)
        await self._desk.write(lambda: self._submitted(step))
        return await self._follow()

    async def _submitted(self, step: Known) -> None:
        await self._desk.record.submitted(step)
        self._now(step)

    async def _follow(self) -> JSON:
        """Ask for the answer until there is one; asking is free."""
        pace = self._desk.pace
        asked = failures = 0
        while True:
            try:
                reply = await self._call.poll(self._here().ref or "")
                failures = 0
            except NotFound:
                raise await self._uncertain("The provider no longer knows the call.") from None
            except CitewellError as error:
                failures += 1
                if failures >= pace.poll_failures:
                    raise await self._uncertain(error.message) from None
            else:
                if reply.status in _OUTCOMES:
                    return await self._over(reply)
            await self._desk.pause(growing(pace.first_poll, pace.last_poll, asked))
            asked += 1

    async def _over(self, reply: Reply) -> JSON:
        state = _OUTCOMES[reply.status]
        message = reply.error or f"{self._call.provider} ended the call as {reply.status}."
        error = None if state is StepState.DONE else _error(reply.error_kind, message)
        await self._end(
            Ended(state=state, cost=max(0, reply.cost), result=reply.result, error=error)
        )
        if state is StepState.DONE:
            return await self._desk.read(self._key)
        raise self._told()

    async def _uncertain(self, why: str) -> Uncertain:
        """What may have been spent counts as spent until somebody knows better."""
        error = _error("upstream_unavailable", why)
        await self._end(Ended(state=StepState.UNCERTAIN, cost=self._here().estimate, error=error))
        told = self._told()
        return told if isinstance(told, Uncertain) else Uncertain(why)

    async def _failed(self, answer: BaseException) -> CitewellError:
        kind = answer.kind if isinstance(answer, CitewellError) else "internal"
        await self._end(Ended(state=StepState.FAILED, error=_error(kind, _words(answer))))
        return self._told()

    async def _end(self, how: Ended) -> None:
        await self._desk.write(lambda: self._ended(how))

    async def _ended(self, how: Ended) -> None:
        step = self._here()
        await self._desk.record.ended(step, how)
        self._now(replace(step, state=how.state, error=how.error))

    async def _cut_short(self) -> None:
        """The job ends, or the workflow has had enough of this call."""
        ending = self._desk.ending
        step = self._step
        if step is None or not step.state.open or (ending is not None and ending.mute):
            await self._drop()
            return
        await self._let_arrive()
        step = self._here()
        if ending is Ending.STOP or not step.state.open:
            return
        if step.state is StepState.SUBMITTED:
            await self._stop_upstream(step.ref or "")
        elif self._loose:
            await self._uncertain("The call was cancelled while it was under way.")
        else:
            error = _error("cancelled", "Cancelled before it was sent.")
            await self._end(Ended(state=StepState.CANCELLED, error=error))

    async def _let_arrive(self) -> None:
        """A call in flight gets a moment: its reference or result is worth more than a doubt."""
        sending = self._sending
        if sending is None:
            return
        await asyncio.wait({sending}, timeout=self._desk.pace.patience)
        if not sending.done():
            await self._drop()
            return
        self._sending = None
        answer = _outcome(sending)
        if isinstance(answer, _REFUSED):
            await self._failed(answer)
        elif isinstance(answer, Reply) and answer.status in _OUTCOMES:
            await self._desk.write(lambda: self._ended(_final(answer)))
        elif isinstance(answer, Reply) and answer.ref is not None:
            step = replace(self._here(), state=StepState.SUBMITTED, ref=answer.ref)
            await self._desk.write(lambda: self._submitted(step))

    async def _drop(self) -> None:
        sending, self._sending = self._sending, None
        if sending is not None:
            sending.cancel()
            await asyncio.wait({sending})
            _outcome(sending)

    async def _stop_upstream(self, ref: str) -> None:
        """Cancel where the money is spent, and settle what had been metered by then."""
        try:
            async with asyncio.timeout(self._desk.pace.patience):
                reply = await self._call.cancel(ref)
                while reply.status not in _OUTCOMES:
                    await self._desk.pause(self._desk.pace.first_poll)
                    reply = await self._call.poll(ref)
        except (CitewellError, TimeoutError) as error:
            await self._uncertain(f"It could not be cancelled upstream. {_words(error)}")
            return
        await self._desk.write(lambda: self._ended(_final(reply)))

    def _left(self) -> float | None:
        if self._seconds is None:
            return None
        begun = self._step.started if self._step is not None else self._desk.clock()
        return max(0.0, min(self._seconds, begun + self._seconds - self._desk.clock()))

    def _told(self) -> CitewellError:
        """The error of a call that ended without a result, the same now and after a restart."""
        step = self._here()
        error = step.error or _error("upstream_unavailable", "The call ended without a result.")
        message = f"{step.provider}: {error['message']}"
        if step.state is StepState.UNCERTAIN:
            return Uncertain(
                f"{message} It may have been charged, so it is not sent again.",
                provider=step.provider,
            )
        return CallFailed(message, provider=step.provider, extra={"kind": error["kind"]})

    def _here(self) -> Known:
        assert self._step is not None  # noqa: S101 - nothing is sent or asked without an intent
        return self._step

    def _now(self, step: Known) -> None:
        self._step = step
        self._desk.known[step.key] = step


def _final(reply: Reply) -> Ended:
    state = _OUTCOMES[reply.status]
    message = reply.error or "The call was cancelled."
    error = None if state is StepState.DONE else _error(reply.error_kind, message)
    return Ended(state=state, cost=max(0, reply.cost), result=reply.result, error=error)


def _outcome(task: asyncio.Task[Reply]) -> Reply | BaseException:
    if task.cancelled():
        return asyncio.CancelledError()
    error = task.exception()
    if error is None:
        return task.result()
    if not isinstance(error, CitewellError):
        _log.error("A paid call broke.", exc_info=error)
    return error


def _error(kind: str, message: str) -> Mapping[str, JSON]:
    return {"kind": kind, "message": message}


def _words(error: BaseException) -> str:
    return error.message if isinstance(error, CitewellError) else "The call broke off."


def _cents(ticks: int) -> str:
    return f"{ticks / TICKS_PER_CENT:.2f}".rstrip("0").rstrip(".")
