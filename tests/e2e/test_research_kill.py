"""Whole research jobs whose processes are killed: each completes, and no provider is paid twice."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import citewell
from tests.e2e.endurance import TortureRound, torture_rounds
from tests.e2e.research_torture import PROVIDERS
from tests.e2e.test_job_kill import check_ledger
from tests.requirements import requires
from tests.services import postgres_or_skip

ROOT = Path(__file__).parents[2]
SOURCE = str(Path(citewell.__file__).parents[1])
PAID = [f"report:{name}" for name in PROVIDERS if name != "local"]

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes"),
    pytest.mark.timeout(600),
]


def tortured(engine: str, folder: Path, dealt: TortureRound, *, workers: int) -> dict[str, Any]:
    url = postgres_or_skip().new() if engine == "postgres" else ""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.e2e.research_torture"),
            *(str(folder), url, str(dealt.kills), str(dealt.seed), str(workers)),
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
    """Each is complete, with its findings kept and its answer said once; what is in doubt is told."""
    for job in told["jobs"]:
        found = told["found"][job["id"]]
        assert job["status"] == "completed"
        assert {"plan", "claims", "keep", *PAID} <= set(job["steps"])
        assert found["claims"] > 0
        assert found["messages"] == ["user", "assistant"]
        for key in PAID:
            state = job["steps"][key][0]
            name = key.partition(":")[2]
            told_of = any(note.startswith(f"{name} gave no report") for note in found["notes"])
            assert state in {"done", "uncertain"}
            assert told_of == (state == "uncertain")


def check_charges(told: dict[str, Any]) -> None:
    """At most one charge for a step, exactly one where the answer arrived, and none for anything else."""
    charged = {tag: times for _, tag, times in told["charges"]}
    assert len(charged) == len(told["charges"])
    for job in told["jobs"]:
        for key in (*PAID, "synthesis"):
            tag = hashlib.sha256(f"{job['id']}\0{key}".encode()).hexdigest()[:32]
            times = charged.pop(f"citewell-{tag}", 0)
            state = job["steps"].get(key, ("absent", 0))[0]
            assert times <= 1
            assert times == 1 or state in {"uncertain", "absent"}
            assert times == 0 or state != "absent"
    assert charged == {}


def check(told: dict[str, Any], kills: int) -> None:
    assert told["kills"] >= kills
    check_jobs(told)
    check_charges(told)
    check_ledger(told)


@requires("deep.paid_once")
@torture_rounds(usual=15, long=50)
def test_research_killed_again_and_again_completes_and_pays_nothing_twice(
    dealt: TortureRound, tmp_path: Path
) -> None:
    told = tortured("sqlite", tmp_path, dealt, workers=1)

    check(told, kills=dealt.kills)


@requires("deep.paid_once")
@torture_rounds(usual=5, long=30)
def test_research_whose_dbos_workers_are_killed_completes_and_pays_nothing_twice(
    dealt: TortureRound, tmp_path: Path
) -> None:
    told = tortured("postgres", tmp_path, dealt, workers=2)

    check(told, kills=dealt.kills)
