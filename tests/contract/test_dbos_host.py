"""How DBOS is set up and started here: its limits, its versions, and what may be missing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from citewell.core.errors import CitewellError, Misconfigured
from citewell.core.values.research import ResearchStatus
from citewell.jobs import dbos_host
from citewell.jobs.dbos_host import DbosHost, HostOptions
from citewell.jobs.job_engine import WorkflowRun
from citewell.server.state.state_store import StateStore
from citewell.store.settings import StoreSettings
from tests.conditions import until
from tests.contract.dbos_scenes import nothing, write
from tests.contract.offices import (
    OWNER,
    ended,
    office,
    order,
    working,
)
from tests.contract.states import Kept, kept, refuse_jobs


@pytest.fixture
def store(tmp_path: Path) -> Kept:
    return kept("postgres", tmp_path)


def test_a_worker_of_another_application_version_takes_only_its_own_jobs(store: Kept) -> None:
    ran: list[str] = []

    async def run_job(job_id: str, _run: int, _channel: Any) -> str:
        ran.append(job_id)
        return "finished"

    async def scenario(state: StateStore) -> None:
        url = store.settings[StoreSettings].database_url or ""
        options = HostOptions(
            url=url, executor="other", worker_concurrency=4, owner_concurrency=4,
            poll_seconds=0.02, version="0",
        )  # fmt: skip
        host = DbosHost(options, asyncio.get_running_loop(), run_job)
        await asyncio.to_thread(host.launch)
        try:
            view = await office(store, state, nothing).dispatch_job(OWNER, order())
            sql = """SELECT citewell_jobs.enqueue_workflow('citewell_job', 'citewell-jobs',
                ARRAY[to_json('mine'::text), to_json(1)], workflow_id => 'mine.1', app_version => '0',
                queue_partition_key => 'me')"""
            await write(state, sql)
            await until(lambda: "mine" in ran)
            assert view.job.id not in ran
        finally:
            await asyncio.to_thread(host.destroy)

    store.run(scenario)

    assert ran == ["mine"]


def test_a_worker_runs_no_more_than_its_own_number_where_a_later_one_registered_more(
    store: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    """DBOS gives every worker as many as the last one registered; what is too much waits in it."""
    now, most, gate = [], [], asyncio.Event()

    async def work(run: WorkflowRun) -> None:
        now.append(run.job.id)
        most.append(len(now))
        await gate.wait()
        now.remove(run.job.id)

    async def scenario(state: StateStore) -> Any:
        options = HostOptions(
            url=store.settings[StoreSettings].database_url or "", executor="later", worker_concurrency=6,
            owner_concurrency=100, poll_seconds=0.02,
        )  # fmt: skip
        later = DbosHost(options, asyncio.get_running_loop(), refuse_jobs)
        async with working(store, state, work, at_once=2, per_owner=100) as jobs:
            views = [await jobs.dispatch_job(OWNER, order())]
            await until(lambda: len(now) == 1)
            await asyncio.to_thread(later._register_queues)
            views += [await jobs.dispatch_job(OWNER, order()) for _ in range(7)]
            await until(lambda: count_taken(state, 6))
            await until(lambda: len(now) == 2)
            gate.set()
            return [(await ended(jobs, view.job.id)).status for view in views]

    assert set(store.run(scenario)) == {ResearchStatus.COMPLETED}
    assert max(most) == 2
    assert "Each worker took up to 2 jobs" in caplog.text


async def count_taken(state: StateStore, number: int) -> bool:
    """Whether workers have taken so many jobs from the queue."""
    sql = "SELECT COUNT(*) FROM citewell_jobs.workflow_status WHERE status = 'PENDING'"
    ((found,),) = await state.database.select_rows(sql)
    return found == number


def test_a_user_whom_the_database_refuses_is_told_and_may_try_later(
    store: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    url = (store.settings[StoreSettings].database_url or "").replace("user=citewell", "user=nobody")

    async def scenario(state: StateStore) -> None:
        async with working(store, state, nothing) as jobs:
            await until(lambda: "cannot be run yet" in caplog.text)
            with pytest.raises(CitewellError, match="refused the user"):
                await jobs.dispatch_job(OWNER, order())

    store.with_settings(database_url=url).run(scenario)

    assert "refused the user or password" in caplog.text


def test_without_dbos_jobs_are_queued_and_the_worker_says_what_to_install(
    store: Kept, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(dbos_host, "find_spec", lambda _name: None)

    async def scenario(state: StateStore) -> Any:
        with pytest.raises(Misconfigured, match=r"citewell\[dbos\]"):
            dbos_host.check_installed()
        async with working(store, state, nothing) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: "wait for a worker" in caplog.text)
        return view.status

    assert store.run(scenario) is ResearchStatus.PENDING


def test_the_rate_of_a_provider_limits_how_many_of_its_jobs_start(store: Kept) -> None:
    """The third job of the slow provider waits for the next minute; the others do not."""
    ran: list[str] = []

    async def work(run: WorkflowRun) -> None:
        ran.append(run.job.args["name"])

    async def scenario(state: StateStore) -> None:
        async with working(store, state, work, rates={"slow": 2, "fast": 600}) as jobs:
            await until(lambda: jobs.runner._host is not None)  # type: ignore[attr-defined]
            for name in ("slow", "slow", "slow"):
                args = {"name": name}
                await jobs.dispatch_job(OWNER, order(args=args, providers=("fast", name)))
            await until(lambda: len(ran) == 2)
            for name in ("fast", "free"):
                await jobs.dispatch_job(OWNER, order(args={"name": name}, providers=(name,)))
            await until(lambda: len(ran) == 4)

    store.run(scenario)

    assert sorted(ran) == ["fast", "free", "slow", "slow"]
