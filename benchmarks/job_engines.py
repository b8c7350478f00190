"""The embedded job engine and DBOS, both on a SQLite file: `python -m benchmarks job-engines`.

Run as a program it is one process with one engine: `measure` runs jobs and tells what they cost,
`work` runs jobs until it is stopped, `torture` kills such workers (tests/e2e/job_torture.py).
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from benchmarks.report import Goal, Section, table
from benchmarks.subjects import ROOT

ENGINES = {"embedded": "embedded", "dbos": "DBOS"}
JOBS = 30
ROUNDS = 3
STEPS = 12
STEP_BYTES = 8_000
PROCESSES = 3
SHARED_JOBS = 120
KILLS = 50
SEED = 11
TORTURE_SECONDS = 420
MAX_RATIO = 1.5
MB = 2**20
_MASTER_KEY = "5a" * 32


def job_engines() -> Section:
    """Time, memory and safety of jobs on both engines."""
    told = {engine: _measure_engine(engine) for engine in ENGINES}
    rows = [
        [text, *(f"{told[engine][key]:,.{digits}f}" for engine in ENGINES), _ratio(told, key)]
        for text, key, digits in _ROWS
    ]
    rows += [
        [text, *(str(told[engine][key]) for engine in ENGINES), ""]
        for text, key in (
            ("modules loaded by the engine", "modules"),
            ("threads while jobs run", "threads"),
            (f"kill -9 of workers, {PROCESSES} on one file", "torture"),
        )
    ]
    return Section(
        title="Job engines on a SQLite file",
        command="python -m benchmarks job-engines",
        body=table(["measured", *ENGINES.values(), "ratio"], rows),
        notes=(
            f"Each job has {STEPS} steps with results of {STEP_BYTES:,} bytes and two paid calls, and waits for "
            f"nobody: what is measured is the engine. Medians of {ROUNDS} processes with {JOBS} jobs each. DBOS "
            "has a file of its own in WAL mode and looks at its queue twenty times a second, rather than four "
            "times as with PostgreSQL. The kills are those of job-kills."
        ),
        goals=tuple(
            Goal(
                text=f"DBOS on SQLite: {text} at most {MAX_RATIO} times the embedded engine's",
                measured=f"{_ratio(told, key)} times",
                met=told["dbos"][key] <= MAX_RATIO * told["embedded"][key],
            )
            for text, key in (("time of a job", "job_ms"), ("memory once a job runs", "mb"))
        ),
    )


_ROWS = (
    ("ms to load and start the engine", "load_ms", 0),
    ("MB before the engine is loaded", "before_mb", 1),
    ("MB once a job runs", "mb", 1),
    ("ms from the order of a job to its end, alone", "job_ms", 0),
    ("ms of CPU for each job", "cpu_ms", 0),
    ("ms of CPU a second, idle", "idle_ms", 1),
    (f"jobs a second, {PROCESSES} processes on one file", "shared_rate", 1),
)


def _ratio(told: dict[str, dict[str, Any]], key: str) -> str:
    return f"{told['dbos'][key] / max(told['embedded'][key], 0.05):.1f}"


def _measure_engine(engine: str) -> dict[str, Any]:
    runs = [json.loads(_run_process("measure", engine)) for _ in range(ROUNDS)]
    told: dict[str, Any] = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    return told | {"shared_rate": _measure_shared(engine), "torture": _torture_engine(engine)}


def _run_process(role: str, engine: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            _command(role, engine, folder), cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
        ).stdout


def _command(role: str, engine: str, folder: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.job_engines", role, engine, folder]


def _measure_shared(engine: str) -> float:
    """Jobs a second of several processes on one file, from the first end to the last."""
    with tempfile.TemporaryDirectory() as folder:
        workers = [
            subprocess.Popen(_command("work", engine, folder), cwd=ROOT, stdin=subprocess.PIPE)
            for _ in range(PROCESSES)
        ]
        rate = asyncio.run(_order_shared_jobs(engine, folder))
        for worker in workers:
            worker.communicate()
    return rate


async def _order_shared_jobs(engine: str, folder: str) -> float:
    state, desk = _open_service(engine, folder)
    for number in range(SHARED_JOBS):
        await desk.dispatch_job(f"owner{number % 10}", _build_order())
    sql = "SELECT COUNT(finished), MIN(finished), MAX(finished) FROM job"
    while True:
        ((ended, first, last),) = await state.database.select_rows(sql)
        if ended == SHARED_JOBS:
            break
        await asyncio.sleep(0.05)
    await state.aclose()
    return float((SHARED_JOBS - 1) / (last - first))


def _torture_engine(engine: str) -> str:
    """What became of the jobs of killed workers, by the checks of the torture's own test."""
    from tests.e2e.endurance import TortureRound
    from tests.e2e.test_job_kill import check

    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            _command("torture", engine, folder),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            out, failure = process.communicate(timeout=TORTURE_SECONDS)
        except subprocess.TimeoutExpired:
            for child in psutil.Process(process.pid).children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    child.kill()
            process.kill()
            process.communicate()
            return f"not ended after {TORTURE_SECONDS} s"
    if process.returncode:
        return f"failed: {failure.strip().splitlines()[-1]}"
    told = json.loads(out)
    try:
        check(told, TortureRound(seed=SEED, kills=KILLS))
    except AssertionError as error:
        return f"{told['kills']} kills, a check failed: {str(error).splitlines()[0]}"
    return f"{told['kills']} kills in {told['seconds']:.0f} s, {len(told['jobs'])} jobs complete"


