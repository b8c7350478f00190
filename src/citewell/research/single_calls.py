"""Pays for one call of a tool with a small job: reserved, sent once, settled, and never lost.

The job is created in the hands of this process, together with its reserve. It records the intent
before the call is sent and the cost afterwards, as research does. If the process dies in between,
the next server that resumes jobs finds the intent and settles the call as uncertain. It never sends
the call again, because nobody waits for its answer any more.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from citewell.core import errors
from citewell.core.service_kit import ServiceKit
from citewell.core.values.research import (
    PollOutcome,
    ProviderReport,
    ResearchRequest,
    ResearchStatus,
    ResearchTier,
    WritingRequest,
)
from citewell.jobs.durable_job import (
    BlockingCall,
    CallFailed,
    CallNotSent,
    CallReply,
    CallUncertain,
    JobOrder,
    JobStepState,
    JobView,
    JsonValue,
)
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.job_service import JobService
from citewell.jobs.run_record import finish_despite_cancellation
from citewell.jobs.step_values import SINGLE_CALL_KIND, ResearchAssignment
from citewell.research.job_views import build_report_key
from citewell.research.planning.provider_choice import ProviderChoice, run_free_call
from citewell.routing.ports import BackgroundResearch, DeepResearch, ReportWriter

_WRITING_COST_DIVISOR = 4  # writing from our material costs about this fraction of research
_UNPROCESSED_STATUSES = frozenset({503, 529})  # the upstream refused without doing any work

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


async def perform_call(
    single_calls: Callable[[], SingleCalls], owner: str, order: CallOrder
) -> CallResult:
    """The result of a call: one that costs something goes through the ledger, a free one does not.

    `single_calls` is asked for when something is paid for the first time.
    """
    if order.estimate_ticks <= 0:
        return await run_free_call(order.send(""), seconds=order.seconds, provider=order.provider)
    return await single_calls().pay_call(owner, order)


class LiveCall(BlockingCall):
    """The call of a job of this process, for the job engine."""

    def __init__(self, order: CallOrder) -> None:
        self.provider = order.provider
        self.estimate_cost = order.estimate_ticks
        self.seconds = order.seconds
        # as the provider raised it, for the caller
        self.refusal: errors.CitewellError | None = None
        self._send = order.send

    async def submit_research(self, tag: str) -> CallReply:
        try:
            with convert_unsent_errors():
                result = await self._send_noting_error(tag)
        except errors.RateLimited as error:
            # The engine would wait and send again; whoever asked would rather know at once.
            raise CallNotSent(error.message, provider=error.provider) from None
        return CallReply(
            status=ResearchStatus.COMPLETED, result=result.value, cost=result.cost_ticks
        )

    async def _send_noting_error(self, tag: str) -> CallResult:
        try:
            return await self._send(tag)
        except errors.CitewellError as error:
            self.refusal = error
            raise


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

    @classmethod
    def build(cls, _kit: ServiceKit) -> Self:
        return cls()

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

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.require_jobs(), kit.require_service(SingleCallWorkflow))

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
        # In the form of a research job, so that every view of jobs can show it.
        work = ResearchAssignment(
            query=order.query, tier="", providers=(order.provider,), mode="fast", scope="web"
        )
        job_args = {**work.to_json(), "tool": order.tool}
        await self._jobs.run_job_now(
            owner,
            job_id,
            JobOrder(kind=SINGLE_CALL_KIND, args=job_args, cap=order.estimate_ticks),
            lease_seconds=order.seconds + _LEASE_SLACK_SECONDS,
        )
        try:
            async with asyncio.timeout(order.seconds + _LEASE_SLACK_SECONDS):
                view = await self._wait_for_end(owner, job_id)
        except TimeoutError:  # the engine lost the job; whoever resumes it settles the call
            view = await self._jobs.store.require_job_view(owner, job_id)
        key = build_report_key(order.provider)
        step = view.find_step(key)
        if view.status is not ResearchStatus.COMPLETED or step is None:
            raise _build_call_error(view, order, call)
        value = await self._jobs.store.look_up_step_result(owner, job_id, key)
        return CallResult(value=value, cost_ticks=step.cost)

    async def _wait_for_end(self, owner: str, job_id: str) -> JobView:
        view = await self._jobs.store.require_job_view(owner, job_id)
        while not view.status.is_final:
            view = await self._jobs.wait_for_news(
                owner, job_id, since=view.seq, seconds=_WAIT_SECONDS
            )
        return view

    async def _cancel_call(self, owner: str, job_id: str) -> None:
        """Stop the call; its job settles it, which may take as long as the engine's grace time."""
        try:
            await self._jobs.cancel_job(owner, job_id)
        except errors.CitewellError:  # it was not created yet, or has ended
            return
        await self._wait_for_end(owner, job_id)


