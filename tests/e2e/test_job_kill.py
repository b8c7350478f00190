"""Jobs whose workers are killed: each completes after a restart, and nothing is ever paid twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import citewell
from tests.e2e.endurance import TortureRound, torture_rounds
from tests.e2e.job_torture import CALLS
from tests.e2e.metered import ESTIMATE, PRICE
from tests.services import postgres_or_skip

ROOT = Path(__file__).parents[2]
SOURCE = str(Path(citewell.__file__).parents[1])
EXACTLY_ONCE = {name for name, (_, idempotent) in CALLS.items() if idempotent}

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes"),
    pytest.mark.timeout(600),
]


def tortured(engine: str, folder: Path, dealt: TortureRound, *, workers: int) -> dict[str, Any]:
    url = postgres_or_skip().new() if engine == "postgres" else ""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.e2e.job_torture"),
            *(engine, str(folder), url, str(dealt.kills), str(dealt.seed), str(workers)),
        ],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([SOURCE, str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_jobs(told: dict[str, Any]) -> None:
    for job in told["jobs"]:
        assert job["status"] == "completed"
        states = {key: job["steps"][key][0] for key in CALLS}
        assert set(job["steps"]) == {"plan", "synthesis", *CALLS}
        assert dict(zip(CALLS, job["result"]["answers"], strict=True)) == states
        assert job["planned"] == 1
        assert {states[key] for key in EXACTLY_ONCE} == {"done"}


def check_charges(told: dict[str, Any]) -> None:
    charges = told["charges"]
    for job in told["jobs"]:
        for key in CALLS:
            charged = charges.get(f"{job['id']}/{key}", 0)
            state, cost = job["steps"][key]
            assert charged <= 1
            assert (state, cost) in {("done", PRICE), ("uncertain", ESTIMATE)}
            assert charged == 1 or state == "uncertain"


def check_ledger(told: dict[str, Any]) -> None:
    booked = {"credit": 0, "reserve": 0, "settle": 0, "release": 0}
    for kind, ticks in told["entries"]:
        booked[kind] += ticks
    costs = sum(cost for job in told["jobs"] for _, cost in job["steps"].values())
    assert told["reserved"] == 0
    assert told["credited"] == booked["credit"]
    assert told["settled"] == booked["settle"] == costs
    assert told["settled"] == sum(job["spent"] for job in told["jobs"])
    assert booked["reserve"] == booked["settle"] + booked["release"]
    assert told["balance"] + told["settled"] == told["credited"]


def check(told: dict[str, Any], dealt: TortureRound) -> None:
    assert told["kills"] >= dealt.kills
    check_jobs(told)
    check_charges(told)
    check_ledger(told)


@torture_rounds(usual=50, long=150)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_job_killed_at_fifty_points_completes_and_pays_nothing_twice(
    workers: int, dealt: TortureRound, tmp_path: Path
) -> None:
    told = tortured("sqlite", tmp_path, dealt, workers=workers)

    assert told["frozen"] > 0 or workers == 1
    check(told, dealt)


@torture_rounds(usual=8, long=100)
def test_a_job_whose_dbos_workers_are_killed_completes_and_pays_nothing_twice(
    dealt: TortureRound, tmp_path: Path
) -> None:
    """The start of such a worker takes as long as a dozen kills of the other kind."""
    told = tortured("postgres", tmp_path, dealt, workers=2)

    check(told, dealt)
