"""The SQL engine for one machine: SQLite with one writer os_thread and group commit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from citewell.core.errors import CitewellError
from citewell.store.failures import BatchRolledBack, DatabaseDamaged, StoreFull
from citewell.store.sql import database
from citewell.store.sql.batching import ThreadBatcher
from citewell.store.sql.sqlite_file import (
    BatchOutcomes,
    FileConnection,
    SqliteFile,
    StatementBatch,
    run_sqlite_statement,
)

if TYPE_CHECKING:
    import sqlite3

_SelectQuery = tuple[str, Mapping[str, database.SqlScalar]]

# Pages that a table no longer needs are overwritten too, not only deleted rows.
_OVERWRITE_ALL, _OVERWRITE_FAST = "PRAGMA secure_delete = ON", "PRAGMA secure_delete = FAST"
# Rows that were moved within their table can have left copies, which only a new table has not.
_REWRITE_TABLE = (
    "CREATE TABLE {table}_rewritten AS SELECT * FROM {table}",
    "DELETE FROM {table}",
    "INSERT INTO {table} SELECT * FROM {table}_rewritten",
    "DROP TABLE {table}_rewritten",
)
_UNSTORABLE_VALUE_ERRORS = (
    OverflowError,
    UnicodeError,
)  # a number beyond 64 bits, half a surrogate pair


class SqliteDatabase:
    """A SqlDatabase in one file, which other processes can use at the same time.

    Nothing is opened, created or imported before the first statement. With `synchronous` FULL,
    commits survive a power cut; NORMAL survives kill -9 only, enough for what can be fetched again.
    """

    def __init__(
        self,
        path: Path,
        *,
        schema: str,
        synchronous: Literal["FULL", "NORMAL"] = "FULL",
        disposable: bool = False,
        busy_seconds: float = 15.0,
        max_bytes: int | None = None,
        vital_table: str | None = None,
        witnesses: tuple[Path, ...] = (),
    ) -> None:
        file = SqliteFile(
            path=path,
            schema=schema,
            synchronous=synchronous,
            disposable=disposable,
            busy_seconds=busy_seconds,
            max_bytes=max_bytes,
            vital_table=vital_table,
            witnesses=witnesses,
        )
        self.watching = database.BatchWatch()
        self._small_rows: database.SqlDatabase | None = None
        self._writer = _BatchWriter(FileConnection(file))
        self._reader = _QueryRunner(FileConnection(file))
        self._writes: ThreadBatcher[StatementBatch, BatchOutcomes] = ThreadBatcher(
            "citewell-write", self._writer.write_batches
        )
        self._reads: ThreadBatcher[_SelectQuery, list[database.SqlRow]] = ThreadBatcher(
            "citewell-read",
            lambda queries: [self._reader.answer_query(query) for query in queries],
        )

    @property
    def dialect(self) -> database.SqlDialect:
        return database.SQLITE_DIALECT

    @property
    def small_rows(self) -> database.SqlDatabase:
        if self._small_rows is None:
            from citewell.store.sql.loop_database import LoopDatabase

            self._small_rows = LoopDatabase(self, self.file, watching=self.watching)
        return self._small_rows

    @property
    def file(self) -> SqliteFile:
        return self._writer.link.file

    async def select_rows(
        self, sql: str, params: Mapping[str, database.SqlScalar] | None = None
    ) -> list[database.SqlRow]:
        return await self._reads.request_answer((sql, params or {}))

    async def execute_batch(self, batch: StatementBatch) -> BatchOutcomes:
        with self.watching.watch(len(batch)):
            return await self._writes.request_answer(tuple(batch))

    async def erase_rows(self, batch: StatementBatch, *, scrubbed: Sequence[str]) -> BatchOutcomes:
        if self.file.disposable:
            outcomes = await self.execute_batch(batch)
            await asyncio.to_thread(self.file.rewrite_file)
            return outcomes
        rewriting = [
            database.SqlStatement(sql=sql.format(table=table))
            for table in scrubbed
            for sql in _REWRITE_TABLE
        ]
        outcomes = await self.execute_batch(
            [
                database.SqlStatement(sql=_OVERWRITE_ALL),
                *batch,
                *rewriting,
                database.SqlStatement(sql=_OVERWRITE_FAST),
            ]
        )
        await asyncio.to_thread(self.file.truncate_log)
        return outcomes[1 : 1 + len(batch)]

    async def aclose(self) -> None:
        if self._small_rows is not None:
            await self._small_rows.aclose()
        await self._reads.aclose(self._reader.link.close_connection)
        await self._writes.aclose(self._writer.link.close_connection)


class _QueryRunner:
    def __init__(self, link: FileConnection) -> None:
        self.link = link

    def answer_query(self, query: _SelectQuery) -> list[database.SqlRow] | Exception:
        try:
            return self._select_or_recover(query)
        except (CitewellError, *_UNSTORABLE_VALUE_ERRORS) as error:
            return error

    def _select_or_recover(self, query: _SelectQuery) -> list[database.SqlRow]:
        try:
            return self._select_query_rows(query)
        except DatabaseDamaged:
            if not self.link.file.is_recoverable:
                raise
        self.link.recover_file()
        return self._select_query_rows(query)

    def _select_query_rows(self, query: _SelectQuery) -> list[database.SqlRow]:
        import sqlite3

        try:
            return self.link.ensure_connection().execute(*query).fetchall()
        except sqlite3.Error as error:
            raise self.link.file.explain_sqlite_error(error) from error


class _BatchWriter:
    def __init__(self, link: FileConnection) -> None:
        self.link = link

    def write_batches(
        self, batches: Sequence[StatementBatch]
    ) -> Sequence[BatchOutcomes | Exception]:
        try:
            return self._commit_group(batches)
        except StoreFull:
            if len(batches) == 1:
                raise
            # One batch that is too large must not fail the others.
            return [self._commit_alone(batch) for batch in batches]
        except DatabaseDamaged:
            if not self.link.file.is_recoverable:
                raise
        self.link.recover_file()
        return self._commit_group(batches)

    def _commit_alone(self, batch: StatementBatch) -> BatchOutcomes | Exception:
        try:
            return self._commit_group([batch])[0]
        except CitewellError as error:
            return error

    def _commit_group(self, batches: Sequence[StatementBatch]) -> list[BatchOutcomes | Exception]:
        import sqlite3

        link = self.link.ensure_connection()
        try:
            link = self._begin_transaction(link)
            answers = [self._run_in_savepoint(link, batch) for batch in batches]
            link.execute("COMMIT")
        except sqlite3.Error as error:
            raise self.link.file.explain_sqlite_error(error) from error
        finally:
            if link.in_transaction:
                self.link.close_connection()  # closing rolls back in any state of the engine
        return answers

    def _begin_transaction(self, link: sqlite3.Connection) -> sqlite3.Connection:
        """A connection that holds the write lock of the file now at the path."""
        link.execute("BEGIN IMMEDIATE")
        while self.link.is_file_replaced():
            link = self.link.ensure_connection()
            link.execute("BEGIN IMMEDIATE")
        return link

    def _run_in_savepoint(
        self, link: sqlite3.Connection, batch: StatementBatch
    ) -> BatchOutcomes | Exception:
        """Run one batch of the group; an error of the batch itself is returned and undoes only this batch."""
        import sqlite3

        link.execute("SAVEPOINT batch")
        try:
            outcomes = tuple(run_sqlite_statement(link, statement) for statement in batch)
        except (BatchRolledBack, sqlite3.Error, *_UNSTORABLE_VALUE_ERRORS) as error:
            # Some errors, such as a full disk, end the transaction of the whole group.
            if not link.in_transaction:
                raise
            link.execute("ROLLBACK TO batch")
            link.execute("RELEASE batch")
            return self._explain_batch_error(error) if isinstance(error, sqlite3.Error) else error
        link.execute("RELEASE batch")
        return outcomes

    def _explain_batch_error(self, error: sqlite3.Error) -> CitewellError:
        """Our error for this batch; a damaged file is raised instead, because it fails the whole group."""
        explained = self.link.file.explain_sqlite_error(error)
        if isinstance(explained, DatabaseDamaged):
            raise explained from error
        return explained
