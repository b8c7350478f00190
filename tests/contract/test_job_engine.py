"""Jobs on either engine when their worker, their store or their workflow fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import InvalidInput
from citewell.core.values.research import ResearchStatus
from citewell.jobs.job_engine import WorkflowRun
from citewell.server.state.state_store import StateStore
from citewell.store.failures import PASSING_FAILURES, StoreError
from tests.conditions import until
from tests.contract.offices import (
    CENT,
    FAST,
    OWNER,
    claimed,
    ended,
    expect_claimed,
    lapse,
    office,
    order,
    working,
)
from tests.contract.states import Kept
from tests.contract.workflows import counting, nothing


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
            return await jobs.store.look_up_job_result(OWNER, view.job.id)

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
            return await jobs.store.look_up_job_result(OWNER, view.job.id)

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
            return done, await jobs.store.look_up_job_result(OWNER, view.job.id)

    view, result = store.run(scenario)

    assert view.status is ResearchStatus.FAILED
    assert view.error["kind"] == kind
    assert "secret" not in view.error["message"]
    assert result is None
