"""A copy of the state in one file, taken while others write, and the way back from it.

The copy is a SQLite file whichever engine it came from, so it also moves a state from one engine
to the other. What is sealed stays sealed: the master key is not in it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewell.errors import InvalidInput
from citewell.store.crypto import Keys
from citewell.store.failures import Damaged, StoreError
from citewell.store.masters import master_keys
from citewell.store.postgres import PostgresDatabase
from citewell.store.sql import Row
from citewell.store.sqlite import SqliteDatabase
from citewell.store.sqlite_file import SqliteFile
from citewell.store.state import State
from citewell.store.tables import carried, columns, order_reindexing
from citewell.store.vault import Vault

_ROWS = 200  # carried at once
_COUNTED = {
    "session": "sessions",
    "session_step": "steps",
    "document": "documents",
    "job": "jobs",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    path: Path
    counts: dict[str, int]


async def back_up(state: State, target: Path, *, force: bool = False) -> Copied:
    """Write the whole state to `target`, as it stood at one moment; all of it or no file at all."""
    if not force and await asyncio.to_thread(target.exists):
        raise InvalidInput(f"{target} exists. Name another file, or pass --force.")
    await state.vault.check()
    with _scratch(target.parent) as draft:
        if isinstance(state.database, PostgresDatabase):
            await _exported(state.database, draft)
        else:
            await asyncio.to_thread(_copied, _file(state), draft)
        counts = await asyncio.to_thread(_finished, draft, target)
    return Copied(path=target, counts=counts)


async def restore(state: State, source: Path, *, force: bool = False) -> Copied:
    """Put a backup in the place of the state; raises, and changes nothing, where it does not fit.

    A state that is not empty is replaced with `force` only; a file is then kept beside.
    """
    if not await asyncio.to_thread(source.is_file):
        raise InvalidInput(f"There is no file {source}.")
    if not force and await _occupied(state):
        raise InvalidInput("There is a state already. Pass --force to put the backup in its place.")
    postgres = state.database if isinstance(state.database, PostgresDatabase) else None
    with _scratch(None if postgres else _file(state).path.parent) as draft:
        counts = await asyncio.to_thread(_examined, source, draft)
        await _check_key(draft, master_keys(state.masters))
        if postgres:
            await _imported(postgres, draft)
        else:
            await asyncio.to_thread(_file(state).install, draft)
    if await state.database.fetch("SELECT 1 FROM chore WHERE name = 'reindex'"):
        await state.library.reindex()
    return Copied(path=source, counts=counts)


@contextlib.contextmanager
def _scratch(folder: Path | None) -> Iterator[Path]:
    """Room for a draft, on the same disk as the place it goes to."""
    try:
        if folder is not None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".citewell-", dir=folder) as room:
            yield Path(room) / "draft.db"
    except sqlite3.Error as error:
        raise StoreError(f"The copy failed, and nothing was changed: {error}.") from error
    except OSError as error:
        where = error.filename or folder
        raise StoreError(f"{where} cannot be used: {error.strerror}.") from error


async def _occupied(state: State) -> bool:
    return bool(await state.database.fetch("SELECT 1 FROM dek WHERE owner <> '' LIMIT 1"))


async def _check_key(draft: Path, keys: Keys) -> None:
    database = SqliteDatabase(draft, schema="state")
    try:
        await Vault(database, keys, clock=lambda: 0.0).check()
    finally:
        await database.aclose()


def _file(state: State) -> SqliteFile:
    assert isinstance(state.database, SqliteDatabase)  # noqa: S101 - there are two engines
    return state.database.file


def _copied(file: SqliteFile, draft: Path) -> None:
    """The engine's own online copy: writers go on meanwhile."""
    with contextlib.closing(file.open()) as source, _plain(draft) as target:
        source.backup(target)


async def _exported(database: PostgresDatabase, draft: Path) -> None:
    with contextlib.closing(_fresh(draft).open()) as target:
        target.execute("BEGIN")

        async def copy(link: Any) -> None:
            for table in carried(target):
                names = columns(target, table)
                insert = _insertion(table, names)
                query = f"SELECT {', '.join(names)} FROM {table}"  # noqa: S608 - our own names
                async for rows in _groups(link, query):
                    target.executemany(insert, rows)

        await database.snapshot(copy)
        order_reindexing(target)
        target.execute("COMMIT")
        target.execute("PRAGMA journal_mode = DELETE")


async def _groups(link: Any, query: str) -> AsyncIterator[list[Row]]:
    cursor = await link.cursor(query)
    while rows := await cursor.fetch(_ROWS):
        yield [tuple(row) for row in rows]


async def _imported(database: PostgresDatabase, draft: Path) -> None:
    with contextlib.closing(_fresh(draft).open()) as source:
        tables = carried(source)

        async def copy(link: Any) -> None:
            for table in reversed(tables):
                await link.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
            for table in tables:
                names = columns(source, table)
                for rows in _read(source, table, names):
                    await link.copy_records_to_table(table, records=rows, columns=names)
            await link.execute(
                "SELECT setval(pg_get_serial_sequence('document', 'id'), "
                "COALESCE((SELECT MAX(id) FROM document), 0) + 1, false)"
            )
            await link.execute(
                "INSERT INTO chore (name, since) VALUES ('reindex', 0.0) "
                "ON CONFLICT (name) DO NOTHING"
            )

        await database.changed(copy)


def _read(source: sqlite3.Connection, table: str, names: list[str]) -> Iterator[list[Row]]:
    cursor = source.execute(f"SELECT {', '.join(names)} FROM {table}")  # noqa: S608 - our own names
    while rows := cursor.fetchmany(_ROWS):
        yield rows


def _examined(source: Path, draft: Path) -> dict[str, int]:
    """A working copy of the backup, sound and brought up to date."""
    with contextlib.closing(
        sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)
    ) as given:
        given.execute("SELECT COUNT(*) FROM dek").fetchone()
        with _plain(draft) as copy:
            given.backup(copy)
    with contextlib.closing(_fresh(draft).open()) as copy:
        if copy.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
            raise Damaged(f"{source} is damaged; nothing was changed.")
        counts = _counts(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    return counts


def _finished(draft: Path, target: Path) -> dict[str, int]:
    with contextlib.closing(sqlite3.connect(draft)) as link:
        link.execute("PRAGMA journal_mode = DELETE")
        link.execute("DELETE FROM lease")
        link.commit()
        counts = _counts(link)
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(target)
    return counts


def _counts(link: sqlite3.Connection) -> dict[str, int]:
    return {
        word: link.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]  # noqa: S608 - our own names
        for table, word in _COUNTED.items()
    }


def _insertion(table: str, names: list[str]) -> str:
    marks = ", ".join("?" * len(names))
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608 - our own names


def _fresh(path: Path) -> SqliteFile:
    return SqliteFile(
        path=path,
        schema="state",
        synchronous="NORMAL",
        disposable=False,
        busy_seconds=15.0,
        max_bytes=None,
    )


@contextlib.contextmanager
def _plain(path: Path) -> Iterator[sqlite3.Connection]:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    with contextlib.closing(sqlite3.connect(path)) as link:
        yield link
