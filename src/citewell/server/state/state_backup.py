"""Backup of the state to one file, while other processes write, and restore from that file.

A backup is always a SQLite file, so it can also move the state from one SQL engine to the other.
Encrypted rows stay encrypted, and the master key is not in the backup.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewell.core.errors import InvalidInput
from citewell.people.erasure_store import ErasureRecord
from citewell.people.subject_erasure import erase_from_draft, list_known_erasures
from citewell.server.state.state_store import StateStore
from citewell.store.failures import DatabaseDamaged, DatabaseEmptied, StoreError
from citewell.store.key_vault import KeyVault
from citewell.store.master_keys import build_master_keyring
from citewell.store.sql.database import SqlRow
from citewell.store.sql.postgres_database import PostgresDatabase
from citewell.store.sql.salvage import list_durable_tables, list_table_columns, request_reindexing
from citewell.store.sql.sqlite_database import SqliteDatabase
from citewell.store.sql.sqlite_file import SqliteFile

_ROWS_PER_COPY = 200  # copied at a time
_COUNTED_TABLES = {
    "session": "sessions",
    "session_step": "steps",
    "document": "documents",
    "job": "jobs",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSummary:
    path: Path
    counts: dict[str, int]
    erased: int = 0  # users erased since the backup was made, and so again when it was restored


async def back_up_state(state: StateStore, target: Path, *, force: bool = False) -> BackupSummary:
    """Write a consistent snapshot of the whole state to `target`, which is left unchanged on failure."""
    if not force and await asyncio.to_thread(target.exists):
        raise InvalidInput(f"{target} already exists. Choose another file, or pass --force.")
    await state.vault.check_master_key()
    with _provide_draft_path(target.parent) as draft:
        if isinstance(state.database, PostgresDatabase):
            await _export_from_postgres(state.database, draft)
        else:
            await asyncio.to_thread(_copy_sqlite_file, _require_sqlite_file(state), draft)
        counts = await asyncio.to_thread(_publish_draft, draft, target)
    return BackupSummary(path=target, counts=counts)


async def restore_state(
    state: StateStore,
    source: Path,
    *,
    force: bool = False,
    erased: Sequence[ErasureRecord] = (),
) -> BackupSummary:
    """Replace the state with a backup; if the file is damaged or its key is wrong, nothing changes.

    Users who were erased after the backup was made, by the records of the state or by `erased`, are
    erased again.

    Raises InvalidInput if the state is not empty, unless `force` is set. The SQLite file that is
    replaced is kept beside the new one.
    """
    if not await asyncio.to_thread(source.is_file):
        raise InvalidInput(f"There is no file {source}.")
    if not force and await _has_owner_data(state):
        raise InvalidInput("There is data here already. Pass --force to replace it.")
    postgres = state.database if isinstance(state.database, PostgresDatabase) else None
    recorded = await list_known_erasures(state.erasures)
    known = {record.id: record for record in (*recorded, *erased)}
    with _provide_draft_path(
        None if postgres else _require_sqlite_file(state).path.parent
    ) as draft:
        counts = await asyncio.to_thread(_check_backup_file, source, draft)
        keys = build_master_keyring(state.master_key_source)
        async with contextlib.aclosing(SqliteDatabase(draft, schema="state")) as database:
            await KeyVault(database, keys, clock=lambda: 0.0).check_master_key()
        gone = await erase_from_draft(draft, keys, list(known.values()), state.list_owner_tables())
        if postgres:
            await _import_into_postgres(postgres, draft)
        else:
            await asyncio.to_thread(_require_sqlite_file(state).install_successor, draft)
    if await state.database.select_rows("SELECT 1 FROM chore WHERE name = 'reindex'"):
        await state.library.rebuild_index()
    return BackupSummary(path=source, counts=counts, erased=gone)


@contextlib.contextmanager
def _provide_draft_path(folder: Path | None) -> Iterator[Path]:
    """A path for a draft file in a temporary folder inside `folder`, so that moving it is a rename."""
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


async def _has_owner_data(state: StateStore) -> bool:
    try:
        found = await state.database.select_rows("SELECT 1 FROM dek WHERE owner <> '' LIMIT 1")
    except DatabaseEmptied:
        return False
    return bool(found)


def _require_sqlite_file(state: StateStore) -> SqliteFile:
    assert isinstance(state.database, SqliteDatabase)  # noqa: S101 - the only other engine
    return state.database.file


def _copy_sqlite_file(file: SqliteFile, draft: Path) -> None:
    """Uses SQLite's online backup, during which other processes can write."""
    with (
        contextlib.closing(file.open_connection()) as source,
        _open_plain_connection(draft) as target,
    ):
        source.backup(target)


