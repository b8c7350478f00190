"""The SQL engine on SQLite: atomic batches, shared commits, and honest errors."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from citewell.store.failures import BatchRolledBack, DatabaseDamaged, StoreError, StoreFull
from citewell.store.sql.database import SqlStatement
from citewell.store.sql.sqlite_database import SqliteDatabase
from citewell.store.sql.sqlite_file import SqliteFile

LEASE = "INSERT INTO lease (id, holder, expires) VALUES (:id, :holder, 1.0)"


def lease(name: str, holder: str | int = "h", expect: int | None = None) -> SqlStatement:
    return SqlStatement(sql=LEASE, params={"id": name, "holder": holder}, expected_rows=expect)


def play(path: Path, scenario: Callable[[SqliteDatabase], Awaitable[Any]], **options: Any) -> Any:
    async def run() -> Any:
        database = SqliteDatabase(path, schema="cache", **options)
        try:
            return await scenario(database)
        finally:
            await database.aclose()

    return asyncio.run(run())


async def names(database: SqliteDatabase) -> list[Any]:
    return [row[0] for row in await database.select_rows("SELECT id FROM lease ORDER BY id")]


def test_a_batch_commits_as_a_whole(tmp_path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> list[Any]:
        await database.execute_batch([lease("a"), lease("b")])
        return await names(database)

    assert play(tmp_path / "s.db", scenario) == ["a", "b"]


def test_a_failed_guard_undoes_the_whole_batch(tmp_path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> list[Any]:
        unmet = SqlStatement(sql="DELETE FROM lease WHERE id = 'absent'", expected_rows=1)
        with pytest.raises(BatchRolledBack):
            await database.execute_batch([lease("a"), unmet])
        return await names(database)

    assert play(tmp_path / "s.db", scenario) == []


def test_a_refused_constraint_is_a_failed_guard(tmp_path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> list[Any]:
        await database.execute_batch([lease("a")])
        with pytest.raises(BatchRolledBack):
            await database.execute_batch([lease("b"), lease("a")])
        return await names(database)

    assert play(tmp_path / "s.db", scenario) == ["a"]


@pytest.mark.parametrize("bad", ["\ud800", 2**70])
def test_one_bad_batch_does_not_take_its_companions(tmp_path: Path, bad: str | int) -> None:
    async def scenario(database: SqliteDatabase) -> tuple[Any, ...]:
        batches = [[lease("a")], [lease("x"), lease("y", bad)], [lease("b")]]
        answers = await asyncio.gather(
            *(database.execute_batch(batch) for batch in batches), return_exceptions=True
        )
        return [type(answer).__name__ for answer in answers], await names(database)

    kinds, kept = play(tmp_path / "s.db", scenario)

    assert kinds[0] == kinds[2] == "tuple"
    assert kinds[1] in {"UnicodeEncodeError", "OverflowError"}
    assert kept == ["a", "b"]


def test_returned_rows_and_changes_come_back(tmp_path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> tuple[Any, ...]:
        await database.execute_batch([lease("a"), lease("b")])
        gone = SqlStatement(
            sql="DELETE FROM lease WHERE id = :id RETURNING holder", params={"id": "a"}
        )
        count = SqlStatement(sql="UPDATE lease SET holder = 'z'")
        return await database.execute_batch([gone, count])

    gone, count = play(tmp_path / "s.db", scenario)

    assert (gone.rows, gone.changed_rows) == ((("h",),), 1)
    assert (count.rows, count.changed_rows) == ((), 1)


def test_callers_who_wait_together_share_a_commit(tmp_path: Path) -> None:
    path = tmp_path / "s.db"

    async def scenario(database: SqliteDatabase) -> int:
        await database.execute_batch([])
        watcher = sqlite3.connect(path)
        before = wal_commits(path)
        await asyncio.gather(*(database.execute_batch([lease(str(n))]) for n in range(200)))
        watcher.close()
        return wal_commits(path) - before

    assert play(path, scenario) < 50


def wal_commits(path: Path) -> int:
    """Commit frames in the log: those whose header names the size of the database afterwards."""
    log = path.with_name(path.name + "-wal").read_bytes()
    frames = range(32, len(log), 24 + 4096)
    return sum(log[at + 4 : at + 8] != bytes(4) for at in frames)


def test_a_cancelled_caller_leaves_the_others_alone(tmp_path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> list[Any]:
        tasks = [asyncio.create_task(database.execute_batch([lease(str(n))])) for n in range(3)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        return [isinstance(answer, tuple) for answer in answers]

    assert play(tmp_path / "s.db", scenario) == [False, True, True]


def test_closing_finishes_what_was_asked(tmp_path: Path) -> None:
    path = tmp_path / "s.db"

    async def scenario(database: SqliteDatabase) -> None:
        task = asyncio.create_task(database.execute_batch([lease("a")]))
        await asyncio.sleep(0)
        await database.aclose()
        await task

    play(path, scenario)

    assert play(path, names) == ["a"]


def test_a_closed_database_says_so(tmp_path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> None:
        await database.aclose()
        with pytest.raises(StoreError, match="closed"):
            await database.select_rows("SELECT 1")

    play(tmp_path / "s.db", scenario)


def test_the_files_are_for_their_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "deep"
    path = folder / "s.db"

    async def scenario(database: SqliteDatabase) -> set[Any]:
        await database.execute_batch([lease("a")])
        return {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}

    modes = play(path, scenario)

    if sys.platform != "win32":
        assert modes == {0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_durability_is_as_asked(tmp_path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> tuple[Any, ...]:
        await database.execute_batch([])
        (answer,) = await database.execute_batch([SqlStatement(sql="PRAGMA synchronous")])
        return answer.rows

    assert play(tmp_path / "f.db", scenario, synchronous="FULL") == ((2,),)
    assert play(tmp_path / "n.db", scenario, synchronous="NORMAL") == ((1,),)


def test_a_full_file_is_named_and_smaller_batches_still_fit(tmp_path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> tuple[Any, ...]:
        large = database.execute_batch([lease("large", "x" * 500_000)])
        small = [database.execute_batch([lease(f"small {n}")]) for n in range(5)]
        answers = await asyncio.gather(large, *small, return_exceptions=True)
        return answers, await names(database)

    answers, kept = play(tmp_path / "s.db", scenario, max_bytes=120_000)

    assert isinstance(answers[0], StoreFull)
    assert kept == [f"small {n}" for n in range(5)]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")

    async def scenario(database: SqliteDatabase) -> None:
        with pytest.raises(StoreError, match="cannot be written"):
            await database.select_rows("SELECT 1")

    play(tmp_path / "file" / "s.db", scenario)


def test_another_process_that_holds_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    play(path, names)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def scenario(database: SqliteDatabase) -> list[Any]:
        with pytest.raises(StoreError, match="locked by another process"):
            await database.execute_batch([lease("a")])
        other.execute("ROLLBACK")
        await database.execute_batch([lease("b")])
        return await names(database)

    kept = play(path, scenario, busy_seconds=0.05)
    other.close()

    assert kept == ["b"]


def test_a_schema_to_which_a_newer_program_only_added_is_used(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    play(path, names)
    with sqlite3.connect(path) as link:
        link.execute("UPDATE schema_version SET version = 99")
    link.close()

    async def scenario(database: SqliteDatabase) -> Any:
        await names(database)
        return await database.select_rows("SELECT version FROM schema_version")

    assert play(path, scenario) == [(99,)]


def test_a_newer_schema_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    play(path, names)
    with sqlite3.connect(path) as link:
        link.execute("UPDATE schema_version SET version = 99")
        link.execute("UPDATE schema_contract SET number = 99")
    link.close()

    async def scenario(database: SqliteDatabase) -> None:
        with pytest.raises(StoreError, match="newer Citewell"):
            await database.select_rows("SELECT 1")

    play(path, scenario, disposable=True)

    assert not list(tmp_path.glob("*.damaged-*"))


def fill(path: Path) -> None:
    async def scenario(database: SqliteDatabase) -> None:
        await database.execute_batch([lease(f"{n:05}", "x" * 500) for n in range(500)])

    play(path, scenario)


def ruin(path: Path, how: str) -> None:
    body = path.read_bytes()
    damage = {
        "garbage": b"\x5a" * len(body),
        "truncated": body[: len(body) // 2],
        "headless": b"\x00" * 100 + body[100:],
        "bitten": body[:4096] + b"\xff" * 60_000 + body[64_096:],
    }
    path.write_bytes(damage[how])


DAMAGE = ["garbage", "truncated", "headless", "bitten"]


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_disposable_file_is_set_aside_and_begun_afresh(tmp_path: Path, how: Any) -> None:
    path = tmp_path / "s.db"
    fill(path)
    ruin(path, how)
    ruined = path.read_bytes()

    async def scenario(database: SqliteDatabase) -> list[Any]:
        await names(database)
        await database.execute_batch([lease("new")])
        return await names(database)

    kept = play(path, scenario, disposable=True)

    assert kept == ["new"]
    assert (tmp_path / "s.db.damaged-1").stat().st_size >= len(ruined) - 4096


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_file_that_matters_is_reported_and_kept(tmp_path: Path, how: Any) -> None:
    path = tmp_path / "s.db"
    fill(path)
    ruin(path, how)

    async def scenario(database: SqliteDatabase) -> None:
        with pytest.raises(DatabaseDamaged, match="backup"):
            await names(database)

    play(path, scenario)

    assert path.exists()
    assert not list(tmp_path.glob("*.damaged-*"))


def test_damage_by_another_hand_while_open_is_survived(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    fill(path)

    async def scenario(database: SqliteDatabase) -> list[Any]:
        await database.execute_batch([lease("before")])
        for file in (path, path.with_name("s.db-wal")):
            with file.open("r+b") as handle:
                handle.write(b"\x5a" * file.stat().st_size)
        await names(database)
        await database.execute_batch([lease("after")])
        return await names(database)

    assert play(path, scenario, disposable=True)[-1] == "after"


def bite(path: Path) -> None:
    """Ruin everything but the first pages, which opening the file reads."""
    size = path.stat().st_size
    with path.open("r+b") as handle:
        handle.seek(16 * 4096)
        handle.write(b"\xff" * (size - 16 * 4096))


def test_damage_found_by_a_read_is_survived(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    fill(path)
    bite(path)

    async def scenario(database: SqliteDatabase) -> tuple[Any, ...]:
        found = await names(database)
        await database.execute_batch([lease("after")])
        return found, await names(database)

    assert play(path, scenario, disposable=True) == ([], ["after"])
    assert (tmp_path / "s.db.damaged-1").exists()


def test_damage_found_by_a_write_is_survived(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    fill(path)
    bite(path)

    async def scenario(database: SqliteDatabase) -> list[Any]:
        await asyncio.gather(
            *(database.execute_batch([lease(f"x{n}", "y" * 900)]) for n in range(9))
        )
        return await names(database)

    assert play(path, scenario, disposable=True) == [f"x{n}" for n in range(9)]


@pytest.mark.parametrize("write", [False, True])
def test_damage_found_late_in_a_file_that_matters_is_reported(tmp_path: Path, write: bool) -> None:
    path = tmp_path / "s.db"
    fill(path)
    bite(path)

    async def scenario(database: SqliteDatabase) -> None:
        with pytest.raises(DatabaseDamaged):
            await (database.execute_batch([lease("x")]) if write else names(database))

    play(path, scenario)

    assert not list(tmp_path.glob("*.damaged-*"))


def test_a_file_that_another_process_has_replaced_is_not_set_aside_again(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    fill(path)
    play(path, names)
    file = SqliteFile(
        path=path,
        schema="cache",
        synchronous="NORMAL",
        disposable=True,
        busy_seconds=1.0,
        max_bytes=None,
    )

    file.recover_damaged()

    assert file.epoch == 1
    assert not list(tmp_path.glob("*.damaged-*"))
    assert len(play(path, names)) == 500


class Tight:
    """A connection on which the commit of more than one batch finds the disk full."""

    def __init__(self, path: Path) -> None:
        self.real = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.batches = 0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return getattr(self.real, name)

    def execute(self, sql: Any, params: Any = ()) -> Any:
        if sql.startswith("BEGIN"):
            self.batches = 0
        self.batches += sql.startswith("SAVEPOINT")
        if sql == "COMMIT" and self.batches > 1:
            self.real.execute("ROLLBACK")
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error
        return self.real.execute(sql, params)


def test_a_group_that_does_not_fit_is_tried_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    play(path, names)

    async def scenario(database: SqliteDatabase) -> list[Any]:
        link: Any = database._writer.link
        link._open, link._epoch = Tight(path), link.file.epoch
        await asyncio.gather(*(database.execute_batch([lease(str(n))]) for n in range(5)))
        return await names(database)

    assert play(path, scenario) == ["0", "1", "2", "3", "4"]