@dataclass
class InstantCall:
    """A paid call that is answered at once, the one in the background at its first poll."""

    background: bool
    provider: str = "instant"
    estimate_cost: int = 10
    is_idempotent: bool = True

    async def submit_research(self, tag: str) -> Any:
        return self._build_reply(running=self.background, ref=tag)

    async def poll_research(self, ref: str) -> Any:
        return self._build_reply(running=False, ref=ref)

    cancel_research = poll_research

    def _build_reply(self, *, running: bool, ref: str) -> Any:
        from citewell.core.values.research import ResearchStatus
        from citewell.jobs.durable_job import CallReply

        status = ResearchStatus.RUNNING if running else ResearchStatus.COMPLETED
        return CallReply(status=status, ref=ref, result={"text": "x" * STEP_BYTES}, cost=7)


async def run_research_like_job(run: Any) -> Any:
    async def work() -> Any:
        return {"text": "x" * STEP_BYTES}

    await run.run_step("plan", work)
    pages = [run.run_step(f"page-{number}", work) for number in range(STEPS - 2)]
    calls = [
        run.run_paid_call(f"paid-{background}", InstantCall(background=background))
        for background in (False, True)
    ]
    await asyncio.gather(*pages, *calls)
    return await run.run_step("report", work)


def _open_service(engine: str, folder: str) -> tuple[Any, Any]:
    from citewell.core.config import Settings
    from citewell.jobs.job_service import JobService
    from citewell.jobs.run_record import EngineTiming
    from citewell.server.state.state_store import StateStore

    state = StateStore(Settings(data_dir=Path(folder), master_key=_MASTER_KEY))
    _choose_engine(engine)
    timing = EngineTiming(queue_interval=0.05, idle_interval=0.5, first_poll_delay=0.001)
    return state, JobService(state, {"research": run_research_like_job}, timing=timing)


def _choose_engine(engine: str) -> None:
    if engine == "dbos":
        from benchmarks.dbos_file_engine import DbosFileEngine
        from citewell.jobs import job_service

        vars(job_service)["build_job_engine"] = DbosFileEngine


def _build_order() -> Any:
    from citewell.jobs.durable_job import JobOrder

    return JobOrder(kind="research", args={}, cap=100)


async def _measure(engine: str, folder: str) -> dict[str, float]:
    from citewell.core.config import Settings
    from citewell.server.state.state_store import StateStore

    process = psutil.Process()
    state = StateStore(Settings(data_dir=Path(folder), master_key=_MASTER_KEY))
    await state.ledger.load_balance("owner")
    await state.aclose()
    before, modules = process.memory_info().rss, len(sys.modules)
    begun = time.perf_counter()
    state, desk = _open_service(engine, folder)
    desk.start_runner()
    await _run_job(desk)
    loaded = time.perf_counter() - begun
    cpu, took = time.process_time(), [await _run_job(desk) for _ in range(JOBS)]
    spent = time.process_time() - cpu
    memory, threads = process.memory_info().rss, process.num_threads()
    cpu = time.process_time()
    await asyncio.sleep(2.0)
    idle = (time.process_time() - cpu) / 2.0
    await desk.stop_runner()
    await state.aclose()
    return {
        "load_ms": 1000 * (loaded - statistics.median(took)),
        "before_mb": before / MB,
        "mb": memory / MB,
        "modules": len(sys.modules) - modules,
        "threads": threads,
        "job_ms": 1000 * statistics.median(took),
        "cpu_ms": 1000 * spent / JOBS,
        "idle_ms": 1000 * idle,
    }


async def _run_job(desk: Any) -> float:
    begun = time.perf_counter()
    view = await desk.dispatch_job("owner", _build_order())
    while not view.status.is_final:
        view = await desk.wait_for_news("owner", view.job.id, since=view.seq, seconds=10.0)
    return time.perf_counter() - begun


async def _work(engine: str, folder: str) -> None:
    state, desk = _open_service(engine, folder)
    desk.start_runner()
    await asyncio.to_thread(sys.stdin.read)  # until whoever started it closes the pipe
    await desk.stop_runner()
    await state.aclose()


def _torture(engine: str, folder: str) -> dict[str, Any]:
    from citewell.core.config import Settings
    from tests.e2e import job_torture

    if engine == "dbos":
        import dbos  # noqa: F401 - loaded before the forks

        # A worker takes as long to start as with PostgreSQL.
        job_torture.LATEST["sqlite"] = job_torture.LATEST["postgres"]
    _choose_engine(engine)
    begun = time.perf_counter()
    told = job_torture.torture(Settings(data_dir=Path(folder)), KILLS, SEED, PROCESSES)
    return told | {"seconds": time.perf_counter() - begun}


def main() -> None:
    role, engine, folder = sys.argv[1:]
    if role == "measure":
        print(json.dumps(asyncio.run(_measure(engine, folder))))
    elif role == "work":
        asyncio.run(_work(engine, folder))
    else:
        print(json.dumps(_torture(engine, folder)))


if __name__ == "__main__":
    main()
