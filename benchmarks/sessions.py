"""What a durable research step costs, beside a bare commit of the same bytes in the same run.

Run: python benchmarks/sessions.py [--steps 400]. Two processes, 100 sessions, 50 writers, and one
writer alone, on SQLite and, where it is installed, on PostgreSQL. Trust the ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from citewell.core.config import Settings
from citewell.server.state.state_store import StateStore
from citewell.sessions.session_store import SessionChange
from citewell.store.settings import StoreSettings

SESSIONS, WRITERS, PROCESSES = 100, 50, 2
STEP = os.urandom(750).hex().encode()  # 1.5 KB
HEAD = b'{"goal": "something", "gaps": []}' * 8


async def timed(
    writers: int, turns: int, write: Callable[[int, int], Awaitable[object]]
) -> list[float]:
    """Seconds of every single write, by so many writers at once."""
    found: list[float] = []

    async def one(writer: int) -> None:
        for turn in range(turns):
            begun = time.perf_counter()
            await write(writer, turn)
            found.append(time.perf_counter() - begun)

    await asyncio.gather(*(one(writer) for writer in range(writers)))
    return found


async def ours(settings: Settings, writers: int, turns: int, place: int) -> list[float]:
    state = StateStore(settings)

    async def write(writer: int, turn: int) -> None:
        session = str((place * 37 + writer * 7 + turn * 13) % SESSIONS)
        change = SessionChange(body=HEAD, appended=(STEP,))
        await state.sessions.edit_session("someone", session, lambda _: change)

    await timed(writers, 1, write)
    try:
        return await timed(writers, turns, write)
    finally:
        await state.aclose()


async def bare_sqlite(settings: Settings, writers: int, turns: int, _: int) -> list[float]:
    """One INSERT a commit, each writer with a thread and a connection of its own."""
    from concurrent.futures import ThreadPoolExecutor

    local: dict[int, sqlite3.Connection] = {}

    def commit(writer: int) -> None:
        if writer not in local:
            link = sqlite3.connect(
                settings[StoreSettings].data_path / "bare.db",
                timeout=60,
                isolation_level=None,
                check_same_thread=False,
            )
            link.execute("PRAGMA journal_mode = WAL")
            link.execute("PRAGMA synchronous = FULL")
            link.execute("CREATE TABLE IF NOT EXISTS step (session TEXT, body BLOB)")
            local[writer] = link
        local[writer].execute("INSERT INTO step VALUES (?, ?)", (str(writer), STEP))

    with ThreadPoolExecutor(writers) as threads:
        loop = asyncio.get_running_loop()

        async def write(writer: int, _: int) -> None:
            await loop.run_in_executor(threads, commit, writer)

        await timed(writers, 1, write)
        found = await timed(writers, turns, write)
    for link in local.values():
        link.close()
    return found


async def bare_postgres(settings: Settings, writers: int, turns: int, _: int) -> list[float]:
    import asyncpg

    links = [await asyncpg.connect(settings[StoreSettings].database_url) for _ in range(writers)]
    await links[0].execute("SELECT pg_advisory_lock(1)")
    await links[0].execute("CREATE TABLE IF NOT EXISTS step (session TEXT, body BYTEA)")
    await links[0].execute("SELECT pg_advisory_unlock(1)")

    async def write(writer: int, _: int) -> None:
        await links[writer].execute("INSERT INTO step VALUES ($1, $2)", str(writer), STEP)

    await timed(writers, 1, write)
    found = await timed(writers, turns, write)
    for link in links:
        await link.close()
    return found


KINDS = {"ours": ours, "bare sqlite": bare_sqlite, "bare postgres": bare_postgres}


def several(kind: str, settings: dict[str, str], writers: int, turns: int, processes: int) -> Any:
    """Times from so many processes that begin together."""
    children = [
        subprocess.Popen(
            [
                *(sys.executable, __file__, "--child", kind, json.dumps(settings)),
                *(str(writers // processes), str(turns), str(place)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for place in range(processes)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    begun = time.perf_counter()
    parts = [child.communicate("\n")[0] for child in children] if processes == 1 else _go(children)
    wall = time.perf_counter() - begun
    times = [one for part in parts for one in json.loads(part)]
    return times, len(times) / wall


def _go(children: Any) -> Any:
    for child in children:
        child.stdin.write("\n")
        child.stdin.flush()
    return [child.communicate()[0] for child in children]


def child(kind: str, settings: str, writers: str, turns: str, place: str) -> None:
    given = json.loads(settings)
    chosen = Settings(
        data_dir=Path(given["folder"]), database_url=given.get("url"), session_max=10_000
    )
    print("ready", flush=True)
    sys.stdin.readline()
    print(json.dumps(asyncio.run(KINDS[kind](chosen, int(writers), int(turns), int(place)))))


async def begin(settings: Settings) -> None:
    state = StateStore(settings)
    for number in range(SESSIONS):
        await state.sessions.create_session("someone", str(number), HEAD)
    await state.aclose()


def spread(times: list[float]) -> tuple[float, float]:
    ordered = sorted(times)
    return statistics.median(ordered) * 1000, ordered[int(len(ordered) * 0.95)] * 1000


def compare(engine: str, given: dict[str, str], steps: int) -> None:
    chosen = Settings(
        data_dir=Path(given["folder"]), database_url=given.get("url"), session_max=10_000
    )
    asyncio.run(begin(chosen))
    for label, writers, processes in (("1 writer", 1, 1), ("50 writers, 2 processes", WRITERS, 2)):
        turns = max(2, steps // writers) if writers > 1 else steps // 2
        best: dict[str, tuple[float, float, float]] = {}
        for _ in range(3):
            for kind in ("ours", f"bare {engine}"):
                times, rate = several(kind, given, writers, turns, processes)
                middle, high = spread(times)
                if kind not in best or high < best[kind][1]:
                    best[kind] = (middle, high, rate)
        mine, bare = best["ours"], best[f"bare {engine}"]
        print(
            f"{engine:<9}| {label:<24}| step p50 {mine[0]:7.2f} ms p95 {mine[1]:7.2f} ms "
            f"| bare commit p50 {bare[0]:7.2f} ms p95 {bare[1]:7.2f} ms | p95 × {mine[1] / bare[1]:.2f}"
        )


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=400)
    steps = parser.parse_args().steps
    with tempfile.TemporaryDirectory() as folder:
        compare("sqlite", {"folder": folder}, steps)
    os.environ["CITEWELL_TEST_FSYNC"] = "on"
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.services import found_postgres

    server = found_postgres()
    if isinstance(server, str):
        print(f"postgres | {server}")
        return
    with tempfile.TemporaryDirectory() as folder:
        compare("postgres", {"folder": folder, "url": server.new()}, steps)


if __name__ == "__main__":
    main()
