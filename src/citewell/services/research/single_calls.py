"""Pays for one call of a tool with a small job: reserved, sent once, settled, and never lost.

The job is created in the hands of this process, together with its reserve. It records the intent
before the call is sent and the cost afterwards, as research does. If the process dies in between,
the next server that resumes jobs finds the intent and settles the call as uncertain. It never sends
the call again, because nobody waits for its answer any more.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from citewell.errors import CitewellError, RateLimited
from citewell.model.durable_job import JobOrder, JobStepState, JobView, JsonValue
from citewell.model.research import ResearchStatus
from citewell.services.jobs.cancellation_shield import finish_despite_cancellation
from citewell.services.jobs.job_service import JobService
from citewell.services.jobs.paid_calls import CallFailed, CallNotSent, CallReply, CallUncertain
from citewell.services.jobs.workflow_run import WorkflowRun
from citewell.services.research.planning.assignments import ResearchAssignment
from citewell.services.research.provider_calls import convert_unsent_errors
from citewell.services.research.step_values import SINGLE_CALL_KIND
from citewell.services.research.views.job_views import build_report_key

_LEASE_SLACK_SECONDS = 60.0  # beyond the time of the call, for its grace and the last writes
_WAIT_SECONDS = 30.0  # of one wait for news of the job


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """What a call returned, as it is stored, and what it cost."""

    value: JsonValue
    cost_ticks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOrder:
    """One paid call: what it is for, the most it should cost, and how it is sent."""

    tool: str
    query: str
    provider: str
    estimate_ticks: int
    seconds: float  # after which it is given up
    send: Callable[[str], Awaitable[CallResult]]  # is given the tag of the call


class LiveCall:
    """The call of a job of this process, for the job engine."""

    background = False
    is_idempotent = False

    def __init__(self, order: CallOrder) -> None:
        self.provider = order.provider
        self.estimate_cost = order.estimate_ticks
        self.seconds = order.seconds
        self.refusal: CitewellError | None = None  # as the provider raised it, for the caller
        self._send = order.send

    async def submit_research(self, tag: str) -> CallReply:
        try:
            with convert_unsent_errors():
                result = await self._send_noting_error(tag)
        except RateLimited as error:
            # The engine would wait and send again; whoever asked would rather know at once.
            raise CallNotSent(error.message, provider=error.provider) from None
        return CallReply(
            status=ResearchStatus.COMPLETED, result=result.value, cost=result.cost_ticks
        )

    async def _send_noting_error(self, tag: str) -> CallResult:
        try:
            return await self._send(tag)
        except CitewellError as error:
            self.refusal = error
            raise

    async def poll_research(self, ref: str) -> CallReply:
        raise CallNotSent(f"{self.provider} has no run {ref!r}: it answers in one call.")

    async def cancel_research(self, ref: str) -> CallReply:
        return await self.poll_research(ref)


class AbandonedCall(LiveCall):
    """The call of a process that has ended: it is never sent, only settled."""

    def __init__(self, provider: str) -> None:
        super().__init__(
            CallOrder(
                tool="", query="", provider=provider, estimate_ticks=0, seconds=60.0,
                send=self._refuse_sending,
            )
        )  # fmt: skip

    async def _refuse_sending(self, _tag: str) -> CallResult:
        raise CallNotSent("The process ended before the call was sent.", provider=self.provider)


class SingleCallWorkflow:
    """Runs the one paid call of a job; a job of a process that has ended is only settled."""

    def __init__(self) -> None:
        self.live_calls: dict[str, LiveCall] = {}

    async def __call__(self, run: WorkflowRun) -> JsonValue:
        [provider] = run.job.args["providers"]
        call = self.live_calls.get(run.job.id) or AbandonedCall(provider)
        await run.run_paid_call(build_report_key(provider), call, seconds=call.seconds)
        return {"tool": run.job.args.get("tool", "")}


class SingleCalls:
    def __init__(
        self,
        jobs: JobService,
        workflow: SingleCallWorkflow,
        *,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._jobs = jobs
        self._workflow = workflow
        self._new_id = new_id

    async def pay_call(self, owner: str, order: CallOrder) -> CallResult:
        """Send the call once and return its result with the cost that was settled.

        Raises InsufficientBalance before anything is sent, the provider's own error if it refused
        the call, and CallUncertain if the call may have been charged without an answer.
        """
        job_id = self._new_id()
        call = self._workflow.live_calls[job_id] = LiveCall(order)
        try:
            return await self._run_call_job(owner, job_id, order, call)
        except asyncio.CancelledError:
            await finish_despite_cancellation(self._cancel_call(owner, job_id))
            raise
        finally:
            del self._workflow.live_calls[job_id]

    async def _run_call_job(
        self, owner: str, job_id: str, order: CallOrder, call: LiveCall
    ) -> CallResult:
        await self._jobs.run_job_now(
            owner,
            job_id,
            JobOrder(kind=SINGLE_CALL_KIND, args=_build_job_args(order), cap=order.estimate_ticks),
            lease_seconds=order.seconds + _LEASE_SLACK_SECONDS,
        )
        try:
            async with asyncio.timeout(order.seconds + _LEASE_SLACK_SECONDS):
                view = await self._wait_for_end(owner, job_id)
        except TimeoutError:  # the engine lost the job; whoever resumes it settles the call
            view = await self._jobs.load_job_view(owner, job_id)
        key = build_report_key(order.provider)
        step = view.find_step(key)
        if view.status is not ResearchStatus.COMPLETED or step is None:
            raise _build_call_error(view, order, call)
        value = await self._jobs.load_step_result(owner, job_id, key)
        return CallResult(value=value, cost_ticks=step.cost)

    async def _wait_for_end(self, owner: str, job_id: str) -> JobView:
        view = await self._jobs.load_job_view(owner, job_id)
        while not view.status.is_final:
            view = await self._jobs.wait_for_news(
                owner, job_id, since=view.seq, seconds=_WAIT_SECONDS
            )
        return view

    async def _cancel_call(self, owner: str, job_id: str) -> None:
        """Stop the call; its job settles it, which may take as long as the engine's grace time."""
        try:
            await self._jobs.cancel_job(owner, job_id)
        except CitewellError:  # it was not created yet, or has ended
            return
        await self._wait_for_end(owner, job_id)


def _build_job_args(order: CallOrder) -> dict[str, JsonValue]:
    """In the form of a research job, so that every view of jobs can show it."""
    work = ResearchAssignment(
        query=order.query, tier="", providers=(order.provider,), mode="fast", scope="web"
    )
    return {**work.to_json(), "tool": order.tool}


def _build_call_error(view: JobView, order: CallOrder, call: LiveCall) -> CitewellError:
    step = view.find_step(build_report_key(order.provider))
    told = (step.error if step is not None else None) or view.error or {}
    why = str(told.get("message", ""))
    if step is not None and (step.state.is_open or step.state is JobStepState.UNCERTAIN):
        return CallUncertain(
            f"{why} The call may have been charged, so it is not sent again, and its estimate counts"
            f" as spent. `citewell jobs reconcile {view.job.id} {step.key} --cost` records what"
            f" {order.provider} really charged.",
            provider=order.provider,
            extra={"jobId": view.job.id, "step": step.key},
        )
    if call.refusal is not None:
        return call.refusal
    return CallFailed.from_provider(order.provider, why or "The call ended without a result.")
