"""What can still be read of a damaged SQLite file, row by row, into a sound one."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from citewell.store.tables import carried, columns, order_reindexing

_FEWER = (200, 20, 1)
_FARTHEST = 2**62
_PAGE_COUNT, _FREE, _CHANGES, _VALID_FOR = 28, 32, 24, 92  # offsets in the file's header


def salvage(damaged: Path, sound: sqlite3.Connection) -> dict[str, int]:
    """Copy every row that still reads into the empty tables of `sound`; how many, by table.

    `damaged` is a working copy: its header may be mended, and its log is taken in.
    """
    _mend_header(damaged, sound)
    kept: dict[str, int] = {}
    sound.execute("PRAGMA foreign_keys = OFF")
    sound.execute("BEGIN IMMEDIATE")
    with contextlib.closing(sqlite3.connect(damaged, isolation_level=None)) as source:
        for table in carried(sound):
            kept[table] = _copy(source, sound, table)
    _drop_orphans(sound)
    order_reindexing(sound)
    sound.execute("COMMIT")
    return kept


def _mend_header(damaged: Path, sound: sqlite3.Connection) -> None:
    """A file whose first page is gone gets that of a sound one.

    The same migrations put the tables in the same places.
    """
    with contextlib.closing(sqlite3.connect(damaged)) as link:
        try:
            link.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError:
            pass
        else:
            return
    page_size: int = sound.execute("PRAGMA page_size").fetchone()[0]
    (path,) = [row[2] for row in sound.execute("PRAGMA database_list") if row[1] == "main"]
    sound.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    page = bytearray(Path(path).read_bytes()[:page_size])
    pages = damaged.stat().st_size // page_size
    page[_PAGE_COUNT : _PAGE_COUNT + 4] = pages.to_bytes(4, "big")
    page[_FREE : _FREE + 8] = bytes(8)
    page[_VALID_FOR : _VALID_FOR + 4] = page[_CHANGES : _CHANGES + 4]
    if pages:
        with damaged.open("r+b") as file:
            file.write(page)


def _copy(source: sqlite3.Connection, sound: sqlite3.Connection, table: str) -> int:
    names = columns(sound, table)
    named, marks = ", ".join(names), ", ".join("?" * len(names))
    insert = f"INSERT OR IGNORE INTO {table} ({named}) VALUES ({marks})"  # noqa: S608 - our own names
    kept = 0
    for row in _readable(source, f"SELECT rowid, {named} FROM {table} WHERE rowid"):  # noqa: S608 - our own names
        with contextlib.suppress(sqlite3.Error):  # a row whose columns are not ours any more
            kept += sound.execute(insert, row[1:]).rowcount
    return kept


def _readable(source: sqlite3.Connection, query: str) -> Iterator[tuple[int, ...]]:
    """Every row that reads, in leaps over what does not, and back to the edge of the damage."""
    last, leap = 0, 0
    while leap < _FARTHEST:
        rows = _some(source, f"{query} > ? ORDER BY rowid LIMIT ?", last + leap)
        if rows is None:
            leap = max(1, leap * 2)
            continue
        if leap and rows:
            yield from _back(source, query, last, rows[0][0])
        yield from rows
        if not rows:
            return
        last, leap = rows[-1][0], 0


def _back(
    source: sqlite3.Connection, query: str, last: int, first: int
) -> Iterator[tuple[int, ...]]:
    while True:
        rows = _some(source, f"{query} < ? ORDER BY rowid DESC LIMIT ?", first, at_most=(1,))
        if not rows or rows[0][0] <= last:
            return
        yield from rows
        first = rows[0][0]


def _some(
    source: sqlite3.Connection, query: str, edge: int, *, at_most: Sequence[int] = _FEWER
) -> list[tuple[int, ...]] | None:
    """The next rows, fewer where only the first ones read; None where not even one does."""
    for limit in at_most:
        with contextlib.suppress(sqlite3.DatabaseError):
            return source.execute(query, (edge, limit)).fetchall()
    return None


def _drop_orphans(sound: sqlite3.Connection) -> None:
    """Rows whose parent was lost can be reached by nobody; the damaged file keeps them."""
    orphans = sound.execute("PRAGMA foreign_key_check").fetchall()
    for table, rowid, *_ in orphans:
        sound.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))  # noqa: S608 - our own names
