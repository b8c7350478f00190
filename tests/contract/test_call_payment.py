"""What is promised of calls that cost money, on either engine of the store."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

import pytest

from citewell.core.errors import (
    AuthRequired,
    InvalidInput,
    NetworkFailed,
    NotFound,
    RateLimited,
    UpstreamUnavailable,
)
from citewell.core.values.research import ResearchStatus
from citewell.jobs.durable_job import (
    BudgetSpent,
    CallFailed,
    CallNotSent,
    CallReply,
    CallUncertain,
    JobStep,
    JobStepState,
)
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.store.held_jobs import JobRecord
from citewell.jobs.store.job_store import ReconciledCall
from citewell.server.state.state_store import StateStore
from citewell.store.failures import (
    PASSING_FAILURES,
    BatchRolledBack,
    StoreError,
    StoreFull,
    WriteContended,
)
from tests.conditions import until
from tests.contract.offices import (
    CENT,
    OWNER,
    Provider,
    completed,
    ended,
    expect_claimed,
    hanging,
    lapse,
    office,
    order,
    paying,
    running,
    working,
)
from tests.contract.states import Kept
from tests.requirements import requires


def played(store: Kept, provider: Any, *, cap: Any = 50 * CENT, **options: Any) -> Any:
    """The job, its result and the balance once a workflow of this one call has ended."""

    async def scenario(state: StateStore) -> Any:
        await state.ledger.post_credit(OWNER, 100 * CENT)
        async with working(store, state, paying(provider, **options)) as jobs:
            view = await jobs.dispatch_job(OWNER, order(cap=cap))
            done = await ended(jobs, view.job.id)
            result = await jobs.store.look_up_job_result(OWNER, view.job.id)
            return done, result, await state.ledger.load_balance(OWNER)

    return store.run(scenario)


def test_a_background_call_is_followed_by_its_reference(store: Kept) -> None:
    provider = Provider(
        polls=[running(), UpstreamUnavailable("Hm."), running(), completed("report")]
    )

    view, result, balance = played(store, provider)

    step = view.find_step("call")
    assert provider.asked == ["submit", *["poll ref-1"] * 4]
    assert (view.status, result) == (ResearchStatus.COMPLETED, "report")
    assert (step.state, step.ref, step.cost, step.estimate) == (
        "done",
        "ref-1",
        3 * CENT + 1,
        5 * CENT,
    )
    assert view.spent == balance.settled == 3 * CENT + 1
    assert (balance.reserved, balance.ticks) == (0, 97 * CENT - 1)


def test_a_call_that_answers_at_once_is_not_polled(store: Kept) -> None:
    provider = Provider(background=False, submits=[completed({"text": "日本"})])

    view, result, _ = played(store, provider)

    assert provider.asked == ["submit"]
    assert (view.find_step("call").state, result) == ("done", {"text": "日本"})


@pytest.mark.parametrize(
    "refusal",
    [AuthRequired("Bad key."), InvalidInput("Bad model."), CallNotSent("Refused connection.")],
)
def test_a_refused_call_costs_nothing(store: Kept, refusal: Any) -> None:
    provider = Provider(submits=[refusal])

    view, _, balance = played(store, provider)

    assert provider.asked == ["submit"]
    assert view.status is ResearchStatus.FAILED
    assert refusal.message in view.error["message"]
    assert (view.find_step("call").state, view.find_step("call").error["kind"]) == (
        "failed",
        refusal.kind,
    )
    assert balance.cents == 100


def test_a_rate_limit_is_waited_out_with_the_same_tag(store: Kept) -> None:
    limit = RateLimited("Slow down.", retry_after=0.001)
    provider = Provider(submits=[limit, limit, running()])

    view, _, _ = played(store, provider)

    assert view.status is ResearchStatus.COMPLETED
    assert len(provider.tags) == 3
    assert len(set(provider.tags)) == 1


@requires("deep.paid_once")
@pytest.mark.parametrize(
    "fault",
    [NetworkFailed("Cut off."), UpstreamUnavailable("500."), ValueError("a bug"), running(None)],
)
def test_a_call_of_unknown_outcome_is_uncertain_and_not_sent_again(
    store: Kept, caplog: pytest.LogCaptureFixture, fault: Any
) -> None:
    provider = Provider(background=False, submits=[fault])

    view, _, balance = played(store, provider)

    step = view.find_step("call")
    assert provider.asked == ["submit"]
    assert view.status is ResearchStatus.FAILED
    assert (step.state, step.cost) == ("uncertain", 5 * CENT)
    assert (balance.settled, balance.reserved) == (5 * CENT, 0)


def test_a_call_that_is_charged_once_for_a_tag_goes_again(store: Kept) -> None:
    provider = Provider(
        background=False,
        is_idempotent=True,
        submits=[NetworkFailed("Cut off.", retry_after=0.0), completed()],
    )

    view, _, _ = played(store, provider)

    assert view.find_step("call").state == "done"
    assert len(set(provider.tags)) == 1
    assert len(provider.tags) == 2


def test_an_upstream_that_fails_is_paid_what_it_metered(store: Kept) -> None:
    failed = CallReply(
        status=ResearchStatus.FAILED, cost=CENT, error="Out of tokens.", error_kind="blocked"
    )
    provider = Provider(polls=[failed])

    view, _, balance = played(store, provider)

    assert (view.find_step("call").state, view.find_step("call").error["kind"]) == (
        "failed",
        "blocked",
    )
    assert balance.settled == CENT


def test_an_answer_the_upstream_has_forgotten_is_uncertain(store: Kept) -> None:
    provider = Provider(polls=[running(), NotFound("No such response.")])

    view, _, balance = played(store, provider)

    assert view.find_step("call").state == "uncertain"
    assert balance.settled == 5 * CENT


def test_a_call_beyond_the_cap_is_not_sent(store: Kept) -> None:
    first, second = Provider(estimate_cost=5 * CENT), Provider(estimate_cost=5 * CENT)

    async def work(run: WorkflowRun) -> Any:
        await run.run_paid_call("first", first)
        try:
            await run.run_paid_call("second", second)
        except BudgetSpent as error:
            return error.message

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order(cap=7 * CENT))
            await ended(jobs, view.job.id)
            return await jobs.store.look_up_job_result(OWNER, view.job.id)

    message = store.run(scenario)

    assert second.asked == []
    assert message == "double may cost 5 cents, but the job has only 4 cents left to spend."


def test_calls_at_the_same_time_cannot_pass_the_cap_together(store: Kept) -> None:
    providers = [Provider(estimate_cost=5 * CENT) for _ in range(8)]

    async def work(run: WorkflowRun) -> Any:
        calls = [run.run_paid_call(str(number), one) for number, one in enumerate(providers)]
        told = await asyncio.gather(*calls, return_exceptions=True)
        return [type(one).__name__ for one in told]

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order(cap=17 * CENT))
            await ended(jobs, view.job.id)
            return await jobs.store.look_up_job_result(OWNER, view.job.id)

    told = store.run(scenario)

    assert told.count("BudgetSpent") >= 3
    assert sum(len(one.asked) > 0 for one in providers) == told.count("str")


def test_a_call_refused_for_what_another_held_back_is_tried_again(store: Kept) -> None:
    """By the time anybody asks why, the other call has been settled for less."""
    provider = Provider()

    async def scenario(state: StateStore) -> Any:
        database: Any = state.database
        execute = database.execute_batch
        refused: list[int] = []

        async def contended(batch: Any) -> Any:
            if any("INSERT INTO job_step" in one.sql for one in batch) and not refused:
                refused.append(1)
                raise BatchRolledBack("Too little was left at this moment.")
            return await execute(batch)

        async with working(store, state, paying(provider)) as jobs:
            database.execute_batch = contended
            view = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, view.job.id)
            return refused, await jobs.store.look_up_job_result(OWNER, view.job.id)

    assert store.run(scenario) == ([1], "answer")
    assert provider.asked.count("submit") == 1


def test_a_cost_beyond_the_estimate_is_booked_as_it_was(store: Kept) -> None:
    provider = Provider(polls=[completed(cost=60 * CENT)])

    view, _, balance = played(store, provider, cap=10 * CENT)

    assert view.spent == balance.settled == 60 * CENT
    assert (balance.reserved, balance.cents) == (0, 40)


def test_a_call_that_takes_too_long_is_cancelled_upstream_and_settled(store: Kept) -> None:
    provider = Provider(polls=[running()])

    view, _, balance = played(store, provider, seconds=0.4)

    assert provider.asked[-1] == "cancel ref-1"
    assert view.status is ResearchStatus.FAILED
    assert (view.find_step("call").state, balance.settled) == ("cancelled", 2 * CENT + 7)


def test_cancelling_a_job_reaches_upstream_and_settles_what_was_metered(store: Kept) -> None:
    provider = Provider(polls=[running()])

    async def scenario(state: StateStore) -> Any:
        await state.ledger.post_credit(OWNER, 100 * CENT)
        async with working(store, state, paying(provider)) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: "poll ref-1" in provider.asked)
            await jobs.cancel_job(OWNER, view.job.id)
            done = await ended(jobs, view.job.id)
            return done, await state.ledger.load_balance(OWNER)

    view, balance = store.run(scenario)

    assert provider.asked.count("cancel ref-1") == 1
    assert view.status is ResearchStatus.CANCELLED
    assert view.find_step("call").state == "cancelled"
    assert (balance.settled, balance.reserved) == (2 * CENT + 7, 0)


def test_a_cancellation_asked_of_another_process_arrives(store: Kept) -> None:
    provider = Provider(polls=[running()])

    async def scenario(state: StateStore) -> Any:
        async with (
            store.opened() as elsewhere,
            working(store, elsewhere, paying(provider)),
        ):
            jobs = office(store, state, paying(provider))
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: "poll ref-1" in provider.asked)
            asked = await jobs.cancel_job(OWNER, view.job.id)
            return asked, await ended(jobs, view.job.id)

    asked, done = store.run(scenario)

    assert asked.cancelling
    assert done.status is ResearchStatus.CANCELLED
    assert provider.asked.count("cancel ref-1") == 1


async def interrupted(store: Kept, state: StateStore, jobs: Any, *, ref: Any = None) -> Any:
    """A job whose worker died after it wrote the intent, or the reference."""
    view = await jobs.dispatch_job(OWNER, order())
    held = await expect_claimed(store, state)
    record = JobRecord(state.database, state.vault, state.ledger, held, clock=store.clock)
    step = JobStep(
        key="call",
        state=JobStepState.INTENT,
        provider="double",
        estimate=5 * CENT,
        started=store.clock(),
        tag="the tag",
    )
    await record.record_intent(step)
    if ref is not None:
        await record.record_submission(
            dataclasses.replace(step, state=JobStepState.SUBMITTED, ref=ref)
        )
    await lapse(store)
    return view.job.id


def test_a_restart_asks_for_the_reference_instead_of_paying_again(store: Kept) -> None:
    provider = Provider(polls=[completed("late")])

    async def scenario(state: StateStore) -> Any:
        job = await interrupted(store, state, office(store, state, paying(provider)), ref="ref-9")
        async with working(store, state, paying(provider)) as jobs:
            await ended(jobs, job)
            return await jobs.store.look_up_job_result(OWNER, job)

    assert store.run(scenario) == "late"
    assert provider.asked == ["poll ref-9"]


@pytest.mark.parametrize("idempotent", [True, False])
def test_a_restart_sends_an_interrupted_call_again_only_where_that_is_charged_once(
    store: Kept, idempotent: bool
) -> None:
    provider = Provider(background=False, is_idempotent=idempotent, submits=[completed()])

    async def scenario(state: StateStore) -> Any:
        job = await interrupted(store, state, office(store, state, paying(provider)))
        async with working(store, state, paying(provider)) as jobs:
            return await ended(jobs, job)

    view = store.run(scenario)

    assert provider.tags == (["the tag"] if idempotent else [])
    assert view.find_step("call").state == ("done" if idempotent else "uncertain")


@pytest.mark.parametrize(("ref", "asked"), [("ref-9", ["cancel ref-9"]), (None, [])])
def test_a_cancellation_outlives_the_process_it_was_asked_of(
    store: Kept, ref: str | None, asked: Any
) -> None:
    provider = Provider(is_idempotent=True)

    async def scenario(state: StateStore) -> Any:
        jobs = office(store, state, paying(provider))
        job = await interrupted(store, state, jobs, ref=ref)
        await jobs.cancel_job(OWNER, job)
        async with working(store, state, paying(provider)) as jobs:
            return await ended(jobs, job)

    view = store.run(scenario)

    assert provider.asked == asked
    assert view.status is ResearchStatus.CANCELLED
    assert view.find_step("call").state == ("cancelled" if ref else "uncertain")


def test_an_error_is_the_same_after_a_restart(store: Kept) -> None:
    provider = Provider(background=False, submits=[NetworkFailed("Cut off.")])
    failing = Provider(submits=[AuthRequired("Bad key.")])
    told, gate = [], asyncio.Event()

    async def work(run: WorkflowRun) -> None:
        for key, call in (("a", provider), ("b", failing)):
            try:
                await run.run_paid_call(key, call)
            except (CallUncertain, CallFailed) as error:
                told.append((type(error), error.message, error.build_error_block()))
        if len(told) == 2:
            await gate.wait()

    async def scenario(state: StateStore) -> None:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: len(told) == 2)
        async with working(store, state, work) as jobs:
            await ended(jobs, view.job.id)

    store.run(scenario)

    assert told[:2] == told[2:]
    assert provider.asked == failing.asked == ["submit"]


def test_a_process_that_stops_waits_a_moment_for_a_call_in_flight(store: Kept) -> None:
    gate = asyncio.Event()
    provider = Provider(submits=[hanging(gate, running("late"))], polls=[completed()])

    async def scenario(state: StateStore) -> Any:
        async with working(
            store, state, paying(provider), pace={"call_grace_seconds": 5.0}
        ) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: provider.asked == ["submit"])
            asyncio.get_running_loop().call_later(0.05, gate.set)
        async with working(store, state, paying(provider)) as jobs:
            return await ended(jobs, view.job.id)

    view = store.run(scenario)

    assert provider.asked == ["submit", "poll late"]
    assert view.find_step("call").state == "done"


def test_a_call_that_ends_with_its_job_in_flight_is_uncertain(store: Kept) -> None:
    provider = Provider(background=False, submits=[hanging(asyncio.Event(), completed())])

    async def scenario(state: StateStore) -> Any:
        async with working(
            store, state, paying(provider), pace={"call_grace_seconds": 0.01}
        ) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: provider.asked == ["submit"])
            await jobs.cancel_job(OWNER, view.job.id)
            return await ended(jobs, view.job.id)

    view = store.run(scenario)

    assert (view.status, view.find_step("call").state) == (ResearchStatus.CANCELLED, "uncertain")


def test_calls_that_a_failed_workflow_leaves_behind_are_cancelled(store: Kept) -> None:
    provider = Provider(polls=[running()])

    async def work(run: WorkflowRun) -> None:
        task = asyncio.create_task(run.run_paid_call("call", provider))
        await until(lambda: "poll ref-1" in provider.asked)
        assert not task.done()
        raise InvalidInput("Enough.")

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            return await ended(jobs, view.job.id)

    view = store.run(scenario)

    assert provider.asked[-1] == "cancel ref-1"
    assert (view.status, view.find_step("call").state) == (ResearchStatus.FAILED, "cancelled")


def test_a_job_put_off_keeps_what_runs_upstream(store: Kept) -> None:
    """A failure that may pass retries the job; the call is asked for again, not sent again."""
    provider = Provider(polls=[running()])
    lives = []

    async def work(run: WorkflowRun) -> Any:
        lives.append(1)
        task = asyncio.create_task(run.run_paid_call("call", provider))
        await until(lambda: "poll ref-1" in provider.asked)
        if len(lives) == 1:
            raise UpstreamUnavailable("Not now.")
        provider.polls = [completed("at last")]
        return await task

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, view.job.id)
            return await jobs.store.look_up_job_result(OWNER, view.job.id)

    assert store.run(scenario) == "at last"
    assert provider.asked.count("submit") == 1
    assert "cancel ref-1" not in provider.asked


def test_a_result_outlasts_a_store_that_fails_for_a_moment(store: Kept) -> None:
    provider = Provider(background=False, submits=[completed("kept")])

    async def scenario(state: StateStore) -> Any:
        database: Any = state.database
        execute = database.execute_batch
        failures: list[int] = []

        async def shaky(batch: Any) -> Any:
            if provider.asked == ["submit"] and not failures:
                failures.append(1)
                raise StoreError("The disk is full.")
            return await execute(batch)

        async with working(store, state, paying(provider)) as jobs:
            database.execute_batch = shaky
            view = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, view.job.id)
            return failures, await jobs.store.look_up_job_result(OWNER, view.job.id)

    failures, result = store.run(scenario)

    assert (failures, result) == ([1], "kept")
    assert provider.asked == ["submit"]


@pytest.mark.parametrize("failure", PASSING_FAILURES)
def test_a_result_that_was_paid_for_outlasts_a_store_that_is_full_or_away(
    store: Kept, failure: type[StoreError], caplog: pytest.LogCaptureFixture
) -> None:
    provider = Provider(background=False, submits=[completed("kept")])

    async def scenario(state: StateStore) -> Any:
        database: Any = state.database
        execute = database.execute_batch
        failures: list[int] = []

        async def full(batch: Any) -> Any:
            if provider.asked == ["submit"] and len(failures) < 50:
                failures.append(1)
                raise failure("Not now.")
            return await execute(batch)

        async with working(store, state, paying(provider)) as jobs:
            database.execute_batch = full
            view = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, view.job.id)
            return await jobs.store.look_up_job_result(OWNER, view.job.id)

    assert store.run(scenario) == "kept"
    assert provider.asked == ["submit"]
    assert "A job waits for the store: Not now." in caplog.text


def test_a_run_that_must_stop_does_not_wait_for_a_full_store(store: Kept) -> None:
    provider = Provider(background=False, submits=[completed("kept")])

    async def scenario(state: StateStore) -> Any:
        database: Any = state.database
        execute = database.execute_batch
        failures: list[int] = []

        async def full(batch: Any) -> Any:
            if provider.asked:
                failures.append(1)
                raise StoreFull("Not now.")
            return await execute(batch)

        async with working(store, state, paying(provider)) as jobs:
            database.execute_batch = full
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: len(failures) > 5)
        database.execute_batch = execute
        return await jobs.store.require_job_view(OWNER, view.job.id)

    assert not store.run(scenario).status.is_final


def test_a_write_whose_answer_was_lost_counts_once(store: Kept) -> None:
    """The commit happened, the line broke: the second try finds its own work."""
    provider = Provider(background=False, submits=[completed("kept")])

    async def scenario(state: StateStore) -> Any:
        await state.ledger.post_credit(OWNER, 100 * CENT)
        database: Any = state.database
        execute = database.execute_batch
        failures: list[int] = []

        async def shaky(batch: Any) -> Any:
            outcome = await execute(batch)
            if provider.asked == ["submit"] and not failures:
                failures.append(1)
                raise StoreError("The line broke.")
            return outcome

        async with working(store, state, paying(provider)) as jobs:
            database.execute_batch = shaky
            view = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, view.job.id)
            return await jobs.store.look_up_job_result(
                OWNER, view.job.id
            ), await state.ledger.load_balance(OWNER)

    result, balance = store.run(scenario)

    assert result == "kept"
    assert balance.settled == 3 * CENT + 1


def test_a_store_that_stays_broken_puts_the_job_down_and_it_goes_on_later(
    store: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    provider = Provider(polls=[completed("in the end")])

    async def scenario(state: StateStore) -> Any:
        database: Any = state.database
        execute, broken = database.execute_batch, [True]

        async def shaky(batch: Any) -> Any:
            if provider.asked and broken[0]:
                raise StoreError("The disk is full.")
            return await execute(batch)

        async with working(store, state, paying(provider)) as jobs:
            database.execute_batch = shaky
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: bool(provider.asked) and not jobs.runner.running_count)
            broken[0] = False
            done = await ended(jobs, view.job.id)
            return done, await jobs.store.look_up_job_result(OWNER, view.job.id)

    view, _ = store.run(scenario)

    # The reference was lost with the disk, so nobody may send the call again.
    assert provider.asked == ["submit"]
    assert view.find_step("call").state == "uncertain"


def test_an_uncertain_call_is_put_right_by_who_knows_what_came_of_it(store: Kept) -> None:
    provider = Provider(background=False, submits=[NetworkFailed("Cut off.")])

    async def scenario(state: StateStore) -> Any:
        await state.ledger.post_credit(OWNER, 100 * CENT)
        async with working(store, state, paying(provider)) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, view.job.id)
            job = view.job.id
            with pytest.raises(InvalidInput):
                await jobs.reconcile_call(OWNER, job, "call", ReconciledCall(cost=-1))
            found = ReconciledCall(cost=2 * CENT + 5, result="found in the console")
            done = await jobs.reconcile_call(OWNER, job, "call", found)
            with pytest.raises((InvalidInput, WriteContended)):
                await jobs.reconcile_call(OWNER, job, "call", ReconciledCall(cost=0))
            result = await jobs.store.look_up_step_result(OWNER, job, "call")
            entries = await state.ledger.list_transactions(OWNER)
            usage = await state.ledger.list_provider_spending(OWNER)
            return done, result, await state.ledger.load_balance(OWNER), entries[0], usage

    view, result, balance, entry, usage = store.run(scenario)

    assert (view.find_step("call").state, view.find_step("call").cost) == ("done", 2 * CENT + 5)
    assert result == "found in the console"
    assert (balance.settled, balance.reserved) == (2 * CENT + 5, 0)
    assert (entry.type, entry.ticks, entry.source) == ("settle", -3 * CENT + 5, "correction")
    assert [(one.provider, one.ticks, one.jobs) for one in usage] == [("double", 2 * CENT + 5, 1)]
