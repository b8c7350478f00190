"""The SQL engine of one machine: stdlib SQLite with one writer thread and group commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from citewell.errors import CitewellError
from citewell.store.failures import Damaged, Full, GuardFailed
from citewell.store.lane import Lane
from citewell.store.sql import SQLITE, Dialect, Outcome, Row, Scalar, Statement
from citewell.store.sqlite_file import SqliteFile

if TYPE_CHECKING:
    import sqlite3

_Batch = Sequence[Statement]
_Query = tuple[str, Mapping[str, Scalar]]
_Outcomes = tuple[Outcome, ...]

_UNSTORABLE = (OverflowError, UnicodeError)  # a number beyond 64 bits, half a surrogate pair


class SqliteDatabase:
    """A `Database` on one file, which other processes may use at the same time.

    Nothing is opened, created or imported before the first statement. FULL survives a power cut;
    NORMAL survives kill -9 and is for what can be fetched again.
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
        vital: str | None = None,
    ) -> None:
        file = SqliteFile(
            path=path,
            schema=schema,
            synchronous=synchronous,
            disposable=disposable,
            busy_seconds=busy_seconds,
            max_bytes=max_bytes,
            vital=vital,
        )
        self._writer = _Writer(_Link(file))
        self._reader = _Reader(_Link(file))
        self._writes: Lane[_Batch, _Outcomes] = Lane("citewell-write", self._writer.turn)
        self._reads: Lane[_Query, list[Row]] = Lane("citewell-read", self._reader.turn)

    @property
    def dialect(self) -> Dialect:
        return SQLITE

    @property
    def file(self) -> SqliteFile:
        return self._writer.link.file

    async def fetch(self, sql: str, params: Mapping[str, Scalar] | None = None) -> list[Row]:
        return await self._reads.ask((sql, params or {}))

    async def execute(self, batch: _Batch) -> _Outcomes:
        return await self._writes.ask(tuple(batch))

    async def aclose(self) -> None:
        await self._reads.aclose(self._reader.link.close)
        await self._writes.aclose(self._writer.link.close)


class _Link:
    """A thread's own connection, opened late and again after the file was set aside."""

    def __init__(self, file: SqliteFile) -> None:
        self.file = file
        self._open: sqlite3.Connection | None = None
        self._epoch = -1
        self._identity: tuple[int, int] | None = None

    def connection(self) -> sqlite3.Connection:
        if self._open is None or self._epoch != self.file.epoch or self.moved():
            self.close()
            epoch = self.file.epoch
            self._open = self.file.open()
            self._epoch, self._identity = epoch, self.file.identity()
        return self._open

    def moved(self) -> bool:
        """Whether another process has set our file aside: what is written to it would be lost."""
        return self.file.identity() != self._identity

    def recover(self) -> None:
        """After damage: a fresh file with whatever may be carried over."""
        self.close()
        self.file.recover()

    def close(self) -> None:
        link, self._open = self._open, None
        if link is not None:
            link.close()


class _Reader:
    def __init__(self, link: _Link) -> None:
        self.link = link

    def turn(self, queries: Sequence[_Query]) -> list[list[Row] | Exception]:
        return [self._answer(query) for query in queries]

    def _answer(self, query: _Query) -> list[Row] | Exception:
        try:
            return self._persist(query)
        except (CitewellError, *_UNSTORABLE) as error:
            return error

    def _persist(self, query: _Query) -> list[Row]:
        try:
            return self._fetch(query)
        except Damaged:
            if not self.link.file.mendable:
                raise
        self.link.recover()
        return self._fetch(query)

    def _fetch(self, query: _Query) -> list[Row]:
        import sqlite3

        try:
            return self.link.connection().execute(*query).fetchall()
        except sqlite3.Error as error:
            raise self.link.file.explain(error) from error


class _Writer:
    def __init__(self, link: _Link) -> None:
        self.link = link

    def turn(self, batches: Sequence[_Batch]) -> Sequence[_Outcomes | Exception]:
        try:
            return self._commit(batches)
        except Full:
            if len(batches) == 1:
                raise
            # One that is too large must not take its companions with it.
            return [self._alone(batch) for batch in batches]
        except Damaged:
            if not self.link.file.mendable:
                raise
        self.link.recover()
        return self._commit(batches)

    def _alone(self, batch: _Batch) -> _Outcomes | Exception:
        try:
            return self._commit([batch])[0]
        except CitewellError as error:
            return error

    def _commit(self, batches: Sequence[_Batch]) -> list[_Outcomes | Exception]:
        import sqlite3

        link = self.link.connection()
        try:
            link = self._begun(link)
            answers = [self._within(link, batch) for batch in batches]
            link.execute("COMMIT")
        except sqlite3.Error as error:
            raise self.link.file.explain(error) from error
        finally:
            if link.in_transaction:
                self.link.close()  # which rolls back, whatever state the engine is in
        return answers

    def _begun(self, link: sqlite3.Connection) -> sqlite3.Connection:
        """A connection that holds the write lock of the file that stands at the path."""
        link.execute("BEGIN IMMEDIATE")
        while self.link.moved():
            link = self.link.connection()
            link.execute("BEGIN IMMEDIATE")
        return link

    def _within(self, link: sqlite3.Connection, batch: _Batch) -> _Outcomes | Exception:
        """Run one batch of the group; its own fault undoes it alone."""
        import sqlite3

        link.execute("SAVEPOINT batch")
        try:
            outcomes = tuple(_run(link, statement) for statement in batch)
        except (GuardFailed, sqlite3.Error, *_UNSTORABLE) as error:
            # Some errors, a full disk among them, may have ended the transaction of the group.
            if not link.in_transaction:
                raise
            link.execute("ROLLBACK TO batch")
            link.execute("RELEASE batch")
            return self._blame(error) if isinstance(error, sqlite3.Error) else error
        link.execute("RELEASE batch")
        return outcomes

    def _blame(self, error: sqlite3.Error) -> CitewellError:
        """The batch's own fault comes back; the file's fault is raised for the whole group."""
        explained = self.link.file.explain(error)
        if isinstance(explained, Damaged):
            raise explained from error
        return explained


def _run(link: sqlite3.Connection, statement: Statement) -> Outcome:
    cursor = link.execute(statement.sql, statement.params)
    rows = tuple(cursor.fetchall())
    changed = max(cursor.rowcount, len(rows))
    if statement.expect is not None and changed != statement.expect:
        raise GuardFailed(f"A batch expected {statement.expect} rows and found {changed}.")
    return Outcome(changed=changed, rows=rows)
