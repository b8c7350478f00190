"""The store among several processes, one of which leaves in good order: the others lose nothing."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

import citewell
from citewell.core.config import Settings
from citewell.server.state.state_store import StateStore

SOURCE = str(Path(citewell.__file__).parents[1])

VISITOR = """
import asyncio, sys
from pathlib import Path
from citewell.core.config import Settings
from citewell.server.state.state_store import StateStore

async def main():
    state = StateStore(Settings(data_dir=Path(sys.argv[1])))
    heads = await state.sessions.list_heads("someone")
    await state.sessions.create_session("someone", sys.argv[2], b"head")
    await state.aclose()
    sys.stdout.write(" ".join(sorted(head.id for head in heads)))

asyncio.run(main())
"""


def visited(folder: Path, name: str) -> str:
    """What another process finds, which then leaves a session and closes the store."""
    done = subprocess.run(
        [sys.executable, "-c", VISITOR, str(folder), name],
        env=os.environ | {"PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("first", ["read", "write"])
def test_a_process_that_leaves_takes_no_log_from_one_that_stays(tmp_path: Path, first: str) -> None:
    async def scenario() -> str:
        state = StateStore(Settings(data_dir=tmp_path))
        if first == "read":
            await state.sessions.list_heads("someone")
        await state.sessions.create_session("someone", "before", b"head")
        await state.sessions.load_session("someone", "before")
        await asyncio.to_thread(visited, tmp_path, "visitor")
        await state.sessions.create_session("someone", "after", b"head")
        found = await asyncio.to_thread(visited, tmp_path, "second")
        await state.aclose()
        return found

    assert asyncio.run(scenario()) == "after before visitor"
    assert visited(tmp_path, "third") == "after before second visitor"
