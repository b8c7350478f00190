"""Jobs in the queue of DBOS: what it forgot, what goes first, and who lost a job."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citewell.core.values.research import ResearchStatus
from citewell.jobs.dbos_engine import SqlWorkerHeartbeats, WorkerName
from citewell.jobs.dbos_host import PARKED, DbosHost, HostOptions, RunJob
from citewell.jobs.dbos_queue import SqlWorkflowQueue
from citewell.jobs.job_engine import WorkflowRun
from citewell.server.state.state_store import StateStore
from citewell.store.settings import StoreSettings
from tests.conditions import until
from tests.contract.dbos_scenes import nothing, write
from tests.contract.offices import (
    OWNER,
    ended,
    expect_claimed,
    office,
    order,
    working,
)
from tests.contract.states import Kept, kept


@pytest.fixture
def store(tmp_path: Path) -> Kept:
    return kept("postgres", tmp_path)


def test_a_job_that_dbos_has_forgotten_is_queued_again(store: Kept) -> None:
    """As when our tables are restored from a backup, which has nothing of DBOS."""

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, nothing) as jobs:
            await until(lambda: jobs.runner._host is not None)  # type: ignore[attr-defined]
        jobs = office(store, state, nothing)
        view = await jobs.dispatch_job(OWNER, order())
        await write(state, "DELETE FROM citewell_jobs.workflow_status")
        async with working(store, state, nothing, pace={"check_interval": 0.05}) as jobs:
            return await ended(jobs, view.job.id)

    assert store.run(scenario).status is ResearchStatus.COMPLETED


def test_what_a_dead_worker_had_begun_goes_before_what_was_queued_since(store: Kept) -> None:
    """As after the only worker was killed, and while none ran."""
    order_of: list[str] = []

    async def hang(_job: str, _run: int, _channel: Any) -> str:
        order_of.append("first try")
        await asyncio.Event().wait()
        return PARKED

    async def work(run: WorkflowRun) -> None:
        order_of.append(run.job.args["name"])

    async def scenario(state: StateStore) -> None:
        await end_while_running(store, state, hang, is_begun=lambda: bool(order_of))
        for name in ("second", "third"):
            await office(store, state, work).dispatch_job(OWNER, order(args={"name": name}))
        await write(state, "UPDATE worker_heartbeats SET beat = 10 WHERE executor = 'dead'")
        async with working(store, state, work, at_once=1, pace={"queue_interval": 0.001}):
            await until(lambda: len(order_of) == 4)

    store.run(scenario)

    assert order_of == ["first try", "first", "second", "third"]


async def end_while_running(
    store: Kept, state: StateStore, run_job: RunJob, *, is_begun: Callable[[], bool]
) -> None:
    """A worker called "dead" that began the job "first" and ended without a word."""
    options = HostOptions(
        url=store.settings[StoreSettings].database_url or "", executor="dead", worker_concurrency=1,
        owner_concurrency=4, poll_seconds=0.02,
    )  # fmt: skip
    worker = WorkerName(executor="dead", host="host", version="1")
    await SqlWorkerHeartbeats(state.database).record_beat(worker, silence_seconds=600)
    host = DbosHost(options, asyncio.get_running_loop(), run_job)
    await asyncio.to_thread(host.launch)
    try:
        await office(store, state, nothing).dispatch_job(OWNER, order(args={"name": "first"}))
        await until(is_begun)
    finally:
        host._launched = False  # it does not wait for the ends of its runs, as a killed one
        await asyncio.to_thread(host.destroy)


def test_a_worker_that_lost_its_job_does_not_postpone_it(store: Kept) -> None:
    """As one that was frozen while its workflow failed: the job stays with whoever has it now."""

    async def scenario(state: StateStore) -> Any:
        view = await office(store, state, nothing).dispatch_job(OWNER, order())
        lost = await expect_claimed(store, state)
        await expect_claimed(store, state, holder="third")
        parts = (state.database, state.vault, state.ledger)
        queue = SqlWorkflowQueue(*parts, holder="another", clock=store.clock)
        await queue.postpone_job(lost, seconds=60)
        sql = "SELECT holder, fence, status FROM job WHERE id = :id"
        return await state.database.select_rows(sql, {"id": view.job.id})

    assert store.run(scenario) == [("third", 2, "running")]


def test_the_status_tells_since_when_the_worker_is_silent(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        jobs = office(store, state, nothing)
        view = await jobs.dispatch_job(OWNER, order())
        beats = SqlWorkerHeartbeats(state.database)
        worker = WorkerName(executor="another", host="host", version="1")
        await beats.record_beat(worker, silence_seconds=600)
        await expect_claimed(store, state)
        alive = await jobs.store.require_job_view(OWNER, view.job.id)
        await write(state, "UPDATE worker_heartbeats SET beat = 10")
        lost = await jobs.store.require_job_view(OWNER, view.job.id)
        async with working(store, state, nothing) as jobs:
            return alive, lost, await ended(jobs, view.job.id)

    alive, lost, done = store.run(scenario)

    assert (alive.worker_lost_at, lost.worker_lost_at) == (None, 10.0)
    assert replace(done, steps=()).status is ResearchStatus.COMPLETED
