"""What holds for jobs on DBOS: older workers, lost connections and other clocks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from citewell.core.values.research import ResearchStatus
from citewell.jobs.dbos_engine import name_worker
from citewell.jobs.job_engine import WorkflowRun
from citewell.server.state.state_store import StateStore
from citewell.store.failures import StoreError
from citewell.store.settings import StoreSettings
from tests.conditions import until
from tests.contract.dbos_scenes import nothing, write
from tests.contract.offices import (
    OWNER,
    ended,
    order,
    working,
)
from tests.contract.states import Kept, kept, name_database
from tests.services import postgres_or_skip

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


def database_name(store: Kept) -> str:
    return name_database(store.settings[StoreSettings].database_url or "")


def cut_connections(store: Kept) -> None:
    postgres_or_skip().ask(
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database_name(store)}'",
        database="postgres",
    )


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
            held = await jobs.store.require_job_view(OWNER, "held")
            await write(state, f"UPDATE job SET expires = {NOW} WHERE id = 'held'")
            return done, held.status, (await ended(jobs, "held")).status

    done, held, later = store.run(scenario)

    assert (done, held) == ([ResearchStatus.COMPLETED] * 2, ResearchStatus.RUNNING)
    assert later is ResearchStatus.COMPLETED


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
            return (await jobs.store.require_job_view(OWNER, job_id)).status.is_final
        except StoreError:  # its connection was cut
            return False

    await until(has_ended)
    return await jobs.store.look_up_job_result(OWNER, job_id)


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
