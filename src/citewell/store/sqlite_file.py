"""A SQLite file on disk: opened for several processes, brought up to date, set aside when damaged."""

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

from citewell.errors import CitewellError, InternalError
from citewell.store import migrations
from citewell.store.failures import Damaged, Full, GuardFailed, StoreError
from citewell.store.sql import SQLITE

if TYPE_CHECKING:
    import sqlite3

_log = logging.getLogger(__name__)
_JOURNAL_BYTES = 16 * 2**20  # what the write-ahead log shrinks back to


@dataclass(slots=True, kw_only=True)
class SqliteFile:
    """One database file.

    A damaged one that is `disposable` is set aside and begun afresh. Where `vital` names a table,
    the file is set aside and whatever still reads is carried over, provided rows of that table do.
    Any other stays as it is, and the error stands.
    """

    path: Path
    schema: str
    synchronous: Literal["FULL", "NORMAL"]
    disposable: bool
    busy_seconds: float
    max_bytes: int | None
    vital: str | None = None
    epoch: int = 0  # grows when the file was set aside: older connections look at the wrong one
    reports: list[str] = field(default_factory=list)  # what the operator should know
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def mendable(self) -> bool:
        return self.disposable or self.vital is not None

    def open(self) -> sqlite3.Connection:
        """A connection to an up-to-date file; raises StoreError when there can be none."""
        import sqlite3

        try:
            with self._lock, self._alone():
                return self._open()
        except sqlite3.Error as error:
            raise self.explain(error) from error
        except OSError as error:
            raise self._unusable(error) from error

    def recover(self) -> None:
        """Set a damaged file aside, unless another process has done so already."""
        import sqlite3

        try:
            with self._lock, self._alone():
                if self._damaged():
                    self._begin_anew()
                else:
                    self.epoch += 1
        except sqlite3.Error as error:
            raise self.explain(error) from error
        except OSError as error:
            raise self._unusable(error) from error

    def install(self, successor: Path) -> None:
        """Put another file in the place of this one, which is kept beside under another name."""
        import sqlite3

        try:
            with self._lock, self._alone():
                former = self.path.exists()
                with self._held():
                    if former:
                        _copy(self.path, self._free_name("replaced"))
                    self._succeed(successor)
                self.epoch += 1
        except sqlite3.Error as error:
            raise self.explain(error) from error
        except OSError as error:
            raise self._unusable(error) from error

    def identity(self) -> tuple[int, int] | None:
        """Which file stands at the path now; None when there is none."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def explain(self, error: sqlite3.Error) -> CitewellError:
        """The engine's error in words that say what to do."""
        import sqlite3

        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            return Full(f"{self.path} cannot grow: the disk, or its own size bound, is full.")
        if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            return Damaged(f"{self.path} is damaged. Restore it from a backup or move it away.")
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            return StoreError(f"{self.path} stayed locked by another process.")
        if code == sqlite3.SQLITE_CONSTRAINT:
            return GuardFailed(f"A constraint of {self.path.name} refused the batch.")
        if code in {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISUSE, sqlite3.SQLITE_RANGE}:
            return InternalError(f"A statement on {self.path.name} cannot be run: {_words(error)}.")
        return StoreError(f"{self.path} cannot be used: {_words(error)}.")

    def _unusable(self, error: OSError) -> StoreError:
        return StoreError(f"{self.path.parent} cannot be written: {error.strerror or error}.")

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """No other process opens, creates or sets aside the file meanwhile.

        An exclusive transaction on an empty file is a lock on every platform, and kill -9 frees it.
        """
        import sqlite3

        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = self.path.with_name(f"{self.path.name}.lock")
        _touch(lock)
        with contextlib.closing(sqlite3.connect(lock, timeout=self.busy_seconds)) as gate:
            gate.execute("PRAGMA journal_mode = MEMORY")  # a full disk must still be readable
            gate.execute("BEGIN EXCLUSIVE")
            yield

    def _open(self) -> sqlite3.Connection:
        import sqlite3

        try:
            return self._prepared()
        except sqlite3.Error as error:
            if not (self.mendable and isinstance(self.explain(error), Damaged)):
                raise
        self._begin_anew()
        return self._prepared()

    def _prepared(self) -> sqlite3.Connection:
        _touch(self.path)
        with contextlib.ExitStack() as undo:
            link = self._connect()
            undo.callback(link.close)
            link.execute("PRAGMA journal_mode = WAL")
            link.execute(f"PRAGMA synchronous = {self.synchronous}")
            link.execute(f"PRAGMA journal_size_limit = {_JOURNAL_BYTES}")
            link.execute("PRAGMA foreign_keys = ON")
            if not self.disposable:
                link.execute("PRAGMA secure_delete = FAST")  # an erased key must be gone
            self._bound(link)
            self._migrate(link)
            undo.pop_all()
        return link

    def _connect(self) -> sqlite3.Connection:
        import sqlite3

        return sqlite3.connect(self.path, timeout=self.busy_seconds, isolation_level=None)

    def _bound(self, link: sqlite3.Connection) -> None:
        if self.max_bytes is not None:
            (page,) = link.execute("PRAGMA page_size").fetchone()
            link.execute(f"PRAGMA max_page_count = {max(1, self.max_bytes // page)}")

    def _migrate(self, link: sqlite3.Connection) -> None:
        steps = migrations.load(self.schema, SQLITE)
        if self._version(link, newest=len(steps)) == len(steps):
            return
        link.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have been faster between the look and the lock.
            for step in steps[self._version(link, newest=len(steps)) :]:
                for statement in step:
                    link.execute(statement)
            link.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
            link.execute("DELETE FROM schema_version")
            link.execute("INSERT INTO schema_version VALUES (?)", (len(steps),))
            link.execute("COMMIT")
        finally:
            if link.in_transaction:
                link.execute("ROLLBACK")

    def _version(self, link: sqlite3.Connection, *, newest: int) -> int:
        known = "SELECT 1 FROM sqlite_master WHERE name = 'schema_version'"
        if link.execute(known).fetchone() is None:
            return 0
        (version,) = link.execute("SELECT COALESCE(MAX(version), 0) FROM schema_version").fetchone()
        if version > newest:
            raise StoreError(
                f"{self.path} was written by a newer Citewell (schema {version}, this one knows "
                f"{newest}). Upgrade, or set another directory."
            )
        return int(version)

    def _damaged(self) -> bool:
        import sqlite3

        if not self.path.exists():
            return False
        try:
            with contextlib.closing(self._connect()) as link:
                return bool(link.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",))
        except sqlite3.Error as error:
            if isinstance(self.explain(error), Damaged):
                return True
            raise

    def _begin_anew(self) -> None:
        aside = self._free_name()
        if self.vital is None:
            _rename(self.path, aside)
            self._report(f"{self.path} was damaged; it was set aside as {aside.name}.")
        else:
            kept = self._carry_over(aside)
            told = ", ".join(f"{table} {count}" for table, count in kept.items() if count)
            self._report(
                f"{self.path} was damaged; it was set aside as {aside.name}, and what still read "
                f"was carried over ({told or 'nothing'})."
            )
        self.epoch += 1

    def _carry_over(self, aside: Path) -> dict[str, int]:
        """The damaged file stays in place until its successor is whole, whatever happens here."""
        from citewell.store.salvage import salvage

        working = self.path.with_name(f"{self.path.name}.salvage")
        successor = self.path.with_name(f"{self.path.name}.new")
        for leftover in (working, successor):
            _remove(leftover)
        with self._held():
            _copy(self.path, working)
            fresh = replace(self, path=successor)
            with contextlib.closing(fresh._prepared()) as sound:  # noqa: SLF001 - its own kind
                kept = salvage(working, sound)
                sound.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if not kept.get(self.vital or ""):
                raise Damaged(
                    f"{self.path} is damaged beyond mending. Move it away and restore a backup "
                    "with `citewell restore`."
                )
            _copy(self.path, aside)
            self._succeed(successor)
        for leftover in (working, successor):
            _remove(leftover)
        return kept

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        """No other process writes meanwhile, as far as the damage leaves the file a lock."""
        import sqlite3

        with contextlib.closing(self._connect()) as link:
            try:
                link.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                if not isinstance(self.explain(error), Damaged):
                    raise
            yield

    def _succeed(self, successor: Path) -> None:
        """The log goes first: beside another database it would ruin it."""
        _remove(self.path, suffixes=("-wal", "-shm"))
        shutil.move(successor, self.path)

    def _free_name(self, why: str = "damaged") -> Path:
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.{why}-{number}")).exists():
            number += 1
        return aside

    def _report(self, text: str) -> None:
        self.reports.append(text)
        _log.warning("%s", text)


_SUFFIXES = ("", "-wal", "-shm")


def _rename(path: Path, aside: Path) -> None:
    """The file and its log together: a log beside another database would ruin it."""
    for suffix in _SUFFIXES:
        with contextlib.suppress(FileNotFoundError):
            Path(f"{path}{suffix}").rename(f"{aside}{suffix}")


def _copy(path: Path, aside: Path) -> None:
    for suffix in _SUFFIXES[:2]:
        source, target = Path(f"{path}{suffix}"), Path(f"{aside}{suffix}")
        if source.exists():
            _touch(target)
            shutil.copyfile(source, target)


def _remove(path: Path, *, suffixes: Sequence[str] = _SUFFIXES) -> None:
    for suffix in suffixes:
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _words(error: sqlite3.Error) -> str:
    """The engine's own words; errors of the binding may quote what is stored."""
    return str(error) if hasattr(error, "sqlite_errorcode") else type(error).__name__


def _touch(path: Path) -> None:
    """Create the file for its owner only; SQLite gives its journals the same mode.

    One that is there must not be opened: closing it again would free the locks that this process's
    connections hold on it, and the next process to leave would delete the log under them.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
