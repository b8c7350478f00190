"""Which jobs run next, how many at once, and what the embedded engine writes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from citewell.core.values.research import ResearchStatus
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.job_service import SqlJobQueue
from citewell.server.state.state_store import StateStore
from citewell.store.settings import StoreSettings
from tests.conditions import until
from tests.contract.offices import (
    OWNER,
    embedded,
    ended,
    expect_claimed,
    lapse,
    office,
    order,
    working,
)
from tests.contract.states import Kept, kept
from tests.contract.workflows import nothing


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
        still = [
            await jobs.store.require_job_view(OWNER, one.job.id) for one in (left_behind, waiting)
        ]
        store.clock.now += 21.0
        async with working(store, state, nothing) as jobs:
            return still, [await ended(jobs, one.job.id) for one in (left_behind, waiting)]

    still, done = store.run(scenario)

    assert not any(view.status.is_final for view in still)
    assert [view.status for view in done] == [ResearchStatus.COMPLETED] * 2


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

    if store.settings[StoreSettings].database_url:
        # DBOS serves its queue before what a dead worker left has been given back to it.
        order_of.remove("begun")
        assert order_of == ["high", "low"]
    else:
        assert order_of == ["begun", "high", "low"]


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
