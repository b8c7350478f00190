"""Jobs on both engines: workers that are killed, and two workers beside one.

`python -m benchmarks job-kills job-workers`; JOB_KILLS and JOB_COUNT choose other numbers than 200 and 2,000.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from typing import Any

from benchmarks.job_load import AT_ONCE, OWNERS, UPSTREAM_SECONDS, JobRun, measure_jobs
from benchmarks.report import Goal, Section, table
from benchmarks.subjects import ROOT
from tests.e2e.endurance import TortureRound
from tests.e2e.job_torture import CALLS
from tests.e2e.test_job_kill import check
from tests.services import postgres_or_skip

KILLS = int(os.environ.get("JOB_KILLS", "200"))
JOBS = int(os.environ.get("JOB_COUNT", "2000"))
SEED = 11
WORKERS = 2
_ENGINES = {"embedded, SQLite": "sqlite", "DBOS, PostgreSQL": "postgres"}


def job_kills() -> Section:
    """kill -9 and freezes in the midst of jobs with four paid calls each, until they are complete."""
    told = {name: _torture_engine(engine) for name, engine in _ENGINES.items()}
    rows = [_build_torture_row(name, one) for name, one in told.items()]
    head = ["engine", "kills", "freezes", "jobs", "paid calls", "charged twice", "uncertain"]
    return Section(
        title="Jobs whose workers are killed",
        command="python -m benchmarks job-kills",
        body=table([*head, "ledger"], rows),
        notes=(
            f"Two workers at a time, seed {SEED}; each is killed at a random commit or at a random time, or "
            "frozen for longer than its lease. A call is uncertain if it was sent, cannot be asked after "
            "and its answer died with the worker; it is never sent again."
        ),
        goals=tuple(
            Goal(
                text=f"{KILLS} kills on {name}: nothing paid twice, every job complete, ledger balanced",
                measured=f"{one['kills']} kills",
                met=one["kills"] >= KILLS,
            )
            for name, one in told.items()
        ),
    )


def job_workers() -> Section:
    """Queued jobs that wait for upstreams, over one worker and over two."""
    alone, both = (
        measure_jobs(postgres_or_skip().new(), workers=workers, jobs=JOBS) for workers in (1, 2)
    )
    ratio = both.per_second / alone.per_second
    slowest = max(alone.status_p95, both.status_p95)
    return Section(
        title="Queued jobs over two workers",
        command="python -m benchmarks job-workers",
        body=table(
            ["workers", "jobs", "seconds", "jobs a second", "status p50 ms", "status p95 ms"],
            [_build_run_row(one) for one in (alone, both)],
        ),
        notes=(
            f"Jobs of {OWNERS} owners on DBOS, {AT_ONCE} at a time for each worker, which wait "
            f"{UPSTREAM_SECONDS:g} seconds for their upstreams; database, workers and whoever reads the status "
            "share this machine."
        ),
        goals=(
            Goal(
                text="two workers run at least 1.7 times the jobs of one",
                measured=f"{ratio:.2f}",
                met=ratio >= 1.7,
            ),
            Goal(
                text="status of a job within 100 ms at the 95th percentile",
                measured=f"{slowest:.0f} ms",
                met=slowest < 100,
            ),
        ),
    )


def _torture_engine(engine: str) -> dict[str, Any]:
    """What the torture tells, after every check of its test."""
    url = postgres_or_skip().new() if engine == "postgres" else ""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "tests.e2e.job_torture"),
                *(engine, folder, url, str(KILLS), str(SEED), str(WORKERS)),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    told: dict[str, Any] = json.loads(done.stdout)
    check(told, TortureRound(seed=SEED, kills=KILLS))
    return told


def _build_torture_row(name: str, told: dict[str, Any]) -> list[str]:
    states = Counter(job["steps"][key][0] for job in told["jobs"] for key in CALLS)
    twice = sum(charged > 1 for charged in told["charges"].values())
    numbers = (told["kills"], told["frozen"], len(told["jobs"]), states.total(), twice)
    return [name, *(f"{one:,}" for one in (*numbers, states["uncertain"])), "balanced"]


def _build_run_row(run: JobRun) -> list[str]:
    middle = sorted(run.status_ms)[len(run.status_ms) // 2]
    return [
        *(str(run.workers), f"{run.jobs:,}", f"{run.seconds:.0f}", f"{run.per_second:.1f}"),
        *(f"{middle:.1f}", f"{run.status_p95:.1f}"),
    ]
