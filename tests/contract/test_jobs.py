"""What the job engine promises on either engine of the store."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citewell.errors import InternalError, InvalidInput, NotFound, UpstreamUnavailable
from citewell.model.durable_job import JobOrder, JobStepState
from citewell.model.research import ResearchStatus
from citewell.services.jobs.job_service import JobService
from citewell.services.jobs.workflow_run import WorkflowRun
from citewell.store.failures import PASSING_FAILURES, DecryptionFailed, StoreError
from citewell.store.jobs.job_errors import (
    BalanceTooLow,
    ThreadInUse,
    UnknownJob,
    UnknownStep,
    UnknownThread,
)
from citewell.store.jobs.job_queue import SqlJobQueue
from citewell.store.jobs.job_record import (
    JobRecord,
    KnownStep,
    LeaseLost,
    PaidCallOutcome,
)
from citewell.store.jobs.job_store import ReconciledCall
from citewell.store.sql.database import SqlStatement
from citewell.store.state_store import StateStore
from tests.conditions import WAIT_SECONDS, until
from tests.contract.offices import (
    CENT,
    FAST,
    OWNER,
    Provider,
    claimed,
    embedded,
    ended,
    expect_claimed,
    lapse,
    office,
    order,
    paying,
    running,
    working,
)
from tests.contract.states import ENGINES, Kept, kept

# No worker seems to be lost because the machine is busy.
UNHURRIED = {"lease_seconds": 60.0, "heartbeat_seconds": 60.0}


@pytest.fixture(params=sorted(ENGINES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    return kept(request.param, tmp_path)


async def nothing(run: WorkflowRun) -> Any:
    return None


def counting(times: Any) -> Any:
    async def work(run: WorkflowRun) -> Any:
        async def once() -> Any:
            times.append(1)
            return {"times": len(times)}

        return await run.run_step("once", once)

    return work


async def first_step_stored(jobs: JobService, job: str) -> None:
    """Wait for the row of a step; `wait_for_news` also ends when a busy worker seems to be lost."""

    async def is_stored() -> bool:
        return bool((await jobs.load_job_view(OWNER, job)).steps)

    await until(is_stored)


def test_a_job_gives_its_result_steps_and_log_to_any_process(store: Kept) -> None:
    async def work(run: WorkflowRun) -> Any:
        async def plan() -> Any:
            return ["a", {"b": 1.5}]

        await run.emit_event("planned", pages=3)
        first = await run.run_step("plan", plan, provider="local")
        await run.enter_status(ResearchStatus.SYNTHESIZING)
        return {"first": first, "args": dict(run.job.args)}

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order(args={"q": "日本"}))
            await ended(jobs, view.job.id)
        return view.job.id

    async def look(state: StateStore) -> Any:
        jobs = office(store, state, work)
        events = await jobs.list_job_events(OWNER, job)
        later = await jobs.list_job_events(OWNER, job, after=events[1].seq)
        return (
            await jobs.load_job_view(OWNER, job),
            await jobs.load_job_result(OWNER, job),
            await jobs.load_step_result(OWNER, job, "plan"),
            [(event.type, dict(event.payload)) for event in events],
            later == events[2:],
        )

    job = store.run(scenario)
    view, result, step, events, paged = store.run(look)

    assert view.status is ResearchStatus.COMPLETED
    assert result == {"first": ["a", {"b": 1.5}], "args": {"q": "日本"}}
    assert step == ["a", {"b": 1.5}]
    assert [(one.key, one.state, one.provider) for one in view.steps] == [("plan", "done", "local")]
    assert events == [
        ("status", {"status": "pending"}),
        ("planned", {"pages": 3}),
        ("step", {"key": "plan", "state": "done", "provider": "local"}),
        ("status", {"status": "synthesizing"}),
        ("status", {"status": "completed"}),
    ]
    assert paged


def test_a_recorded_step_is_not_done_again_by_the_next_process(store: Kept) -> None:
    times: list[int] = []
    waits = asyncio.Event()

    async def work(run: WorkflowRun) -> Any:
        first = await counting(times)(run)
        await waits.wait()
        return first

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: len(times) == 1)
            await first_step_stored(jobs, view.job.id)
        waits.set()
        async with working(store, state, work) as jobs:
            await ended(jobs, view.job.id)
            return await jobs.load_job_result(OWNER, view.job.id)

    assert store.run(scenario) == {"times": 1}
    assert times == [1]


def test_a_sleep_is_counted_from_its_first_begin_and_not_begun_again(store: Kept) -> None:
    slept: list[float] = []

    async def pause(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 1:
            await asyncio.Event().wait()

    async def work(run: WorkflowRun) -> Any:
        await run.sleep_until_due("rest", 60.0)
        return "rested"

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work, pause=pause) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: len(slept) == 1)
        store.clock.now += 45
        async with working(store, state, work, pause=pause) as jobs:
            await ended(jobs, view.job.id)
            return await jobs.load_job_result(OWNER, view.job.id)

    assert store.run(scenario) == "rested"
    assert slept == [60.0, 15.0]


def test_a_worker_that_stops_lets_another_go_on_at_once(store: Kept) -> None:
    begun = []

    async def work(run: WorkflowRun) -> Any:
        begun.append(1)
        if len(begun) == 1:
            await asyncio.Event().wait()
        return "done"

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work, pace={"lease_seconds": 600.0}) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: begun == [1])
        async with working(store, state, work, pace={"lease_seconds": 600.0}) as jobs:
            return await ended(jobs, view.job.id)

    assert store.run(scenario).status is ResearchStatus.COMPLETED


def test_a_job_whose_worker_fell_silent_is_taken_over(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        jobs = office(store, state, counting([]))
        view = await jobs.dispatch_job(OWNER, order())
        assert (await expect_claimed(store, state)).job.id == view.job.id
        if store.name == "sqlite":  # DBOS starts a run once
            assert await claimed(store, state, holder="third") is None
        await lapse(store)
        async with working(store, state, counting([])) as jobs:
            return await ended(jobs, view.job.id)

    assert store.run(scenario).status is ResearchStatus.COMPLETED


def test_whoever_lost_the_job_can_write_nothing_more(store: Kept) -> None:
    provider = Provider()

    async def scenario(state: StateStore) -> Any:
        jobs = office(store, state, paying(provider))
        view = await jobs.dispatch_job(OWNER, order())
        zombie = await expect_claimed(store, state)
        record = JobRecord(state.database, state.vault, state.ledger, zombie, clock=store.clock)
        call = KnownStep(key="call", state=JobStepState.INTENT, provider="double", estimate=CENT)
        await record.record_intent(call)
        await lapse(store)
        assert (await expect_claimed(store, state, holder="third")).fence == 2
        writes = (
            record.append_event("said", {}),
            record.record_free_step(KnownStep(key="step", state=JobStepState.DONE), 1),
            record.record_intent(KnownStep(key="other", state=JobStepState.INTENT)),
            record.record_submission(call),
            record.record_outcome(call, PaidCallOutcome(state=JobStepState.DONE, cost=CENT)),
            record.change_status(ResearchStatus.SYNTHESIZING),
            record.finish_job(ResearchStatus.COMPLETED, None),
        )
        for write in writes:
            with pytest.raises(LeaseLost):
                await write
        return await jobs.load_job_view(OWNER, view.job.id)

    view = store.run(scenario)

    assert (view.status, view.spent) == (ResearchStatus.RUNNING, 0)
    assert [step.state for step in view.steps] == ["intent"]


@pytest.mark.parametrize("seconds", [3600.0, 10_000_000.0])
def test_a_clock_that_goes_back_strands_no_job(tmp_path: Path, seconds: float) -> None:
    """The lease and the wait of a dead worker's job lie far ahead then; they are cut to size."""
    store = kept("sqlite", tmp_path)

    async def scenario(state: StateStore) -> Any:
        jobs = office(store, state, nothing)
        left_behind = await jobs.dispatch_job(OWNER, order())
        assert (await expect_claimed(store, state)).job.id == left_behind.job.id
        waiting = await jobs.dispatch_job(OWNER, order())
        held = await expect_claimed(store, state, holder="third")
        queue = SqlJobQueue(
            *(state.database, state.vault, state.ledger),
            holder="third", lease_seconds=0.05, per_owner=9, clock=store.clock,
        )  # fmt: skip
        await queue.postpone_job(held, seconds=20.0)
        store.clock.now -= seconds
        await embedded(jobs).run_turn()
        still = [await jobs.load_job_view(OWNER, one.job.id) for one in (left_behind, waiting)]
        store.clock.now += 21.0
        async with working(store, state, nothing) as jobs:
            return still, [await ended(jobs, one.job.id) for one in (left_behind, waiting)]

    still, done = store.run(scenario)

    assert not any(view.status.is_final for view in still)
    assert [view.status for view in done] == [ResearchStatus.COMPLETED] * 2


