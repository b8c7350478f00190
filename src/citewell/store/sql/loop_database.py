"""Tiny rows of a SQLite file, written by the event loop itself, without a change of threads.

A commit takes less time than waking a thread and being woken by it, if it never waits: not for a
lock, and not for the disk. Whatever cannot be done at once is left to the threads of the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from citewell.core.errors import CitewellError
from citewell.store.failures import BatchRolledBack
from citewell.store.sql.batching import settle_waiter
from citewell.store.sql.database import BatchWatch, SqlDatabase, SqlDialect, SqlRow, SqlScalar
from citewell.store.sql.sqlite_file import (
    BatchOutcomes,
    FileConnection,
    SqliteFile,
    StatementBatch,
    run_sqlite_statement,
)

if TYPE_CHECKING:
    import sqlite3

_MAX_GROUP_BATCHES = 64  # limits how long the event loop is held up by one transaction
# The first batches create the file, and a process that writes few needs no further connection.
_BATCHES_BEFORE_OPENING = 3
# Of so many groups two are left to the writer thread: its commit moves the log into the file if
# that is due, and the next one begins the log anew. Both wait for the disk.
_GROUPS_PER_CHECKPOINT, _GROUPS_LEFT_TO_THREAD = 256, 2


@dataclass(frozen=True, slots=True)
class _PendingBatch:
    batch: StatementBatch
    waiter: asyncio.Future[BatchOutcomes | None]


class LoopDatabase:
    """A SqlDatabase on the file of another, for batches and queries of a few small rows.

    All batches of one turn of the event loop are committed together, with `synchronous` NORMAL:
    they survive kill -9, but not a power cut before the log is next written to the disk. It is used
    by the event loop that first wrote; any other one gets the threads.
    """

    def __init__(
        self, database: SqlDatabase, file: SqliteFile, *, watching: BatchWatch | None = None
    ) -> None:
        """`database` has the threads, and is closed by whoever opened it."""
        self._database = database
        self._watching = watching or BatchWatch()
        file = replace(file, synchronous="NORMAL", is_handed_over=True)
        self._link = FileConnection(file)
        self._opened: sqlite3.Connection | None = None
        self._opening: asyncio.Future[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: list[_PendingBatch] = []
        self._groups = 0
        self._batches_of_thread = 0
        self._is_closed = False

    @property
    def dialect(self) -> SqlDialect:
        return self._database.dialect

    @property
    def small_rows(self) -> SqlDatabase:
        return self

    @property
    def is_open(self) -> bool:
        """Whether the event loop writes by itself now."""
        return self._opened is not None

    async def select_rows(
        self, sql: str, params: Mapping[str, SqlScalar] | None = None
    ) -> list[SqlRow]:
        import sqlite3

        link = self._find_connection(asyncio.get_running_loop())
        if link is not None and not self._link.is_file_replaced():
            try:
                return link.execute(sql, params or {}).fetchall()
            except (sqlite3.Error, ValueError, OverflowError):
                self._drop_connection()  # the reader thread says what is wrong, or mends it
        return await self._database.select_rows(sql, params)

    async def execute_batch(self, batch: StatementBatch) -> BatchOutcomes:
        loop = asyncio.get_running_loop()
        if self._find_connection(loop) is not None:
            with self._watching.watch(len(batch)):
                outcomes = await self._request_commit(loop, batch)
            if outcomes is not None:
                return outcomes
        outcomes = await self._database.execute_batch(batch)
        self._batches_of_thread += 1
        self._start_opening(loop)
        return outcomes

    async def erase_rows(self, batch: StatementBatch, *, scrubbed: Sequence[str]) -> BatchOutcomes:
        return await self._database.erase_rows(batch, scrubbed=scrubbed)

    async def aclose(self) -> None:
        self._is_closed = True
        if self._waiting:
            self._commit_waiting()
        if self._opening is not None and self._loop is asyncio.get_running_loop():
            await self._opening
        self._drop_connection()

    def _find_connection(self, loop: asyncio.AbstractEventLoop) -> sqlite3.Connection | None:
        return self._opened if loop is self._loop and not self._is_closed else None

    def _request_commit(
        self, loop: asyncio.AbstractEventLoop, batch: StatementBatch
    ) -> asyncio.Future[BatchOutcomes | None]:
        """The outcomes once they are committed; None if the writer thread has to do it."""
        waiter: asyncio.Future[BatchOutcomes | None] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._commit_waiting)
        self._waiting.append(_PendingBatch(batch, waiter))
        return waiter

    def _commit_waiting(self) -> None:
        jobs, self._waiting = (
            self._waiting[:_MAX_GROUP_BATCHES],
            self._waiting[_MAX_GROUP_BATCHES:],
        )
        if self._waiting and self._loop is not None:
            self._loop.call_soon(self._commit_waiting)
        answers = self._commit_or_decline([job.batch for job in jobs])
        for job, answer in zip(jobs, answers, strict=True):
            settle_waiter(job.waiter, answer)

    def _commit_or_decline(
        self, batches: Sequence[StatementBatch]
    ) -> Sequence[BatchOutcomes | BatchRolledBack | None]:
        """An answer for each batch; None for each if nothing could be committed."""
        import sqlite3

        self._groups += 1
        is_checkpoint_due = self._groups % _GROUPS_PER_CHECKPOINT < _GROUPS_LEFT_TO_THREAD
        if self._opened is None or (is_checkpoint_due and self._groups > _GROUPS_LEFT_TO_THREAD):
            return [None] * len(batches)
        try:
            return self._commit_group(self._opened, batches)
        except (sqlite3.Error, ValueError, OverflowError) as error:
            code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
            if code & 0xFF != sqlite3.SQLITE_BUSY or self._opened.in_transaction:
                self._drop_connection()
            return [None] * len(batches)

    def _commit_group(
        self, link: sqlite3.Connection, batches: Sequence[StatementBatch]
    ) -> Sequence[BatchOutcomes | BatchRolledBack | None]:
        link.execute("BEGIN IMMEDIATE")
        if self._link.is_file_replaced():
            self._drop_connection()
            return [None] * len(batches)
        if len(batches) == 1:
            return [_commit_alone(link, batches[0])]
        answers = [_run_in_savepoint(link, batch) for batch in batches]
        link.execute("COMMIT")
        return answers

    def _start_opening(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._opened is not None or self._is_closed:
            return
        if self._loop is not loop:
            if self._loop is not None and not self._loop.is_closed():
                return
            self._loop, self._opening = loop, None
        is_opening = self._opening is not None and not self._opening.done()
        if not is_opening and self._batches_of_thread >= _BATCHES_BEFORE_OPENING:
            self._batches_of_thread = 0
            self._opening = loop.run_in_executor(None, self._open_connection)

    def _open_connection(self) -> None:
        """Runs on another thread, because opening can wait for other processes."""
        import sqlite3

        try:
            link = self._link.ensure_connection()
            link.execute("PRAGMA busy_timeout = 0")
            link.execute("PRAGMA wal_autocheckpoint = 0")
        except (CitewellError, sqlite3.Error):
            self._link.close_connection()  # the threads of the database report what is wrong
        else:
            self._opened = link

    def _drop_connection(self) -> None:
        """Close the connection, which rolls back; another one is opened when it is needed."""
        self._opened = None
        self._link.close_connection()


def _commit_alone(
    link: sqlite3.Connection, batch: StatementBatch
) -> BatchOutcomes | BatchRolledBack:
    """Run the only batch of a transaction, and end the transaction."""
    try:
        outcomes = tuple(run_sqlite_statement(link, statement) for statement in batch)
    except BatchRolledBack as error:
        link.execute("ROLLBACK")
        return error
    link.execute("COMMIT")
    return outcomes


def _run_in_savepoint(
    link: sqlite3.Connection, batch: StatementBatch
) -> BatchOutcomes | BatchRolledBack:
    """Run one batch; one that finds other rows than it expects is undone alone."""
    link.execute("SAVEPOINT batch")
    try:
        outcomes = tuple(run_sqlite_statement(link, statement) for statement in batch)
    except BatchRolledBack as error:
        link.execute("ROLLBACK TO batch")
        link.execute("RELEASE batch")
        return error
    link.execute("RELEASE batch")
    return outcomes
