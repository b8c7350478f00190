"""A SQLite file that several processes share: opened, migrated, and replaced if it is damaged."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from citewell.core.errors import CitewellError, InternalError
from citewell.store import failures
from citewell.store.sql import migrations
from citewell.store.sql.database import SQLITE_DIALECT, SqlStatement, StatementOutcome

if TYPE_CHECKING:
    import sqlite3

StatementBatch = Sequence[SqlStatement]
BatchOutcomes = tuple[StatementOutcome, ...]

logger = logging.getLogger(__name__)
_MAX_JOURNAL_BYTES = 16 * 2**20  # size to which the write-ahead log is truncated


@dataclass(slots=True, kw_only=True)
class SqliteFile:
    """One database file.

    A damaged file is set aside under another name and replaced: by an empty one if it is
    `disposable`, or by one with all readable rows if `vital_table` is set and has readable rows.
    Otherwise it is left alone, and DatabaseDamaged is raised. A file with a `vital_table` that has
    no bytes, but was used before, is left alone too, and DatabaseEmptied is raised: its marker or
    one of the `witnesses`, such as the file of its key, tells that it was used.
    """

    path: Path
    schema: str
    synchronous: Literal["FULL", "NORMAL"]
    disposable: bool
    busy_seconds: float
    max_bytes: int | None
    vital_table: str | None = None
    witnesses: tuple[Path, ...] = ()
    is_handed_over: bool = (
        False  # connections are used by another thread than the one that opens them
    )
    accepts_newer: bool = True  # a schema to which a newer program has only added something
    epoch: int = 0  # grows when the file is replaced, which makes older connections invalid
    reports: list[str] = field(default_factory=list)  # messages for the operator
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_recoverable(self) -> bool:
        return self.disposable or self.vital_table is not None

    def open_connection(self) -> sqlite3.Connection:
        """A connection to the migrated file; raises StoreError."""
        with self._hold_file():
            return self._open_or_recover()

    def recover_damaged(self) -> None:
        """Replace a damaged file, unless another process has already done so; raises StoreError."""
        with self._hold_file():
            self._refuse_emptied_file()
            if self._is_damaged():
                self._set_aside_damaged()
            else:
                self.epoch += 1

    def install_successor(self, successor: Path) -> None:
        """Replace this file by `successor`, and keep a copy of it under another name; raises StoreError."""
        with self._hold_file():
            former = self.path.exists()
            with self._hold_write_lock():
                if former:
                    _copy_with_log(self.path, self._choose_free_path("replaced"))
                self._move_successor_in(successor)
            self.epoch += 1

    def rewrite_file(self) -> None:
        """Write the file anew without the pages that are no longer needed; raises StoreError."""
        self._run_upkeep("VACUUM")
        self.truncate_log()

    def truncate_log(self) -> None:
        """Empty the write-ahead log, which holds former versions of pages; raises StoreError.

        If another process goes on reading a former version, the log stays until it has ended.
        """
        self._run_upkeep("PRAGMA wal_checkpoint(TRUNCATE)")

    def read_identity(self) -> tuple[int, int, bool] | None:
        """Device and inode of the file now at the path, and whether it is empty; None if there is none."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino, found.st_size == 0

    def explain_sqlite_error(self, error: sqlite3.Error) -> CitewellError:
        """Our error for an error of SQLite, with advice."""
        import sqlite3

        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            return failures.StoreFull(
                f"{self.path} cannot grow: the disk is full, or its size limit is reached."
            )
        if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            return failures.DatabaseDamaged(
                f"{self.path} is damaged. Move it away or restore it from a backup."
            )
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            return failures.StoreError(f"{self.path} stayed locked by another process.")
        if code == sqlite3.SQLITE_CONSTRAINT:
            return failures.BatchRolledBack(f"A constraint of {self.path.name} refused the batch.")
        if code in {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISUSE, sqlite3.SQLITE_RANGE}:
            return InternalError(
                f"A statement on {self.path.name} cannot be run: {_format_error_text(error)}."
            )
        return failures.StoreError(f"{self.path} cannot be used: {_format_error_text(error)}.")

    @contextlib.contextmanager
    def _hold_file(self) -> Iterator[None]:
        """Hold the file for this thread of this process; raises StoreError for errors of the block."""
        import sqlite3

        try:
            with self._lock, self._lock_exclusively():
                yield
        except sqlite3.Error as error:
            raise self.explain_sqlite_error(error) from error
        except OSError as error:
            raise failures.StoreError(
                f"{self.path.parent} cannot be written: {error.strerror or error}."
            ) from error

    def _run_upkeep(self, sql: str) -> None:
        import sqlite3

        try:
            with contextlib.closing(self._connect_plain()) as link:
                link.execute(sql).fetchall()
        except sqlite3.Error as error:
            raise self.explain_sqlite_error(error) from error

    @contextlib.contextmanager
    def _lock_exclusively(self) -> Iterator[None]:
        """Keeps other processes from opening, creating or replacing the file in the meantime.

        The lock is an exclusive transaction on an empty SQLite file: it works on every platform
        and is freed by kill -9.
        """
        import sqlite3

        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = self.path.with_name(f"{self.path.name}.lock")
        _create_private_file(lock)
        with contextlib.closing(sqlite3.connect(lock, timeout=self.busy_seconds)) as gate:
            gate.execute("PRAGMA journal_mode = MEMORY")  # needs no room on a full disk
            gate.execute("BEGIN EXCLUSIVE")
            yield

    def _open_or_recover(self) -> sqlite3.Connection:
        import sqlite3

        self._refuse_emptied_file()
        try:
            return self._open_and_mark()
        except sqlite3.Error as error:
            if not (
                self.is_recoverable
                and isinstance(self.explain_sqlite_error(error), failures.DatabaseDamaged)
            ):
                raise
        self._set_aside_damaged()
        return self._open_and_mark()

    def _refuse_emptied_file(self) -> None:
        """Raise DatabaseEmptied before SQLite would begin a new database in the file."""
        identity = self.read_identity()
        if self.vital_table is None or identity is None or not identity[2]:
            return
        if any(witness.exists() for witness in (self._used_marker, *self.witnesses)):
            raise failures.DatabaseEmptied(
                f"{self.path} is empty, although data was stored in it. Restore a backup with "
                "`citewell restore`, or delete the file to begin anew without that data."
            )

    @property
    def _used_marker(self) -> Path:
        return self.path.with_name(f"{self.path.name}.used")

    def _open_and_mark(self) -> sqlite3.Connection:
        link = self._open_prepared()
        if self.vital_table is not None:
            with contextlib.suppress(OSError):  # a full disk must not keep anybody from reading
                _create_private_file(self._used_marker)
        return link

    def _create_database_file(self) -> None:
        """Create a missing file with its header, so that it has no bytes at no time."""
        if self.path.exists():
            return
        import sqlite3

        draft = self.path.with_name(f"{self.path.name}.first")
        _remove_with_log(draft)
        _create_private_file(draft)
        with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as link:
            link.execute("PRAGMA journal_mode = WAL")
        draft.replace(self.path)

    def _open_prepared(self) -> sqlite3.Connection:
        self._create_database_file()
        with contextlib.ExitStack() as undo:
            link = self._connect_plain()
            undo.callback(link.close)
            link.execute("PRAGMA journal_mode = WAL")
            link.execute(f"PRAGMA synchronous = {self.synchronous}")
            link.execute(f"PRAGMA journal_size_limit = {_MAX_JOURNAL_BYTES}")
            link.execute("PRAGMA foreign_keys = ON")
            link.execute("PRAGMA secure_delete = FAST")  # overwrites deleted rows in their pages
            if self.max_bytes is not None:
                (page,) = link.execute("PRAGMA page_size").fetchone()
                link.execute(f"PRAGMA max_page_count = {max(1, self.max_bytes // page)}")
            self._apply_migrations(link)
            undo.pop_all()
        return link

    def _connect_plain(self) -> sqlite3.Connection:
        import sqlite3

        return sqlite3.connect(
            self.path,
            timeout=self.busy_seconds,
            isolation_level=None,
            check_same_thread=not self.is_handed_over,
        )

    def _apply_migrations(self, link: sqlite3.Connection) -> None:
        steps = migrations.load_migrations(self.schema, SQLITE_DIALECT)
        if self._read_schema_version(link, known=len(steps)) >= len(steps):
            return
        link.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have migrated between the first check and the lock.
            version = self._read_schema_version(link, known=len(steps))
            for step in steps[version:]:
                for statement in step:
                    link.execute(statement)
            if version < len(steps):
                self._write_schema_version(link, len(steps))
            link.execute("COMMIT")
        finally:
            if link.in_transaction:
                link.execute("ROLLBACK")

    def _write_schema_version(self, link: sqlite3.Connection, version: int) -> None:
        from citewell.store.sql import migrations as schema_versions

        contract = migrations.find_newest_contract(self.schema, SQLITE_DIALECT)
        for sql in (schema_versions.CREATE_VERSION_TABLE, schema_versions.CREATE_CONTRACT_TABLE):
            link.execute(sql)
        link.execute("DELETE FROM schema_version")
        link.execute("INSERT INTO schema_version VALUES (?)", (version,))
        link.execute("DELETE FROM schema_contract")
        link.execute("INSERT INTO schema_contract VALUES (?)", (contract,))

    def _read_schema_version(self, link: sqlite3.Connection, *, known: int) -> int:
        from citewell.store.sql import migrations as schema_versions

        version = _select_number(link, "schema_version", schema_versions.SELECT_VERSION)
        contract = _select_number(link, "schema_contract", schema_versions.SELECT_CONTRACT)
        schema_versions.check_schema_version(
            version,
            contract if self.accepts_newer else version,
            known=known,
            place=str(self.path),
            remedy="set another directory",
        )
        return version

    def _is_damaged(self) -> bool:
        import sqlite3

        if not self.path.exists():
            return False
        try:
            with contextlib.closing(self._connect_plain()) as link:
                return bool(link.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",))
        except sqlite3.Error as error:
            if isinstance(self.explain_sqlite_error(error), failures.DatabaseDamaged):
                return True
            raise

    def _set_aside_damaged(self) -> None:
        aside = self._choose_free_path()
        if self.vital_table is None:
            for suffix in _FILE_SUFFIXES:  # with its log, which would corrupt another database
                with contextlib.suppress(FileNotFoundError):
                    Path(f"{self.path}{suffix}").rename(f"{aside}{suffix}")
            self._record_report(f"{self.path} was damaged; it was set aside as {aside.name}.")
        else:
            kept = self._salvage_into_successor(aside)
            counts = ", ".join(f"{table} {count}" for table, count in kept.items() if count)
            self._record_report(
                f"{self.path} was damaged; it was set aside as {aside.name}, and its readable rows "
                f"were copied ({counts or 'none'})."
            )
        self.epoch += 1

    def _salvage_into_successor(self, aside: Path) -> dict[str, int]:
        """Copy the readable rows into a new file; the damaged one stays in place until that is complete."""
        from citewell.store.sql.salvage import salvage_rows

        working = self.path.with_name(f"{self.path.name}.salvage")
        successor = self.path.with_name(f"{self.path.name}.new")
        for leftover in (working, successor):
            _remove_with_log(leftover)
        with self._hold_write_lock():
            _copy_with_log(self.path, working)
            fresh = replace(self, path=successor)
            with contextlib.closing(fresh._open_prepared()) as sound:  # noqa: SLF001 - the same class
                kept = salvage_rows(working, sound)
                sound.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if not kept.get(self.vital_table or ""):
                raise failures.DatabaseDamaged(
                    f"{self.path} is damaged and cannot be repaired. Move it away and restore a backup "
                    "with `citewell restore`."
                )
            _copy_with_log(self.path, aside)
            self._move_successor_in(successor)
        for leftover in (working, successor):
            _remove_with_log(leftover)
        return kept

    @contextlib.contextmanager
    def _hold_write_lock(self) -> Iterator[None]:
        """Keeps other processes from writing in the meantime, if the damaged file can still be locked."""
        import sqlite3

        with contextlib.closing(self._connect_plain()) as link:
            try:
                link.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                if not isinstance(self.explain_sqlite_error(error), failures.DatabaseDamaged):
                    raise
            yield

    def _move_successor_in(self, successor: Path) -> None:
        """Removes the write-ahead log first, because it would corrupt another database."""
        _remove_with_log(self.path, suffixes=("-wal", "-shm"))
        shutil.move(successor, self.path)

    def _choose_free_path(self, why: str = "damaged") -> Path:
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.{why}-{number}")).exists():
            number += 1
        return aside

    def _record_report(self, text: str) -> None:
        self.reports.append(text)
        logger.warning("%s", text)


class FileConnection:
    """The connection of one os_thread, opened on demand and again after the file was replaced."""

    def __init__(self, file: SqliteFile) -> None:
        self.file = file
        self._open: sqlite3.Connection | None = None
        self._epoch = -1
        self._identity: tuple[int, int, bool] | None = None

    def ensure_connection(self) -> sqlite3.Connection:
        if self._open is None or self._epoch != self.file.epoch or self.is_file_replaced():
            self.close_connection()
            epoch = self.file.epoch
            self._open = self.file.open_connection()
            self._epoch, self._identity = epoch, self.file.read_identity()
        return self._open

    def is_file_replaced(self) -> bool:
        """Whether another process has replaced the file, so that writes to the open one would be lost."""
        return self.file.read_identity() != self._identity

    def recover_file(self) -> None:
        """Replace a damaged file by a new one with the rows that can be salvaged."""
        self.close_connection()
        self.file.recover_damaged()

    def close_connection(self) -> None:
        link, self._open = self._open, None
        if link is not None:
            link.close()


def run_sqlite_statement(link: sqlite3.Connection, statement: SqlStatement) -> StatementOutcome:
    if statement.param_rows:
        cursor = link.executemany(statement.sql, statement.param_rows)
        return StatementOutcome(changed_rows=cursor.rowcount)
    cursor = link.execute(statement.sql, statement.params)
    rows = tuple(cursor.fetchall())
    changed = max(cursor.rowcount, len(rows))
    if statement.expected_rows is not None and changed != statement.expected_rows:
        raise failures.BatchRolledBack(
            f"A batch expected {statement.expected_rows} rows and found {changed}."
        )
    return StatementOutcome(changed_rows=changed, rows=rows)


_FILE_SUFFIXES = ("", "-wal", "-shm")


def _copy_with_log(path: Path, aside: Path) -> None:
    for suffix in _FILE_SUFFIXES[:2]:
        source, target = Path(f"{path}{suffix}"), Path(f"{aside}{suffix}")
        if source.exists():
            _create_private_file(target)
            shutil.copyfile(source, target)


def _remove_with_log(path: Path, *, suffixes: Sequence[str] = _FILE_SUFFIXES) -> None:
    for suffix in suffixes:
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _format_error_text(error: sqlite3.Error) -> str:
    """SQLite's message; for errors of the Python module only the class, as they may quote stored data."""
    return str(error) if hasattr(error, "sqlite_errorcode") else type(error).__name__


def _create_private_file(path: Path) -> None:
    """Create a file only its owner can read; SQLite gives its journals the same mode.

    An existing file must not be opened here: closing it would release the locks that connections
    of this process hold on it, and another process could then delete the log they are using.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _select_number(link: sqlite3.Connection, table: str, sql: str) -> int:
    """What the query returns; 0 if the table does not exist."""
    known = "SELECT 1 FROM sqlite_master WHERE name = ?"
    if link.execute(known, (table,)).fetchone() is None:
        return 0
    (number,) = link.execute(sql).fetchone()
    return int(number)