def test_an_order_beyond_the_balance_keeps_nothing(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.ledger.post_credit(OWNER, 100 * CENT)
        jobs = office(store, state, nothing)
        await jobs.dispatch_job(OWNER, order(cap=60 * CENT))
        with pytest.raises(BalanceTooLow) as caught:
            await jobs.dispatch_job(OWNER, order(cap=50 * CENT, thread="t", title="A title"))
        with pytest.raises(UnknownThread):
            await state.threads.load_thread(OWNER, "t")
        balance = await state.ledger.load_balance(OWNER)
        return caught.value, balance, await jobs.list_jobs(OWNER)

    error, balance, listed = store.run(scenario)

    assert error.extra == {
        "balanceCents": 40,
        "requiredCents": 50,
    }
    assert (balance.cents, balance.reserved) == (40, 60 * CENT)
    assert len(listed) == 1


def test_a_thread_has_one_job_under_way_at_a_time(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        jobs = office(store, state, nothing)
        first = await jobs.dispatch_job(OWNER, order(thread="t", title="T", question="Why?"))
        with pytest.raises(ThreadInUse):
            await jobs.dispatch_job(OWNER, order(thread="t", question="And?"))
        await jobs.cancel_job(OWNER, first.job.id)
        await jobs.dispatch_job(OWNER, order(thread="t", question="And then?"))
        with pytest.raises(UnknownThread):
            await jobs.dispatch_job("other", order(thread="t", question="Whose?"))
        messages = await state.threads.list_messages(OWNER, "t")
        return [message.content for message in messages], await jobs.list_thread_jobs(OWNER, "t")

    said, jobs = store.run(scenario)

    assert said == ["Why?", "And then?"]
    assert [view.status for view in jobs].count(ResearchStatus.PENDING) == 1


def test_of_many_follow_ups_at_once_one_is_taken(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        jobs = office(store, state, nothing)
        first = await jobs.dispatch_job(OWNER, order(thread="t", title="T"))
        await jobs.cancel_job(OWNER, first.job.id)
        asked = [jobs.dispatch_job(OWNER, order(thread="t")) for _ in range(12)]
        told = await asyncio.gather(*asked, return_exceptions=True)
        return [type(one).__name__ for one in told]

    told = store.run(scenario)

    assert sorted(told) == ["JobView", *["ThreadInUse"] * 11]


@pytest.mark.parametrize(
    "verb", ["view", "result", "step_result", "events", "cancel", "reconcile", "wait"]
)
def test_a_job_of_another_owner_cannot_be_told_from_an_unknown_one(store: Kept, verb: str) -> None:
    def ask(jobs: Any, job: Any) -> Any:
        return {
            "view": lambda: jobs.load_job_view("other", job),
            "result": lambda: jobs.load_job_result("other", job),
            "step_result": lambda: jobs.load_step_result("other", job, "call"),
            "events": lambda: jobs.list_job_events("other", job),
            "cancel": lambda: jobs.cancel_job("other", job),
            "reconcile": lambda: jobs.reconcile_call("other", job, "call", ReconciledCall(cost=0)),
            "wait": lambda: jobs.wait_for_news("other", job, since=0, seconds=1),
        }[verb]()

    async def scenario(state: StateStore) -> Any:
        jobs = office(store, state, nothing)
        mine = await jobs.dispatch_job(OWNER, order())
        await jobs.dispatch_job("other", order())
        told = []
        for job in (mine.job.id, "nobody's"):
            with pytest.raises(UnknownJob) as caught:
                await ask(jobs, job)
            told.append((caught.value.message, caught.value.build_error_block()))
        return told, await jobs.load_job_view(OWNER, mine.job.id), await jobs.list_jobs("other")

    (theirs, unknown), mine, listed = store.run(scenario)

    assert theirs == unknown
    assert mine.status is ResearchStatus.PENDING
    assert len(listed) == 1


def test_a_job_that_nobody_began_is_cancelled_at_once(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.ledger.post_credit(OWNER, 100 * CENT)
        jobs = office(store, state, nothing)
        view = await jobs.dispatch_job(OWNER, order(cap=60 * CENT))
        cancelled = await jobs.cancel_job(OWNER, view.job.id)
        again = await jobs.cancel_job(OWNER, view.job.id)
        return cancelled, again, await state.ledger.load_balance(OWNER)

    cancelled, again, balance = store.run(scenario)

    assert cancelled.status is again.status is ResearchStatus.CANCELLED
    assert again.seq == cancelled.seq
    assert (balance.cents, balance.reserved) == (100, 0)


def test_a_final_job_stays_as_it_is(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        async with working(store, state, counting([])) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            done = await ended(jobs, view.job.id)
            await jobs.cancel_job(OWNER, view.job.id)
            return done, await jobs.load_job_view(OWNER, view.job.id)

    done, after = store.run(scenario)

    assert done == after


def test_a_process_never_runs_more_jobs_than_it_may(store: Kept) -> None:
    now, most, gate = [], [], asyncio.Event()

    async def work(run: WorkflowRun) -> None:
        now.append(run.job.id)
        most.append(len(now))
        await gate.wait()
        now.remove(run.job.id)

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work, at_once=3, per_owner=100) as jobs:
            views = [await jobs.dispatch_job(OWNER, order()) for _ in range(12)]
            await until(lambda: len(now) == 3)
            gate.set()
            return [(await ended(jobs, view.job.id)).status for view in views]

    assert set(store.run(scenario)) == {ResearchStatus.COMPLETED}
    assert max(most) == 3


def test_one_owner_does_not_take_all_the_room(store: Kept) -> None:
    now, most, gate = [], [], asyncio.Event()

    async def work(run: WorkflowRun) -> None:
        now.append(run.job.owner)
        most.append(now.count("greedy"))
        await gate.wait()
        now.remove(run.job.owner)

    async def scenario(state: StateStore) -> None:
        async with working(store, state, work, at_once=4, per_owner=2) as jobs:
            many = [await jobs.dispatch_job("greedy", order()) for _ in range(6)]
            one = await jobs.dispatch_job("modest", order())
            await until(lambda: "modest" in now and now.count("greedy") == 2)
            gate.set()
            for view in many:
                await ended(jobs, view.job.id, "greedy")
            await ended(jobs, one.job.id, "modest")

    store.run(scenario)

    assert max(most) == 2


def test_what_matters_more_goes_first_and_what_was_begun_before_that(store: Kept) -> None:
    order_of = []

    async def work(run: WorkflowRun) -> None:
        order_of.append(run.job.args["name"])

    async def scenario(state: StateStore) -> None:
        jobs = office(store, state, work)
        begun = await jobs.dispatch_job(OWNER, order(args={"name": "begun"}, priority=-5))
        assert (await expect_claimed(store, state)).job.id == begun.job.id
        for name, priority in (("low", 0), ("high", 9)):
            store.clock.now += 1
            await jobs.dispatch_job(OWNER, order(args={"name": name}, priority=priority))
        await lapse(store)
        async with working(store, state, work, at_once=1) as jobs:
            await until(lambda: len(order_of) == 3)

    store.run(scenario)

    if store.settings.database_url:
        # DBOS serves its queue before what a dead worker left has been given back to it.
        order_of.remove("begun")
        assert order_of == ["high", "low"]
    else:
        assert order_of == ["begun", "high", "low"]


def test_a_failure_that_may_pass_is_tried_again(store: Kept) -> None:
    tries = []

    async def work(run: WorkflowRun) -> Any:
        async def shaky() -> Any:
            tries.append("step")
            if len(tries) < 3:
                raise UpstreamUnavailable("Not now.", retry_after=0.001)
            return "fine"

        return await run.run_step("shaky", shaky)

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, view.job.id)
            return await jobs.load_job_result(OWNER, view.job.id)

    assert store.run(scenario) == "fine"
    assert len(tries) == 3


@pytest.mark.parametrize("failure", PASSING_FAILURES)
def test_a_store_that_is_full_or_away_for_long_does_not_count_against_a_job(
    store: Kept, failure: type[StoreError]
) -> None:
    tries = []

    async def work(_run: WorkflowRun) -> Any:
        tries.append("run")
        if len(tries) <= 2 * FAST.max_attempts:
            raise failure("Not now.")
        return "fine"

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, view.job.id)
            return await jobs.load_job_result(OWNER, view.job.id)

    assert store.run(scenario) == "fine"


def test_a_workflow_that_something_around_it_cancelled_is_tried_again(store: Kept) -> None:
    tries = []

    async def work(_run: WorkflowRun) -> Any:
        tries.append("run")
        if len(tries) < 2:
            raise asyncio.CancelledError
        return "fine"

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, view.job.id)
            return await jobs.load_job_result(OWNER, view.job.id)

    assert store.run(scenario) == "fine"


def test_a_job_that_ends_its_workers_is_given_up(store: Kept) -> None:
    """Each claim without a recorded step counts; the last one ends the job for good."""

    async def scenario(state: StateStore) -> Any:
        await state.ledger.post_credit(OWNER, 100 * CENT)
        jobs = office(store, state, nothing)
        view = await jobs.dispatch_job(OWNER, order())
        for number in range(4):
            assert await claimed(store, state, holder=f"worker {number}")
            await lapse(store)
        async with working(store, state, nothing) as jobs:
            return await ended(jobs, view.job.id), await state.ledger.load_balance(OWNER)

    view, balance = store.run(scenario)

    assert view.status is ResearchStatus.FAILED
    assert view.error["kind"] == "internal"
    assert (balance.cents, balance.reserved) == (100, 0)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(InvalidInput("Too vague."), "validation"), (KeyError("a secret"), "internal")],
)
def test_a_workflow_that_fails_ends_its_job_and_says_why(
    store: Kept, caplog: pytest.LogCaptureFixture, fault: Any, kind: str
) -> None:
    async def work(run: WorkflowRun) -> None:
        raise fault

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            done = await ended(jobs, view.job.id)
            return done, await jobs.load_job_result(OWNER, view.job.id)

    view, result = store.run(scenario)

    assert view.status is ResearchStatus.FAILED
    assert view.error["kind"] == kind
    assert "secret" not in view.error["message"]
    assert result is None


