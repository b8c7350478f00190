"""What is promised of one paid call of a tool, on either engine of the store."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from citewell.core.errors import (
    AuthRequired,
    CitewellError,
    MalformedResponse,
    NetworkFailed,
    NotConnected,
    RateLimited,
)
from citewell.core.values.research import ResearchStatus
from citewell.jobs.durable_job import CallUncertain, JobOrder, JobStep, JobStepState
from citewell.jobs.job_service import JobService
from citewell.jobs.step_values import SINGLE_CALL_KIND
from citewell.jobs.store.held_jobs import JobRecord
from citewell.jobs.store.job_store import ReconciledCall
from citewell.jobs.store.thread_store import BalanceTooLow
from citewell.research.single_calls import CallOrder, CallResult, SingleCalls, SingleCallWorkflow
from citewell.server.state.state_store import StateStore
from tests.conditions import until
from tests.contract.offices import CENT, FAST, OWNER, ended
from tests.contract.states import Kept

STEP = "report:exa"


@dataclass
class Sender:
    """A provider that does as it is told, and remembers what it was sent."""

    outcome: Any = field(default_factory=lambda: CallResult(value={"text": "42"}, cost_ticks=CENT))
    tags: list[str] = field(default_factory=list)

    async def send(self, tag: str) -> CallResult:
        self.tags.append(tag)
        told = await self.outcome() if callable(self.outcome) else self.outcome
        if isinstance(told, Exception):
            raise told
        assert isinstance(told, CallResult)
        return told


def order(sender: Sender, estimate: int = 2 * CENT, seconds: float = 5.0) -> CallOrder:
    return CallOrder(
        tool="answer",
        query="What is it?",
        provider="exa",
        estimate_ticks=estimate,
        seconds=seconds,
        send=sender.send,
    )


def office(state: StateStore, store: Kept) -> tuple[JobService, SingleCalls]:
    workflow = SingleCallWorkflow()
    jobs = JobService(state, {SINGLE_CALL_KIND: workflow}, timing=FAST, clock=store.clock)
    return jobs, SingleCalls(jobs, workflow)


def played(store: Kept, sender: Sender, *, credit: int = 10 * CENT) -> Any:
    """What the caller got, the job's view if it has one, and the balance."""

    async def scenario(state: StateStore) -> Any:
        await state.ledger.post_credit(OWNER, credit)
        jobs, calls = office(state, store)
        try:
            got: Any = await calls.pay_call(OWNER, order(sender))
        except CitewellError as error:
            got = error
        views = await jobs.store.list_owner_jobs(OWNER)
        view = await jobs.store.require_job_view(OWNER, views[0].job.id) if views else None
        await jobs.stop_runner()
        return got, view, await state.ledger.load_balance(OWNER)

    return store.run(scenario)


def test_a_call_is_sent_once_and_its_cost_is_settled(store: Kept) -> None:
    sender = Sender()

    got, view, balance = played(store, sender)

    assert got == CallResult(value={"text": "42"}, cost_ticks=CENT)
    assert len(sender.tags) == 1
    assert (view.status, view.find_step(STEP).state) == (ResearchStatus.COMPLETED, "done")
    assert (balance.settled, balance.reserved) == (CENT, 0)


def test_a_call_that_the_budget_does_not_cover_is_not_sent(store: Kept) -> None:
    sender = Sender()

    got, view, balance = played(store, sender, credit=CENT)

    assert isinstance(got, BalanceTooLow)
    assert (sender.tags, view, balance.cents) == ([], None, 1)


@pytest.mark.parametrize(
    "refusal", [AuthRequired("Bad key."), RateLimited("Slow down.", retry_after=7)]
)
def test_a_refusal_reaches_the_caller_as_it_is_and_costs_nothing(
    store: Kept, refusal: CitewellError
) -> None:
    sender = Sender(refusal)

    got, view, balance = played(store, sender)

    assert got is refusal
    assert len(sender.tags) == 1
    assert (view.find_step(STEP).state, balance.cents) == ("failed", 10)


def test_a_call_that_never_left_costs_nothing(store: Kept) -> None:
    got, _, balance = played(store, Sender(NotConnected("Refused.")))

    assert (got.message, balance.cents) == ("Refused.", 10)


