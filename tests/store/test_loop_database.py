"""Tiny rows that the event loop writes itself: committed when answered, and never waited for."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from citewell.store.failures import BatchRolledBack
from citewell.store.sql.database import SqlStatement, StatementOutcome
from citewell.store.sql.loop_database import LoopDatabase
from citewell.store.sql.sqlite_database import SqliteDatabase

LEASE = "INSERT INTO lease (id, holder, expires) VALUES (:id, :holder, 1.0) RETURNING id"
MISSING = SqlStatement(sql="DELETE FROM lease WHERE id = 'absent'", expected_rows=1)


class CountingDatabase(SqliteDatabase):
    """Counts the batches that reach its writer thread."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, schema="cache", busy_seconds=5)
        self.batches = 0
        self.asked = asyncio.Event()

    async def execute_batch(self, batch: Sequence[SqlStatement]) -> tuple[StatementOutcome, ...]:
        self.batches += 1
        self.asked.set()
        return await super().execute_batch(batch)


def lease(name: str, holder: str | int = "h") -> SqlStatement:
    return SqlStatement(sql=LEASE, params={"id": name, "holder": holder}, expected_rows=1)


async def open_loop(database: LoopDatabase) -> None:
    while not database.is_open:
        await database.execute_batch([])


def play(path: Path, scenario: Callable[[LoopDatabase, CountingDatabase], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        threaded = CountingDatabase(path)
        database = LoopDatabase(threaded, threaded.file)
        try:
            await open_loop(database)
            threaded.batches = 0
            threaded.asked.clear()
            return await scenario(database, threaded)
        finally:
            await database.aclose()
            await threaded.aclose()

    return asyncio.run(run())


def read_names(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as link:
        return [name for (name,) in link.execute("SELECT id FROM lease ORDER BY id")]


def test_a_batch_is_committed_when_it_is_answered_and_wakes_no_thread(tmp_path: Path) -> None:
    path = tmp_path / "s.db"

    async def scenario(database: LoopDatabase, threaded: CountingDatabase) -> tuple[Any, ...]:
        (outcome,) = await database.execute_batch([lease("a")])
        return outcome.rows, read_names(path), threaded.batches

    assert play(path, scenario) == ((("a",),), ["a"], 0)


def test_rows_are_read_without_a_thread_and_after_every_commit(tmp_path: Path) -> None:
    async def scenario(database: LoopDatabase, _threaded: CountingDatabase) -> Any:
        await database.execute_batch([lease("a")])
        return await database.select_rows("SELECT id FROM lease WHERE id = :id", {"id": "a"})

    assert play(tmp_path / "s.db", scenario) == [("a",)]


def test_a_batch_that_is_rolled_back_takes_no_companion_along(tmp_path: Path) -> None:
    path = tmp_path / "s.db"

    async def scenario(database: LoopDatabase, threaded: CountingDatabase) -> tuple[Any, ...]:
        answers = await asyncio.gather(
            database.execute_batch([lease("a")]),
            database.execute_batch([lease("x"), MISSING]),
            database.execute_batch([lease("b")]),
            return_exceptions=True,
        )
        return [type(answer) for answer in answers], threaded.batches

    assert play(path, scenario) == ([tuple, BatchRolledBack, tuple], 0)
    assert read_names(path) == ["a", "b"]


def test_a_batch_alone_is_undone_as_a_whole_and_the_next_one_is_written(tmp_path: Path) -> None:
    path = tmp_path / "s.db"

    async def scenario(database: LoopDatabase, threaded: CountingDatabase) -> tuple[int, bool]:
        with pytest.raises(BatchRolledBack):
            await database.execute_batch([lease("x"), MISSING])
        await database.execute_batch([lease("a")])
        return threaded.batches, database.is_open

    assert play(path, scenario) == (0, True)
    assert read_names(path) == ["a"]


@pytest.mark.parametrize("bad", ["\ud800", 2**70])
def test_a_value_that_cannot_be_stored_fails_only_its_own_batch(
    tmp_path: Path, bad: str | int
) -> None:
    path = tmp_path / "s.db"

    async def scenario(database: LoopDatabase, _threaded: CountingDatabase) -> list[bool]:
        answers = await asyncio.gather(
            database.execute_batch([lease("a")]),
            database.execute_batch([lease("x", bad)]),
            return_exceptions=True,
        )
        await open_loop(database)
        return [isinstance(answer, Exception) for answer in answers]

    assert play(path, scenario) == [False, True]
    assert read_names(path) == ["a"]


def test_a_file_that_another_process_locks_is_left_to_the_writer_thread(tmp_path: Path) -> None:
    path = tmp_path / "s.db"

    async def scenario(database: LoopDatabase, threaded: CountingDatabase) -> tuple[int, bool]:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            write = asyncio.create_task(database.execute_batch([lease("a")]))
            await threaded.asked.wait()  # the event loop goes on while the file is locked
            other.execute("ROLLBACK")
            await write
        return threaded.batches, database.is_open

    assert play(path, scenario) == (1, True)
    assert read_names(path) == ["a"]


def test_a_file_that_was_replaced_gets_the_row(tmp_path: Path) -> None:
    path, other = tmp_path / "s.db", tmp_path / "other.db"

    async def scenario(database: LoopDatabase, threaded: CountingDatabase) -> None:
        successor = SqliteDatabase(other, schema="cache")
        await successor.execute_batch([lease("kept")])
        await successor.aclose()
        await asyncio.to_thread(threaded.file.install_successor, other)
        await database.execute_batch([lease("a")])

    play(path, scenario)

    assert read_names(path) == ["a", "kept"]


def test_the_log_of_many_commits_is_moved_into_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    log_bytes = 8 * 2**20  # 2,000 pages

    async def scenario(database: LoopDatabase, _threaded: CountingDatabase) -> int:
        for number in range(3000):
            await database.execute_batch([lease(str(number))])
        return Path(f"{path}-wal").stat().st_size

    assert play(path, scenario) < log_bytes


def test_a_second_event_loop_is_served_by_the_threads(tmp_path: Path) -> None:
    path = tmp_path / "s.db"

    async def scenario(database: LoopDatabase, threaded: CountingDatabase) -> int:
        await asyncio.to_thread(lambda: asyncio.run(database.execute_batch([lease("a")])))
        return threaded.batches

    assert play(path, scenario) == 1
    assert read_names(path) == ["a"]
