"""Who waits for a job hears of its changes, whichever process makes them, and of a lost worker."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.step_values import ResearchAssignment
from citewell.research import job_views
from citewell.server.state.state_store import StateStore
from citewell.store.coordination.change_notices import (
    ERASURE_TOPIC,
    JOB_CANCEL_TOPIC,
    JOB_QUEUE_TOPIC,
    JOB_TOPIC,
    ChangeNotices,
)
from citewell.store.settings import StoreSettings
from citewell.store.sql.database import SqlStatement
from tests.change_notices import publish_change
from tests.conditions import WAIT_SECONDS, until
from tests.contract.offices import OWNER, expect_claimed, office, order
from tests.contract.states import Kept, kept
from tests.services import postgres_or_skip

pytestmark = pytest.mark.process

NEVER = 3600.0  # between looks, so that only a notice can end a wait in time


@pytest.fixture
def shared(tmp_path: Path) -> Kept:
    return kept("postgres", tmp_path)


async def nothing(run: WorkflowRun) -> Any:
    return None


async def until_heard(notices: ChangeNotices, topic: str) -> None:
    async with notices.watch(topic, "probe", poll_seconds=0.01) as watch:
        while not notices.hears_others(topic):
            await watch.wait(0.05)


def test_a_waiter_hears_at_once_of_a_cancellation_by_another_process(shared: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        async with shared.opened() as elsewhere:
            jobs = office(shared, state, nothing, pace={"wait_interval": NEVER})
            view = await jobs.dispatch_job(OWNER, order())
            await until_heard(state.notices, JOB_TOPIC)
            waiting = asyncio.create_task(
                jobs.wait_for_news(OWNER, view.job.id, since=view.seq, seconds=WAIT_SECONDS)
            )
            await asyncio.sleep(0)
            await elsewhere.jobs.request_cancellation(OWNER, view.job.id)
            return view, await waiting

    view, news = shared.run(scenario)

    assert news.seq > view.seq


@pytest.mark.parametrize("released", [False, True])
def test_workers_hear_at_once_of_a_job_they_can_claim(shared: Kept, released: bool) -> None:
    async def scenario(state: StateStore) -> Any:
        async with shared.opened() as elsewhere:
            jobs = office(shared, elsewhere, nothing)
            if released:
                await jobs.dispatch_job(OWNER, order())
                await expect_claimed(shared, elsewhere)
            await until_heard(state.notices, JOB_QUEUE_TOPIC)
            async with state.notices.watch(JOB_QUEUE_TOPIC, poll_seconds=NEVER) as watch:
                if released:
                    await elsewhere.database.execute_batch(
                        [SqlStatement(sql="UPDATE job SET holder = ''")]
                    )
                else:
                    await jobs.dispatch_job(OWNER, order())
                return await watch.wait(WAIT_SECONDS)

    assert shared.run(scenario)


def test_a_lease_that_is_renewed_is_no_news(shared: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        async with shared.opened() as elsewhere:
            jobs = office(shared, elsewhere, nothing)
            view = await jobs.dispatch_job(OWNER, order())
            await until_heard(state.notices, JOB_TOPIC)
            async with state.notices.watch(JOB_TOPIC, view.job.id, poll_seconds=NEVER) as watch:
                renew = SqlStatement(sql="UPDATE job SET expires = expires + 1")
                cancel = SqlStatement(sql="UPDATE job SET cancel = 1")
                await elsewhere.database.execute_batch([renew])
                await publish_change(elsewhere, JOB_TOPIC, "last")
                renewed = await watch.wait(0.0)
                await elsewhere.database.execute_batch([cancel])
                return renewed, await watch.wait(WAIT_SECONDS)

    assert shared.run(scenario) == (False, True)


def test_the_worker_of_a_job_hears_at_once_of_its_cancellation(shared: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        async with shared.opened() as elsewhere:
            view = await office(shared, elsewhere, nothing).dispatch_job(OWNER, order())
            await until_heard(state.notices, JOB_CANCEL_TOPIC)
            async with state.notices.watch(JOB_CANCEL_TOPIC, poll_seconds=NEVER) as watch:
                await elsewhere.jobs.request_cancellation(OWNER, view.job.id)
                return await watch.wait(WAIT_SECONDS)

    assert shared.run(scenario)


def test_servers_hear_at_once_of_an_erasure(shared: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        async with shared.opened() as elsewhere:
            await until_heard(state.notices, ERASURE_TOPIC)
            async with state.notices.watch(ERASURE_TOPIC, poll_seconds=NEVER) as watch:
                await elsewhere.erase_owner(OWNER)
                return await watch.wait(WAIT_SECONDS)

    assert shared.run(scenario)


def test_a_job_can_be_queued_while_the_tables_of_dbos_are_being_installed(shared: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await state.database.select_rows("SELECT 1")
        name = (
            str(shared.settings[StoreSettings].direct_database_url).split("/")[3].partition("?")[0]
        )
        postgres_or_skip().ask(
            "DROP SCHEMA citewell_jobs CASCADE; CREATE SCHEMA citewell_jobs;"
            " CREATE FUNCTION citewell_jobs.enqueue_workflow(workflow_name TEXT, queue_name TEXT)"
            " RETURNS TEXT LANGUAGE sql AS 'SELECT workflow_name'",
            database=name,
        )
        return await office(shared, state, nothing).dispatch_job(OWNER, order())

    assert shared.run(scenario).status == "pending"


async def lose_worker(state: StateStore) -> None:
    """The worker was last heard of at the tenth second, by its lease or by its heartbeat."""
    await state.database.execute_batch(
        [
            SqlStatement(sql="UPDATE job SET expires = 30, delay = 20 WHERE holder <> ''"),
            SqlStatement(
                sql="INSERT INTO worker_heartbeats (executor, host, version, started, beat, silence) "
                "SELECT holder, 'h', 'v', 1, 10, 20 FROM job WHERE holder <> ''"
            ),
        ]
    )


def test_the_status_tells_that_a_job_waits_for_another_worker(store: Kept) -> None:
    work = ResearchAssignment(query="q", tier="M", providers=("local",), mode="fast", scope="web")

    async def scenario(state: StateStore) -> Any:
        jobs = office(store, state, nothing)
        view = await jobs.dispatch_job(OWNER, order(args=work.to_json()))
        await expect_claimed(store, state, lease_seconds=600)
        running = await jobs.store.require_job_view(OWNER, view.job.id)
        await lose_worker(state)
        return running, await jobs.store.require_job_view(OWNER, view.job.id)

    running, lost = store.run(scenario)
    shown = job_views.build_status_view(lost, now=lost.job.created + 5)

    assert "waitingForWorker" not in job_views.build_status_view(running, now=running.job.created)
    assert shown["waitingForWorker"] == {"since": "1970-01-01T00:00:10Z", "attempt": 2}
    assert shown["waitingForWorker"]["since"] in shown["nextStep"]
    assert job_views.list_milestones(running) != job_views.list_milestones(lost)


def test_a_waiter_is_told_when_the_worker_is_lost(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        looks: list[float] = []

        def monotonic() -> float:
            looks.append(time.monotonic())
            return looks[-1]

        jobs = office(store, state, nothing, monotonic=monotonic)
        view = await jobs.dispatch_job(OWNER, order())
        await expect_claimed(store, state, lease_seconds=600)
        waiting = asyncio.create_task(
            jobs.wait_for_news(OWNER, view.job.id, since=view.seq, seconds=WAIT_SECONDS)
        )
        await until(lambda: len(looks) > 1)
        await lose_worker(state)
        state.notices.notify_here(JOB_TOPIC, view.job.id)
        return await waiting

    assert store.run(scenario).is_worker_lost
