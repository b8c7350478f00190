"""What holds for jobs on DBOS: older workers, lost connections, other clocks, and what DBOS forgot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citewell.errors import CitewellError, Misconfigured
from citewell.model.research import ResearchStatus
from citewell.services.jobs import dbos_host
from citewell.services.jobs.dbos_engine import name_worker
from citewell.services.jobs.dbos_host import PARKED, DbosHost, HostOptions, RunJob
from citewell.services.jobs.workflow_run import WorkflowRun
from citewell.store.failures import StoreError
from citewell.store.jobs.worker_heartbeats import SqlWorkerHeartbeats, WorkerName
from citewell.store.jobs.workflow_queue import SqlWorkflowQueue
from citewell.store.sql.database import SqlStatement
from citewell.store.state_store import StateStore
from tests.conditions import until
from tests.contract.offices import (
    OWNER,
    ended,
    expect_claimed,
    office,
    order,
    working,
)
from tests.contract.states import Kept, kept, name_database, refuse_jobs
from tests.services import postgres_or_skip

pytestmark = pytest.mark.process

NOW = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)"
# Which jobs a worker of the first release would claim.
FIRST_RELEASE_CLAIM = f"""
SELECT id FROM job WHERE finished IS NULL AND (
    (status = 'pending' AND (due <= {NOW} OR due > {NOW} + delay + 1))
    OR (status <> 'pending' AND (expires <= {NOW} OR expires > {NOW} + delay + 1))
)
"""


@pytest.fixture
def store(tmp_path: Path) -> Kept:
    return kept("postgres", tmp_path)


async def nothing(run: WorkflowRun) -> Any:
    return "done"


def database_name(store: Kept) -> str:
    return name_database(store.settings.database_url or "")


def cut_connections(store: Kept) -> None:
    postgres_or_skip().ask(
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database_name(store)}'",
        database="postgres",
    )


async def write(state: StateStore, sql: str) -> None:
    await state.database.execute_batch([SqlStatement(sql=sql)])


def test_two_workers_of_the_same_name_have_ids_of_their_own() -> None:
    ids = iter(["a" * 32, "b" * 32])
    one, other = name_worker(lambda: next(ids)), name_worker(lambda: next(ids))

    assert (one.host, one.version) == (other.host, other.version)
    assert one.executor != other.executor


def test_a_worker_of_the_first_release_leaves_the_jobs_of_dbos_alone(store: Kept) -> None:
    begun, gate = [], asyncio.Event()

    async def work(run: WorkflowRun) -> None:
        begun.append(run.job.id)
        await gate.wait()

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work, at_once=1) as jobs:
            await until(lambda: jobs.runner._host is not None)  # type: ignore[attr-defined]
            views = [await jobs.dispatch_job(OWNER, order()) for _ in range(2)]
            await until(lambda: len(begun) == 1)
            claimable = await state.database.select_rows(FIRST_RELEASE_CLAIM)
            gate.set()
            for view in views:
                await ended(jobs, view.job.id)
            return claimable

    assert store.run(scenario) == []


def test_the_jobs_that_the_first_release_left_are_taken_over(store: Kept) -> None:
    """One was queued; one was held by a worker that died; one is held by a worker that still lives."""

    async def scenario(state: StateStore) -> Any:
        for name in ("queued", "left", "held"):
            await state.jobs.create_job(OWNER, name, order())
        lease = (
            "UPDATE job SET status = 'running', fence = 1, attempts = 1, holder = 'old', delay = 30"
        )
        await write(state, f"{lease}, expires = {NOW} - 1 WHERE id = 'left'")
        await write(state, f"{lease}, expires = {NOW} + 600 WHERE id = 'held'")
        async with working(store, state, nothing) as jobs:
            done = [(await ended(jobs, name)).status for name in ("queued", "left")]
            held = await jobs.load_job_view(OWNER, "held")
            await write(state, f"UPDATE job SET expires = {NOW} WHERE id = 'held'")
            return done, held.status, (await ended(jobs, "held")).status

    done, held, later = store.run(scenario)

    assert (done, held) == ([ResearchStatus.COMPLETED] * 2, ResearchStatus.RUNNING)
    assert later is ResearchStatus.COMPLETED


def test_a_worker_of_another_application_version_takes_only_its_own_jobs(store: Kept) -> None:
    ran: list[str] = []

    async def run_job(job_id: str, _run: int, _channel: Any) -> str:
        ran.append(job_id)
        return "finished"

    async def scenario(state: StateStore) -> None:
        url = store.settings.database_url or ""
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
            url=store.settings.database_url or "", executor="later", worker_concurrency=6,
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
    url = (store.settings.database_url or "").replace("user=citewell", "user=nobody")

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


@pytest.mark.parametrize("read_only", [False, True])
def test_a_job_goes_on_after_its_database_was_away(
    store: Kept, read_only: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Every connection is cut, as by a restart; or what comes back is read-only at first."""
    begun, gate = [], asyncio.Event()
    setting = f"ALTER DATABASE {database_name(store)} SET default_transaction_read_only"

    async def work(run: WorkflowRun) -> Any:
        begun.append(1)
        await gate.wait()
        return await run.run_step("after", lambda: asyncio.sleep(0, "written"))

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: begun == [1])
            if read_only:
                await asyncio.to_thread(
                    postgres_or_skip().ask, f"{setting} = on", database="postgres"
                )
            await asyncio.to_thread(cut_connections, store)
            gate.set()
            if read_only:
                await until(lambda: "read-only" in caplog.text)
                await asyncio.to_thread(
                    postgres_or_skip().ask, f"{setting} = off", database="postgres"
                )
                await asyncio.to_thread(cut_connections, store)
            return await until_ended(jobs, view.job.id)

    assert store.run(scenario) == "written"


async def until_ended(jobs: Any, job_id: str) -> Any:
    async def has_ended() -> bool:
        try:
            return (await jobs.load_job_view(OWNER, job_id)).status.is_final
        except StoreError:  # its connection was cut
            return False

    await until(has_ended)
    return await jobs.load_job_result(OWNER, job_id)


@pytest.mark.parametrize("seconds", [-600.0, 600.0])
def test_a_worker_with_another_clock_neither_loses_its_job_nor_takes_one(
    store: Kept, seconds: float
) -> None:
    begun, gate = [], asyncio.Event()

    async def work(run: WorkflowRun) -> Any:
        begun.append(run.job.id)
        await gate.wait()
        return "done"

    async def scenario(state: StateStore) -> Any:
        async with working(store, state, work) as jobs:
            view = await jobs.dispatch_job(OWNER, order())
            await until(lambda: len(begun) == 1)
            store.clock.now += seconds
            beats = "SELECT MAX(beat - started) FROM worker_heartbeats"

            async def has_beaten() -> bool:
                return (await state.database.select_rows(beats))[0][0] > 0.3

            await until(has_beaten)
            gate.set()
            return await ended(jobs, view.job.id)

    assert store.run(scenario).status is ResearchStatus.COMPLETED
    assert len(begun) == 1


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
        url=store.settings.database_url or "", executor="dead", worker_concurrency=1,
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
        alive = await jobs.load_job_view(OWNER, view.job.id)
        await write(state, "UPDATE worker_heartbeats SET beat = 10")
        lost = await jobs.load_job_view(OWNER, view.job.id)
        async with working(store, state, nothing) as jobs:
            return alive, lost, await ended(jobs, view.job.id)

    alive, lost, done = store.run(scenario)

    assert (alive.worker_lost_at, lost.worker_lost_at) == (None, 10.0)
    assert replace(done, steps=()).status is ResearchStatus.COMPLETED


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
