"""How soon a job goes on after kill -9 of its worker: `python -m benchmarks job-takeovers`."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.job_load import (
    KIND,
    choose_job_settings,
    queue_job,
    run_waiting_job,
    start_worker,
    stop_worker,
    wait_for_end,
)
from benchmarks.report import Goal, Section, table
from citewell.jobs.job_service import JobService
from citewell.jobs.run_record import EngineTiming
from citewell.server.state.state_store import StateStore
from tests.services import postgres_or_skip

ROUNDS = 20
SEED = 5
_SELECT_HOLDER = "SELECT holder, fence FROM job WHERE id = :id"
_LOOK_SECONDS = 0.01


def job_takeovers() -> Section:
    """Seconds from the kill of one of two workers to the claim of its job by the other."""
    taken = sorted(asyncio.run(_measure_takeovers(postgres_or_skip().new())))
    heartbeat = EngineTiming().heartbeat_seconds
    return Section(
        title="Jobs that go on after their worker was killed",
        command="python -m benchmarks job-takeovers",
        body=table(
            ["kills", "seconds p50", "seconds, longest"],
            [[str(len(taken)), f"{statistics.median(taken):.2f}", f"{taken[-1]:.2f}"]],
        ),
        notes=(
            f"Two workers on DBOS, seed {SEED}; the one that runs the job is killed with -9 at a random "
            "moment, the other claims the job, and a new worker takes the place of the dead one."
        ),
        goals=(
            Goal(
                text=f"a dead worker's job goes on within the heartbeat ({heartbeat:g} s)",
                measured=f"{taken[-1]:.2f} s at the longest",
                met=taken[-1] <= heartbeat,
            ),
        ),
    )


async def _measure_takeovers(url: str) -> list[float]:
    dice = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        state = StateStore(choose_job_settings(url, Path(folder)))
        desk = JobService(state, {KIND: run_waiting_job})
        workers = {worker.pid: worker for worker in (start_worker(url, folder) for _ in range(2))}
        taken = []
        for number in range(ROUNDS):
            _, job = await queue_job(desk, number)
            holder, fence = await _wait_for_claim(state, job, above=0)
            await asyncio.sleep(dice.uniform(0.2, 2.0))
            killed = _read_process_id(holder)
            os.kill(killed, signal.SIGKILL)
            began = time.perf_counter()
            await _wait_for_claim(state, job, above=fence)
            taken.append(time.perf_counter() - began)
            workers.pop(killed).wait()
            replacement = start_worker(url, folder)
            workers[replacement.pid] = replacement
            await wait_for_end(state)
        for worker in workers.values():
            stop_worker(worker)
        await state.aclose()
    return taken


async def _wait_for_claim(state: StateStore, job: str, *, above: int) -> tuple[str, int]:
    """The worker that holds the job, and the number of its claim, once that is above the given one."""
    while True:
        ((holder, fence),) = await state.database.select_rows(_SELECT_HOLDER, {"id": job})
        if holder and fence > above:
            return holder, fence
        await asyncio.sleep(_LOOK_SECONDS)


def _read_process_id(executor: str) -> int:
    """An executor's id is its host, its process id and random digits."""
    return int(executor.rsplit("-", 2)[1])
