"""Sessions among several processes, some of them killed: nothing acknowledged is ever lost."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import citewell
from citewell.core.config import Settings
from citewell.server.state.state_store import StateStore
from tests.e2e.endurance import TortureRound, torture_rounds
from tests.requirements import requires
from tests.services import postgres_or_skip

ROOT = Path(__file__).parents[2]
SOURCE = str(Path(citewell.__file__).parents[1])

WRITERS = """
import asyncio, sys
from pathlib import Path
from citewell.core.config import Settings
from citewell.sessions.session_store import SessionChange
from citewell.server.state.state_store import StateStore

folder, url, place = sys.argv[1:]
settings = Settings(data_dir=Path(folder), session_max=1000, database_url=url or None)

async def main():
    state = StateStore(settings)
    async def writer(number):
        for turn in range(8):
            session = (number * 7 + turn * 13) % 100
            step = f"{place}.{number}.{turn}".encode()
            await state.sessions.edit_session("someone", str(session), lambda held: SessionChange(
                body=str(int(held.head.body) + 1).encode(), appended=(step,)))
    await state.sessions.list_heads("someone")
    print("ready", flush=True)
    sys.stdin.readline()
    await asyncio.gather(*(writer(number) for number in range(25)))
    await state.aclose()

asyncio.run(main())
"""


@pytest.fixture(params=["postgres", "sqlite"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, ...]:
    url = postgres_or_skip().new() if request.param == "postgres" else ""
    return request.param, str(tmp_path), url


def tortured(engine: tuple[Any, ...], dealt: TortureRound) -> dict[str, int]:
    name, folder, url = engine
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.e2e.torture",
            name,
            folder,
            url,
            str(dealt.kills),
            str(dealt.seed),
        ],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([SOURCE, str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@requires("session.crash")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
@pytest.mark.timeout(600)
@torture_rounds(usual=40, long=500)
def test_no_acknowledged_step_is_lost_to_kill_9(
    engine: tuple[Any, ...], dealt: TortureRound
) -> None:
    told = tortured(engine, dealt)

    assert told["kills"] == dealt.kills
    assert told["acknowledged"] >= dealt.kills * 0.6  # the machine says how many, not the store
    assert told["lost"] == 0


def test_two_processes_with_fifty_writers_lose_no_update(engine: tuple[Any, ...]) -> None:
    _, folder, url = engine
    settings = Settings(data_dir=Path(folder), session_max=1000, database_url=url or None)

    async def begin() -> None:
        state = StateStore(settings)
        for number in range(100):
            await state.sessions.create_session("someone", str(number), b"0")
        await state.aclose()

    asyncio.run(begin())
    children = [
        subprocess.Popen(
            [sys.executable, "-c", WRITERS, folder, url, place],
            env=os.environ | {"PYTHONPATH": SOURCE},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for place in "ab"
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    assert [child.communicate(timeout=50) and child.returncode for child in children] == [0, 0]

    async def count() -> list[Any]:
        state = StateStore(settings)
        sessions = [await state.sessions.load_session("someone", str(n)) for n in range(100)]
        await state.aclose()
        return sessions

    sessions = asyncio.run(count())
    steps = [step for session in sessions for step in session.steps]
    assert len(steps) == len(set(steps)) == 400
    assert all(session.head.body == str(len(session.steps)).encode() for session in sessions)