@pytest.mark.parametrize("failure", [NetworkFailed("Cut off."), MalformedResponse("HTML.")])
def test_a_call_whose_answer_is_lost_is_uncertain_and_can_be_reconciled(
    store: Kept, failure: CitewellError
) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.ledger.post_credit(OWNER, 10 * CENT)
        jobs, calls = office(state, store)
        with pytest.raises(CallUncertain) as caught:
            await calls.pay_call(OWNER, order(Sender(failure)))
        held = await state.ledger.load_balance(OWNER)
        job, step = caught.value.extra["jobId"], caught.value.extra["step"]
        await jobs.reconcile_call(OWNER, str(job), str(step), ReconciledCall(cost=CENT))
        await jobs.stop_runner()
        return caught.value, held, await state.ledger.load_balance(OWNER)

    error, held, after = store.run(scenario)

    assert failure.message in error.message
    assert "citewell jobs reconcile" in error.message
    assert (held.settled, held.reserved) == (2 * CENT, 0)
    assert after.settled == CENT


def test_a_cancelled_call_is_settled_as_uncertain(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        jobs, calls = office(state, store)
        sender = Sender(asyncio.Event().wait)
        task = asyncio.create_task(calls.pay_call(OWNER, order(sender)))
        await until(lambda: bool(sender.tags))
        task.cancel()
        await asyncio.wait({task})
        [view] = await jobs.store.list_owner_jobs(OWNER)
        await jobs.stop_runner()
        return task.cancelled(), await jobs.store.require_job_view(OWNER, view.job.id)

    cancelled, view = store.run(scenario)

    assert cancelled
    assert (view.status, view.find_step(STEP).state) == (ResearchStatus.CANCELLED, "uncertain")


@pytest.mark.parametrize(
    ("is_intended", "state", "spent"),
    [(True, JobStepState.UNCERTAIN, 2 * CENT), (False, JobStepState.FAILED, 0)],
)
def test_the_call_of_a_process_that_died_is_settled_and_never_sent(
    store: Kept, is_intended: bool, state: JobStepState, spent: int
) -> None:
    async def scenario(held_state: StateStore) -> Any:
        jobs, _ = office(held_state, store)
        await _die_during_call(held_state, store, jobs, is_intended=is_intended)
        await _let_leases_end(store)
        heir, _ = office(held_state, store)
        heir.start_runner()
        view = await ended(heir, "job-1")
        await heir.stop_runner()
        return view, await held_state.ledger.load_balance(OWNER)

    view, balance = store.run(scenario)

    assert (view.status, view.find_step(STEP).state) == (ResearchStatus.FAILED, state)
    assert (balance.settled, balance.reserved) == (spent, 0)


async def _die_during_call(
    state: StateStore, store: Kept, jobs: JobService, *, is_intended: bool
) -> None:
    """Leave what a killed process leaves: a job in its hands, with or without the intent to send."""
    engine: Any = jobs.runner
    args = {"query": "?", "tier": "", "providers": ["exa"], "mode": "fast"}
    made = await state.jobs.create_job(
        OWNER,
        "job-1",
        JobOrder(kind=SINGLE_CALL_KIND, args=args, cap=2 * CENT),
        placement=[engine.build_first_claim("job-1", seconds=0.1)],
    )
    if is_intended:
        held = await engine._queue.load_first_claim(made.job)
        record = JobRecord(state.database, state.vault, state.ledger, held, clock=store.clock)
        await record.record_intent(
            JobStep(key=STEP, state=JobStepState.INTENT, provider="exa", estimate=2 * CENT, tag="t")
        )


async def _let_leases_end(store: Kept) -> None:
    store.clock.now += FAST.lease_seconds + 1
    if store.name == "postgres":
        await asyncio.sleep(FAST.lease_seconds + 0.05)


def test_calls_run_beside_as_many_jobs_as_there_may_be(store: Kept) -> None:
    gate = asyncio.Event()

    async def wait() -> CallResult:
        await gate.wait()
        return CallResult(value=None, cost_ticks=0)

    async def scenario(state: StateStore) -> Any:
        jobs, calls = office(state, store)
        senders = [Sender(wait) for _ in range(6)]
        tasks = [asyncio.create_task(calls.pay_call(OWNER, order(one))) for one in senders]
        await until(lambda: all(one.tags for one in senders))
        gate.set()
        got = await asyncio.gather(*tasks)
        await jobs.stop_runner()
        return got

    assert len(store.run(scenario)) == 6
