"""What callers are promised of jobs on either engine: waiting, cancelling, refusals."""

from __future__ import annotations

from copy import copy
from typing import Any

import pytest

from citewell.core.errors import InvalidInput
from citewell.core.values.research import ResearchStatus
from citewell.jobs.durable_job import JobOrder
from citewell.server.state.state_store import StateStore
from citewell.store.coordination.leases import LeaseTable
from tests.conditions import WAIT_SECONDS, until
from tests.contract.offices import (
    CENT,
    OWNER,
    ended,
    office,
    order,
    working,
)
from tests.contract.states import Kept
from tests.contract.workflows import counting, gone, nothing

# No worker seems to be lost because the machine is busy.
UNHURRIED = {"lease_seconds": 60.0, "heartbeat_seconds": 60.0}


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


def test_old_jobs_are_swept_by_one_process_of_many_while_it_runs(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        async with working(store, state, nothing) as jobs:
            old = await jobs.dispatch_job(OWNER, order())
            await ended(jobs, old.job.id)
        store.clock.now += 1000
        held = copy(state)
        held.leases = Taken()
        async with working(store, held, nothing, retention=100.0) as idle:
            second = await idle.sweep_old_jobs()
            await idle.store.require_job_view(OWNER, old.job.id)
        async with working(store, state, nothing, retention=100.0) as jobs:
            await until(lambda: gone(jobs, old.job.id))
        return second

    assert store.run(scenario) == 0


class Taken(LeaseTable):
    """Leases that another process holds."""

    async def take_lease(self, name: str, *, seconds: float) -> bool:
        return False


def test_work_that_nobody_knows_is_refused(store: Kept) -> None:
    async def scenario(state: StateStore) -> None:
        with pytest.raises(InvalidInput):
            await office(store, state, nothing).dispatch_job(OWNER, JobOrder(kind="other", args={}))

    store.run(scenario)
