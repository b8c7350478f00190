"""The store among several processes, some of them killed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import citewell
from citewell.core.config import Settings
from citewell.store.cache_store import open_cache_store
from tests.requirements import requires

SOURCE = str(Path(citewell.__file__).parents[1])

FRAME = """
import asyncio, sys
from citewell.core.config import Settings
from citewell.store.cache.single_flight import CachedLoader, FreshValue
from citewell.store.cache_store import open_cache_store

def say(text):
    sys.stdout.write(f"{text}\\n")
    sys.stdout.flush()

store = open_cache_store(Settings(data_dir=sys.argv[1]))
name = sys.argv[2]
"""

WRITER = (
    FRAME
    + """
async def one(number):
    key = f"{name} {number}"
    assert await store.cache.store_entry("someone", key, key.encode() * 500, ttl=3600)
    say(key)

async def main():
    say("ready")
    sys.stdin.readline()
    for start in range(0, 200, 8):
        await asyncio.gather(*(one(number) for number in range(start, start + 8)))
    assert not store.list_store_warnings(), store.list_store_warnings()
    say("done")
    sys.stdin.readline()
    await store.aclose()

asyncio.run(main())
"""
)

LOADER = (
    FRAME
    + """
async def make():
    say("making")
    await asyncio.to_thread(sys.stdin.readline)
    return FreshValue(value=name.encode(), ttl=3600)

async def pause(seconds):
    say("waiting")
    await asyncio.sleep(seconds)

async def main():
    loader = CachedLoader(store.cache, store.loader._leases, pause=pause)
    loaded = await loader.load_or_make("someone", "shared", make)
    say(f"loaded {loaded.entry.value.decode()} {loaded.is_cached}")
    await store.aclose()

asyncio.run(main())
"""
)


@contextlib.contextmanager
def process(code: str, folder: Path, name: str) -> Iterator[Any]:
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(folder), name],
        env=os.environ | {"PYTHONPATH": SOURCE},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def tell(child: Any) -> None:
    child.stdin.write("\n")
    child.stdin.flush()


def hear(child: Any, wanted: str) -> list[str]:
    """What the child says up to the wanted line."""
    heard = []
    for line in child.stdout:
        heard.append(line.strip())
        if heard[-1] == wanted:
            return heard
    pytest.fail(f"the child ended without saying {wanted!r}")


def missing(folder: Path, keys: list[str]) -> list[str]:
    async def look() -> list[str]:
        store = open_cache_store(Settings(data_dir=folder))
        try:
            entries = [(key, await store.cache.look_up_entry("someone", key)) for key in keys]
        finally:
            await store.aclose()
        assert not store.list_store_warnings()
        return [key for key, entry in entries if not entry or entry.value != key.encode() * 500]

    return asyncio.run(look())


def integrity(folder: Path) -> str:
    with contextlib.closing(sqlite3.connect(folder / "cache.db")) as link:
        return link.execute("PRAGMA integrity_check").fetchone()[0]


@requires("defect.cache_kill")
@pytest.mark.parametrize("after", [1, 40, 90, 150])
def test_every_acknowledged_entry_survives_kill_9(tmp_path: Path, after: int) -> None:
    with process(WRITER, tmp_path, "w") as child:
        hear(child, "ready")
        tell(child)
        acknowledged = [next(child.stdout).strip() for _ in range(after)]
        child.kill()
        acknowledged += [line.strip() for line in child.stdout if line.endswith("\n")]
        assert child.wait(10) != 0
    acknowledged = [key for key in acknowledged if key != "done"]

    assert len(acknowledged) >= after
    assert missing(tmp_path, acknowledged) == []
    assert integrity(tmp_path) == "ok"


def test_processes_that_start_cold_at_once_share_one_file(tmp_path: Path) -> None:
    names = ["a", "b", "c"]
    with contextlib.ExitStack() as stack:
        children = [stack.enter_context(process(WRITER, tmp_path, name)) for name in names]
        for child in children:
            hear(child, "ready")
        for child in children:
            tell(child)
        acknowledged = [key for child in children for key in hear(child, "done")[:-1]]
        for child in children:
            tell(child)
            assert child.wait(20) == 0

    assert len(acknowledged) == 600
    assert missing(tmp_path, acknowledged) == []
    assert integrity(tmp_path) == "ok"
    assert not list(tmp_path.glob("*.damaged-*"))


def test_a_process_waits_for_the_one_that_is_already_making_it(tmp_path: Path) -> None:
    with process(LOADER, tmp_path, "first") as first, process(LOADER, tmp_path, "second") as second:
        heard = {next(first.stdout).strip(), next(second.stdout).strip()}
        assert heard == {"making", "waiting"}
        for child in (first, second):
            with contextlib.suppress(BrokenPipeError):  # the one that waits needs no word
                tell(child)
        results = [child.stdout.read().split("\n")[-2] for child in (first, second)]

    values = {result.split()[1] for result in results}
    assert len(values) == 1
    assert sorted(result.split()[2] for result in results) == ["False", "True"]