async def _export_from_postgres(database: PostgresDatabase, draft: Path) -> None:
    with contextlib.closing(_build_draft_file(draft).open_connection()) as target:
        target.execute("BEGIN")

        async def copy(link: Any) -> None:
            for table in list_durable_tables(target):
                names = list_table_columns(target, table)
                marks = ", ".join("?" * len(names))
                insert = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608 - our own names
                query = f"SELECT {', '.join(names)} FROM {table}"  # noqa: S608 - our own names
                async for rows in _select_row_groups(link, f"copied_{table}", query):
                    target.executemany(insert, rows)

        await database.run_in_snapshot(copy)
        request_reindexing(target)
        target.execute("COMMIT")
        target.execute("PRAGMA journal_mode = DELETE")


async def _select_row_groups(link: Any, cursor: str, query: str) -> AsyncIterator[list[SqlRow]]:
    # Not a cursor of the driver, which prepares a statement by name: a pooler does not keep it.
    await link.execute(f"DECLARE {cursor} CURSOR FOR {query}")
    while rows := await link.fetch(f"FETCH {_ROWS_PER_COPY} FROM {cursor}"):
        yield [tuple(row) for row in rows]
    await link.execute(f"CLOSE {cursor}")


async def _import_into_postgres(database: PostgresDatabase, draft: Path) -> None:
    with contextlib.closing(_build_draft_file(draft).open_connection()) as source:
        tables = list_durable_tables(source)

        async def copy(link: Any) -> None:
            for table in reversed(tables):
                await link.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
            for table in tables:
                names = list_table_columns(source, table)
                cursor = source.execute(f"SELECT {', '.join(names)} FROM {table}")  # noqa: S608 - our own names
                while rows := cursor.fetchmany(_ROWS_PER_COPY):
                    await link.copy_records_to_table(table, records=rows, columns=names)
            await link.execute(
                "SELECT setval(pg_get_serial_sequence('document', 'id'), "
                "COALESCE((SELECT MAX(id) FROM document), 0) + 1, false)"
            )
            await link.execute(
                "INSERT INTO chore (name, since) VALUES ('reindex', 0.0) "
                "ON CONFLICT (name) DO UPDATE SET since = excluded.since"
            )

        await database.run_in_transaction(copy)


def _check_backup_file(source: Path, draft: Path) -> dict[str, int]:
    """Copy the backup to `draft`, check and migrate it, and count its rows; raises DatabaseDamaged."""
    with contextlib.closing(
        sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)
    ) as given:
        given.execute("SELECT COUNT(*) FROM dek").fetchone()
        with _open_plain_connection(draft) as copy:
            given.backup(copy)
    with contextlib.closing(_build_draft_file(draft).open_connection()) as copy:
        if copy.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
            raise DatabaseDamaged(f"{source} is damaged; nothing was changed.")
        counts = _count_table_rows(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    return counts


def _publish_draft(draft: Path, target: Path) -> dict[str, int]:
    with contextlib.closing(sqlite3.connect(draft)) as link:
        link.execute("PRAGMA journal_mode = DELETE")
        link.execute("DELETE FROM lease")
        link.commit()
        counts = _count_table_rows(link)
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(target)
    return counts


def _count_table_rows(link: sqlite3.Connection) -> dict[str, int]:
    return {
        word: link.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]  # noqa: S608 - our own names
        for table, word in _COUNTED_TABLES.items()
    }


def _build_draft_file(path: Path) -> SqliteFile:
    return SqliteFile(
        path=path,
        schema="state",
        synchronous="NORMAL",
        disposable=False,
        busy_seconds=15.0,
        max_bytes=None,
        accepts_newer=False,  # a restore could lose what this program does not know
    )


@contextlib.contextmanager
def _open_plain_connection(path: Path) -> Iterator[sqlite3.Connection]:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    with contextlib.closing(sqlite3.connect(path)) as link:
        yield link