def test_steps_of_one_key_at_the_same_time_are_a_fault(
    store: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(run: WorkflowRun) -> None:
        async def slow() -> None:
            await asyncio.sleep(0.001)

        await asyncio.gather(run.run_step("same", slow), run.run_step("same", slow))

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            return await ended(jobs, view.job.id)

    assert store.run(scenario).error["message"].startswith("Two steps")


def test_waiting_ends_with_news_of_another_process(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        async with (
            store.opened() as elsewhere,
            working(store, elsewhere, counting([]), pace=UNHURRIED),
        ):
            jobs = office(store, state, nothing, pace=UNHURRIED)
            view = await jobs.dispatch_job(OWNER, order())
            news = await jobs.wait_for_news(
                OWNER, view.job.id, since=view.seq, seconds=WAIT_SECONDS
            )
            return view, news, await ended(jobs, view.job.id)

    view, news, done = store.run(scenario)

    assert news.seq > view.seq
    assert done.status is ResearchStatus.COMPLETED


def test_waiting_ends_with_the_time_when_nothing_happens(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        jobs = office(store, state, nothing)
        view = await jobs.dispatch_job(OWNER, order())
        return view, await jobs.wait_for_news(OWNER, view.job.id, since=view.seq, seconds=0.05)

    view, same = store.run(scenario)

    assert same.seq == view.seq


def test_the_status_of_a_job_is_one_query(store: Kept) -> None:
    asked = []

    async def scenario(state: StateStore) -> Any:
        jobs = office(store, state, paying(Provider(polls=[running()])))
        view = await jobs.dispatch_job(OWNER, order())
        database: Any = state.database
        fetch = database.select_rows

        async def counted(sql: Any, params: Any = None) -> Any:
            asked.append(sql)
            return await fetch(sql, params)

        database.select_rows = counted
        await jobs.load_job_view(OWNER, view.job.id)

    store.run(scenario)

    assert len(asked) == 1


def test_an_embedded_runner_with_nothing_to_do_writes_nothing(tmp_path: Path) -> None:
    store = kept("sqlite", tmp_path)
    looks, writes = [], []

    async def scenario(state: StateStore) -> Any:
        database: Any = state.database
        fetch = database.select_rows

        async def counted(sql: Any, params: Any = None) -> Any:
            looks.append(sql)
            return await fetch(sql, params)

        async def refused(batch: Any) -> Any:
            writes.append(batch)
            return ()

        async with working(store, state, nothing, pace={"idle_interval": 0.01}):
            database.select_rows, database.execute_batch = counted, refused
            await until(lambda: len(looks) >= 3)

    store.run(scenario)

    assert writes == []


def test_nothing_a_job_knows_is_on_disk_in_the_clear(store: Kept) -> None:
    provider = Provider(submits=[running("upstream-reference")], polls=[running()])

    async def work(run: WorkflowRun) -> Any:
        async def step() -> Any:
            return "lighthouse-result"

        await run.emit_event("lighthouse-event")
        await run.run_step("lighthouse-key", step)
        await run.run_paid_call("call", provider)

    async def scenario(state: StateStore) -> None:
        async with working(store, state, work) as jobs:
            ordered = order(
                args={"query": "lighthouse-args"},
                thread="t", title="lighthouse-title", question="lighthouse-question",
            )  # fmt: skip
            await jobs.dispatch_job("lighthouse-owner", ordered)
            await until(lambda: "poll upstream-reference" in provider.asked)
            await state.ledger.post_credit("lighthouse-owner", CENT, note="lighthouse-note")

    store.run(scenario)

    assert b"lighthouse" not in store.on_disk()
    assert b"upstream-reference" not in store.on_disk()


def test_a_job_goes_on_while_keys_are_rotated(store: Kept) -> None:
    begun: list[int] = []
    gate = asyncio.Event()

    async def work(run: WorkflowRun) -> Any:
        first = await counting(begun)(run)
        await gate.wait()
        return [first, await run.run_step("second", lambda: asyncio.sleep(0, "two"))]

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: bool(begun))
            await first_step_stored(jobs, view.job.id)
            await state.vault.rotate_keys()
            gate.set()
            await ended(jobs, view.job.id)
        async with store.opened() as fresh:
            return await fresh.jobs.look_up_job_result(OWNER, view.job.id)

    assert store.run(scenario) == [{"times": 1}, "two"]


def test_erasing_an_owner_removes_everything_and_ends_what_runs(store: Kept) -> None:
    tables = [
        *("account", "ledger", "thread", "message", "job", "job_step", "job_event", "job_term"),
        *("findings", "source", "claim", "claim_term", "evidence", "claim_event"),
    ]
    provider = Provider(polls=[running()])

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, paying(provider)) as jobs:
            await state.ledger.post_credit(OWNER, 100 * CENT)
            view = await jobs.dispatch_job(OWNER, order(thread="t", title="T", question="Why?"))
            kept_one = await jobs.dispatch_job("other", order(thread="u", title="U"))
            await until(lambda: provider.asked.count("submit") == 2)
            await state.erase_owner(OWNER)
            await until(lambda: jobs.runner.running_count == 1)
            with pytest.raises(UnknownJob):
                await jobs.load_job_view(OWNER, view.job.id)
            await jobs.cancel_job("other", kept_one.job.id)
            await ended(jobs, kept_one.job.id, "other")
            await state.erase_owner("other")
        return [
            (await state.database.select_rows(f"SELECT COUNT(*) FROM {one}"))[0][0]
            for one in tables
        ]

    assert store.run(scenario) == [0] * len(tables)


def test_finished_jobs_are_swept_once_they_are_old_enough(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        async with working(store, state, nothing, retention=100.0) as jobs:
            old = await jobs.dispatch_job(OWNER, order(thread="t", title="Old", question="Why?"))
            await ended(jobs, old.job.id)
            store.clock.now += 60
            new = await jobs.dispatch_job(OWNER, order(thread="u", title="New"))
            await ended(jobs, new.job.id)
            none = await jobs.sweep_old_jobs()
            store.clock.now += 60
            gone = await jobs.sweep_old_jobs()
            with pytest.raises(UnknownJob):
                await jobs.load_job_view(OWNER, old.job.id)
            for_ever = office(store, state, nothing)
            store.clock.now += 1e9
            return (
                none,
                gone,
                await for_ever.sweep_old_jobs(),
                await state.threads.list_stored_threads(OWNER),
            )

    none, gone, later, threads = store.run(scenario)

    assert (none, gone, later) == (0, 1, 0)
    assert [thread.title for thread in threads] == ["New"]


def test_old_jobs_are_swept_by_one_process_of_many_while_it_runs(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        async with working(store, state, nothing) as jobs:
            old = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, old.job.id)
        store.clock.now += 1000
        held = replace(state, leases=Taken())
        async with working(store, held, nothing, retention=100.0) as idle:
            second = await idle.sweep_old_jobs()
            await idle.load_job_view(OWNER, old.job.id)
        async with working(store, state, nothing, retention=100.0) as jobs:
            await until(lambda: gone(jobs, old.job.id))
        return second

    assert store.run(scenario) == 0


class Taken:
    """Leases that another process holds."""

    async def take_lease(self, _name: Any, *, seconds: Any) -> Any:
        return False

    async def release_lease(self, _name: Any) -> Any:
        return None


async def gone(jobs: Any, job_id: Any) -> Any:
    try:
        await jobs.load_job_view(OWNER, job_id)
    except UnknownJob:
        return True
    return False


def test_a_job_that_was_altered_on_disk_ends_and_hides_no_other(
    store: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.ledger.post_credit(OWNER, 100 * CENT)
        jobs = office(store, state, nothing)
        spoilt = await jobs.dispatch_job(OWNER, order())
        change: dict[str, str | bytes] = {
            "id": spoilt.job.id,
            "body": b"\x02\x00\x00\x00\x01" + bytes(40),
        }
        altered = SqlStatement(sql="UPDATE job SET body = :body WHERE id = :id", params=change)
        await state.database.execute_batch([altered])
        async with working(store, state, nothing) as jobs:
            sound = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, sound.job.id)
            with pytest.raises(DecryptionFailed):
                await jobs.load_job_view(OWNER, spoilt.job.id)

            async def released() -> Any:
                return (await state.ledger.load_balance(OWNER)).ticks == 100 * CENT

            await until(released)
            return sound.job.id, [view.job.id for view in await jobs.list_jobs(OWNER)]

    sound, listed = store.run(scenario)

    assert listed == [sound]


def test_work_that_nobody_knows_is_refused(store: Kept) -> None:
    async def scenario(state: StateStore) -> None:
        with pytest.raises(InvalidInput):
            await office(store, state, nothing).dispatch_job(OWNER, JobOrder(kind="other", args={}))

    store.run(scenario)


def test_a_step_that_is_not_there_is_not_found(store: Kept) -> None:
    async def scenario(state: StateStore) -> None:
        jobs = office(store, state, nothing)
        view = await jobs.dispatch_job(OWNER, order())
        with pytest.raises(UnknownStep):
            await jobs.load_step_result(OWNER, view.job.id, "no such step")
        assert issubclass(UnknownStep, NotFound)
        assert not issubclass(UnknownStep, InternalError)

    store.run(scenario)
