"""What is kept of jobs on either engine: who may see and change them, and when they go."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.values.research import ResearchStatus
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.store.job_store import ReconciledCall
from citewell.jobs.store.thread_store import (
    BalanceTooLow,
    ThreadInUse,
    UnknownJob,
    UnknownThread,
)
from citewell.server.state.state_store import StateStore
from tests.conditions import until
from tests.contract.offices import (
    CENT,
    OWNER,
    Provider,
    ended,
    office,
    order,
    paying,
    running,
    working,
)
from tests.contract.states import Kept
from tests.contract.workflows import counting, first_step_stored, nothing


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
        return caught.value, balance, await jobs.store.list_owner_jobs(OWNER)

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
        return [message.content for message in messages], await jobs.store.list_jobs_of_thread(
            OWNER, "t"
        )

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
            "view": lambda: jobs.store.require_job_view("other", job),
            "result": lambda: jobs.store.look_up_job_result("other", job),
            "step_result": lambda: jobs.store.look_up_step_result("other", job, "call"),
            "events": lambda: jobs.store.list_stored_events("other", job),
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
        return (
            told,
            await jobs.store.require_job_view(OWNER, mine.job.id),
            await jobs.store.list_owner_jobs("other"),
        )

    (theirs, unknown), mine, listed = store.run(scenario)

    assert theirs == unknown
    assert mine.status is ResearchStatus.PENDING
    assert len(listed) == 1


def test_a_final_job_stays_as_it_is(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        async with working(store, state, counting([])) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            done = await ended(jobs, view.job.id)
            await jobs.cancel_job(OWNER, view.job.id)
            return done, await jobs.store.require_job_view(OWNER, view.job.id)

    done, after = store.run(scenario)

    assert done == after


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
        await jobs.store.require_job_view(OWNER, view.job.id)

    store.run(scenario)

    assert len(asked) == 1


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
                await jobs.store.require_job_view(OWNER, view.job.id)
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
                await jobs.store.require_job_view(OWNER, old.job.id)
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