def _build_call_error(view: JobView, order: CallOrder, call: LiveCall) -> errors.CitewellError:
    step = view.find_step(build_report_key(order.provider))
    error = (step.error if step is not None else None) or view.error or {}
    why = str(error.get("message", ""))
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


# Research and writing by paid providers, as calls of the job engine.


def estimate_writing_cost(provider: DeepResearch, tier: ResearchTier) -> int:
    """The probable cost of a text written from our material, in ticks."""
    usual = ResearchRequest(query="", tier=tier, tag="")
    return provider.estimate_cost(usual) // _WRITING_COST_DIVISOR


class ResearchCall:
    """Research by one provider; `ask` builds the request from the tag of the call."""

    def __init__(
        self, name: str, provider: DeepResearch, build_request: Callable[[str], ResearchRequest]
    ) -> None:
        self.provider = name
        self.estimate_cost = provider.estimate_cost(build_request(""))
        self.is_idempotent = provider.is_idempotent
        self.background = isinstance(provider, BackgroundResearch)
        self._research_provider = provider
        self._build_request = build_request

    async def submit_research(self, tag: str) -> CallReply:
        with convert_unsent_errors():
            sent = await self._research_provider.submit_research(self._build_request(tag))
        if sent.report is not None:
            return _build_completed_reply(sent.report)
        return CallReply(status=ResearchStatus.RUNNING, ref=sent.ref)

    async def poll_research(self, ref: str) -> CallReply:
        return _convert_poll_outcome(await self._require_background().poll_research(ref), ref)

    async def cancel_research(self, ref: str) -> CallReply:
        running = self._require_background()
        await running.cancel_research(ref)
        return _convert_poll_outcome(await running.poll_research(ref), ref)

    def _require_background(self) -> BackgroundResearch:
        assert isinstance(self._research_provider, BackgroundResearch)  # noqa: S101 - only background calls have a reference
        return self._research_provider


class WritingCall(BlockingCall):
    """A report written by a provider from our material, in one call without a reference."""

    def __init__(
        self,
        name: str,
        writer: ReportWriter,
        writing: Callable[[str], WritingRequest],
        *,
        estimate: int,
    ) -> None:
        self.provider = name
        self.estimate_cost = estimate
        self._writer = writer
        self._writing = writing

    @classmethod
    def build_for_provider(
        cls,
        name: str,
        choice: ProviderChoice,
        writing: Callable[[str], WritingRequest],
        *,
        tier: ResearchTier,
    ) -> WritingCall:
        """The call for this provider; raises InvalidInput if the provider cannot write."""
        provider = choice.require_research_provider(name)
        if not isinstance(provider, ReportWriter):
            raise errors.InvalidInput(f"{name} cannot write a report.", provider=name)
        return cls(name, provider, writing, estimate=estimate_writing_cost(provider, tier))

    async def submit_research(self, tag: str) -> CallReply:
        with convert_unsent_errors():
            return _build_completed_reply(await self._writer.write_report(self._writing(tag)))


@contextmanager
def convert_unsent_errors() -> Iterator[None]:
    """Turn errors of calls that certainly did no work upstream into CallNotSent."""
    try:
        yield
    except (errors.NotConnected, errors.BreakerOpen) as error:
        raise CallNotSent(error.message, provider=error.provider) from None
    except errors.UpstreamUnavailable as error:
        if error.http_status in _UNPROCESSED_STATUSES:
            raise CallNotSent(error.message, provider=error.provider) from None
        raise


def _convert_poll_outcome(polled: PollOutcome, ref: str) -> CallReply:
    if polled.status is ResearchStatus.COMPLETED and polled.report is not None:
        return _build_completed_reply(polled.report)
    if not polled.status.is_final:
        return CallReply(status=ResearchStatus.RUNNING, ref=ref, note=polled.note)
    return CallReply(
        status=ResearchStatus.CANCELLED
        if polled.status is ResearchStatus.CANCELLED
        else ResearchStatus.FAILED,
        result=polled.report.model_dump(mode="json") if polled.report else None,
        cost=polled.report.cost_ticks if polled.report else 0,
        error=polled.error or "",
        error_kind=polled.error_kind or "upstream_unavailable",
    )


def _build_completed_reply(report: ProviderReport) -> CallReply:
    return CallReply(
        status=ResearchStatus.COMPLETED,
        result=report.model_dump(mode="json"),
        cost=report.cost_ticks,
    )
