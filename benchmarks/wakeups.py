"""How soon a waiting caller hears of a change by another process: `python -m benchmarks wakeups`."""

from __future__ import annotations

import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from copy import copy
from pathlib import Path
from typing import Any

from benchmarks.report import Goal, Section, table
from citewell.core.config import Settings
from citewell.jobs.durable_job import JobOrder
from citewell.server.state.state_store import StateStore
from citewell.store.coordination.change_notices import JOB_TOPIC, POLL_SECONDS, ChangeNotices
from citewell.store.sql.database import SqlStatement
from tests.services import pgbouncer_or_skip, postgres_or_skip

CHANGES = 60
WAITERS = (1, 100)
MAX_P95_MS = 100.0
STATEMENT_ROUNDS = 300
OWNER = "someone"
# Another process: for each id on its input it advances the job, and prints when that was committed.
_WRITER = """
import asyncio, sys, time
import asyncpg
async def main(url):
    link = await asyncpg.connect(url, server_settings={"search_path": "citewell_state"})
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        await link.execute("UPDATE job SET seq = seq + 1 WHERE id = $1", line.strip())
        print(time.monotonic(), flush=True)
asyncio.run(main(sys.argv[1]))
"""


def wakeups() -> Section:
    """Seconds from the commit of a change to the view of it, with notices and with polling alone."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure_all(Path(folder)))


async def _measure_all(folder: Path) -> Section:
    url = postgres_or_skip().new()
    rows, told, polled = [], [], []
    async with _open_store(folder, database_url=url) as state:
        deaf = copy(state)
        deaf.notices = ChangeNotices()
        for waiters in WAITERS:
            told = await _measure_delays(state, url, waiters)
            polled = await _measure_delays(deaf, url, waiters, hears=False)
            rows.append([str(waiters), _format_delays(told), _format_delays(polled), _ratio(told, polled)])  # fmt: skip
        direct = await _time_statements(state)
    pooled_url = pgbouncer_or_skip().through(url)
    async with _open_store(folder, database_url=pooled_url, database_direct_url=url) as state:
        pooled = await _time_statements(state)
    worst = _pick_p95(told)
    return Section(
        title="Hearing of a change by another process",
        command="python -m benchmarks wakeups",
        body=table(
            ["waiters", "LISTEN, ms p50 / p95", "polling, ms p50 / p95", "polling ÷ LISTEN"], rows
        ),
        notes=(
            f"From the commit in another process to the new view of the job, {CHANGES} changes at random "
            f"moments; polling looks every {POLL_SECONDS} s. Of the waiters one waits for the job that "
            "changes, the others for other jobs. One query takes "
            f"{direct[0]:.2f} ms directly and {pooled[0]:.2f} ms through PgBouncer in transaction mode, "
            f"a batch of three statements {direct[1]:.2f} and {pooled[1]:.2f} ms (medians, one machine)."
        ),
        goals=(
            Goal(
                text=f"a change by another process is heard within {MAX_P95_MS:.0f} ms (p95)",
                measured=f"{worst:.0f} ms with {WAITERS[-1]} waiters",
                met=worst <= MAX_P95_MS,
            ),
        ),
    )


@asynccontextmanager
async def _open_store(folder: Path, **settings: Any) -> AsyncIterator[StateStore]:
    state = StateStore(Settings(data_dir=folder, **settings))
    try:
        yield state
    finally:
        await state.aclose()


async def _measure_delays(
    state: StateStore, url: str, waiters: int, *, hears: bool = True
) -> list[float]:
    """Milliseconds of each change, sorted."""
    jobs = [await _create_job(state, number) for number in range(waiters)]
    others = [asyncio.create_task(_wait_for_change(state, job)) for job in jobs[1:]]
    writer = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _WRITER, url),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert writer.stdin is not None
    assert writer.stdout is not None
    await writer.stdout.readline()
    delays, rng = [], random.Random(16)
    try:
        for _ in range(CHANGES):
            waiting = asyncio.create_task(_wait_for_change(state, jobs[0]))
            await asyncio.sleep(0.02 + rng.random() * POLL_SECONDS)
            assert hears == state.notices.hears_others(JOB_TOPIC)
            writer.stdin.write(f"{jobs[0]}\n".encode())
            await writer.stdin.drain()
            committed = float(await writer.stdout.readline())
            delays.append(1000 * max(0.0, await waiting - committed))
    finally:
        writer.stdin.close()
        await writer.wait()
        for other in others:
            other.cancel()
    return sorted(delays)


async def _create_job(state: StateStore, number: int) -> str:
    job_id = f"{number}-{time.monotonic_ns()}"
    await state.jobs.create_job(OWNER, job_id, JobOrder(kind="work", args={}))
    return job_id


async def _wait_for_change(state: StateStore, job: str) -> float:
    """When the changed view of the job was there."""
    async with state.notices.watch(JOB_TOPIC, job) as watch:
        first = view = await state.jobs.require_job_view(OWNER, job)
        while view.seq == first.seq:
            await watch.wait(3600)
            view = await state.jobs.require_job_view(OWNER, job)
        return time.monotonic()


async def _time_statements(state: StateStore) -> tuple[float, float]:
    """Median milliseconds of one query, and of a batch of three statements."""
    change = SqlStatement(sql="UPDATE lease SET expires = expires + 1 WHERE id = :id", params={"id": "x"})  # fmt: skip
    return (
        await _time_call(lambda: state.database.select_rows("SELECT version FROM schema_version")),
        await _time_call(lambda: state.database.execute_batch([change] * 3)),
    )


async def _time_call(call: Callable[[], Awaitable[object]]) -> float:
    taken = []
    for _ in range(STATEMENT_ROUNDS):
        begun = time.perf_counter()
        await call()
        taken.append(1000 * (time.perf_counter() - begun))
    return statistics.median(taken)


def _format_delays(delays: list[float]) -> str:
    return f"{statistics.median(delays):.1f} / {_pick_p95(delays):.1f}"


def _pick_p95(delays: list[float]) -> float:
    return delays[int(len(delays) * 0.95) - 1]


def _ratio(told: list[float], polled: list[float]) -> str:
    return f"{statistics.median(polled) / max(0.1, statistics.median(told)):.0f}"
