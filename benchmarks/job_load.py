"""Many queued jobs over one worker and over two, each a process; run as a program it is such a worker."""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewell.core.config import Settings
from citewell.jobs.durable_job import JobOrder
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.job_service import JobService
from citewell.server.state.state_store import StateStore

KIND = "wait"
OWNERS = 50
UPSTREAM_SECONDS = 5.0  # that a job waits for its upstreams
AT_ONCE = 40  # jobs of one worker
_MASTER_KEY = "5a" * 32
_COUNT_OPEN = "SELECT COUNT(*) FROM job WHERE finished IS NULL"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRun:
    """How long so many workers took, and how long the status of a job took to read meanwhile."""

    workers: int
    jobs: int
    seconds: float
    status_ms: tuple[float, ...]

    @property
    def per_second(self) -> float:
        return self.jobs / self.seconds

    @property
    def status_p95(self) -> float:
        return statistics.quantiles(self.status_ms, n=20)[-1]


async def run_waiting_job(run: WorkflowRun) -> Any:
    """Two steps, of which the second waits as for an upstream."""

    async def plan() -> Any:
        return {"queries": ["one", "two"]}

    async def wait() -> Any:
        await asyncio.sleep(UPSTREAM_SECONDS)
        return {"pages": 3}

    await run.run_step("plan", plan)
    return await run.run_step("search", wait)


def measure_jobs(url: str, *, workers: int, jobs: int) -> JobRun:
    """Queue the jobs, start the workers, and wait until all jobs have ended."""
    return asyncio.run(_measure_jobs(url, workers=workers, jobs=jobs))


async def _measure_jobs(url: str, *, workers: int, jobs: int) -> JobRun:
    with tempfile.TemporaryDirectory() as folder:
        state = StateStore(choose_job_settings(url, Path(folder)))
        desk = JobService(state, {KIND: run_waiting_job})
        warm = start_worker(url, folder)  # installs the tables of DBOS
        names = [await queue_job(desk, 0)]
        await wait_for_end(state)
        stop_worker(warm)
        names = [await queue_job(desk, number) for number in range(jobs)]
        crew = [start_worker(url, folder) for _ in range(workers)]
        while not await state.database.select_rows("SELECT 1 FROM job WHERE holder <> ''"):  # noqa: ASYNC110 - other processes begin
            await asyncio.sleep(0.02)
        begun = time.perf_counter()
        looks = asyncio.create_task(_read_statuses(desk, names))
        await wait_for_end(state)
        took = time.perf_counter() - begun
        looks.cancel()
        for worker in crew:
            stop_worker(worker)
        await asyncio.wait({looks})
        await state.aclose()
    return JobRun(workers=workers, jobs=jobs, seconds=took, status_ms=tuple(_STATUS_MS))


_STATUS_MS: list[float] = []


async def _read_statuses(desk: JobService, names: list[tuple[str, str]]) -> None:
    _STATUS_MS.clear()
    for number in range(1_000_000):
        owner, job = names[number * 37 % len(names)]
        begun = time.perf_counter()
        await desk.store.require_job_view(owner, job)
        _STATUS_MS.append((time.perf_counter() - begun) * 1000)
        await asyncio.sleep(0.05)


async def queue_job(desk: JobService, number: int) -> tuple[str, str]:
    owner = f"owner{number % OWNERS}"
    view = await desk.dispatch_job(owner, JobOrder(kind=KIND, args={"number": number}))
    return owner, view.job.id


async def wait_for_end(state: StateStore) -> None:
    while (await state.database.select_rows(_COUNT_OPEN))[0][0]:  # noqa: ASYNC110 - other processes end jobs
        await asyncio.sleep(0.1)


def choose_job_settings(url: str, folder: Path) -> Settings:
    return Settings(data_dir=folder, database_url=url, master_key=_MASTER_KEY)


def start_worker(url: str, folder: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.job_load", url, folder],
        stdin=subprocess.PIPE,
        env=os.environ,
    )


def stop_worker(worker: subprocess.Popen[bytes]) -> None:
    worker.communicate()


async def _work() -> None:
    url, folder = sys.argv[1:]
    state = StateStore(choose_job_settings(url, Path(folder)))
    desk = JobService(state, {KIND: run_waiting_job}, at_once=AT_ONCE, per_owner=AT_ONCE)
    desk.start_runner()
    await asyncio.to_thread(sys.stdin.read)  # until whoever started it closes the pipe
    await desk.stop_runner()
    await state.aclose()


if __name__ == "__main__":
    asyncio.run(_work())
