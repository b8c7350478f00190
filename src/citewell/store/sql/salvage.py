"""Copies all rows that can still be read from a damaged SQLite file into a new one."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

_SELECT_DURABLE_TABLES = """
SELECT name FROM sqlite_master
WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'term%'
    AND name NOT IN ('schema_version', 'schema_contract', 'chore', 'lease')
ORDER BY rowid
"""

_ROWS_PER_READ = (200, 20, 1)
_MAX_ROWID_LEAP = 2**62
_PAGE_COUNT_OFFSET, _FREE_OFFSET, _CHANGES_OFFSET, _VALID_FOR_OFFSET = (
    28,
    32,
    24,
    92,
)  # byte offsets in the file header

_FILE_HEADER_BYTES = 100
_INTERIOR_TABLE_PAGE = 5  # a page of a table that points to further ones


def salvage_rows(damaged: Path, sound: sqlite3.Connection) -> dict[str, int]:
    """Copy every readable row into the empty tables of `sound`; returns the number by table.

    `damaged` must be a working copy: its header may be repaired and its write-ahead log applied.
    """
    _mend_header(damaged, sound)
    kept: dict[str, int] = {}
    sound.execute("PRAGMA foreign_keys = OFF")
    sound.execute("BEGIN IMMEDIATE")
    with contextlib.closing(sqlite3.connect(damaged, isolation_level=None)) as source:
        for table in list_durable_tables(sound):
            kept[table] = _copy_readable_rows(source, sound, table)
    # Rows without their parent row cannot be reached; they remain in the damaged file.
    for table, rowid, *_ in sound.execute("PRAGMA foreign_key_check").fetchall():
        sound.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))  # noqa: S608 - our own names
    request_reindexing(sound)
    sound.execute("COMMIT")
    return kept


def _mend_header(damaged: Path, sound: sqlite3.Connection) -> None:
    """Replace an unreadable header and schema by those of the sound file.

    The same migrations put the tables on the same pages.
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
    whole = Path(path).read_bytes()
    page = bytearray(whole[:page_size])
    pages = damaged.stat().st_size // page_size
    page[_PAGE_COUNT_OFFSET : _PAGE_COUNT_OFFSET + 4] = pages.to_bytes(4, "big")
    page[_FREE_OFFSET : _FREE_OFFSET + 8] = bytes(8)
    page[_VALID_FOR_OFFSET : _VALID_FOR_OFFSET + 4] = page[_CHANGES_OFFSET : _CHANGES_OFFSET + 4]
    if pages:
        with damaged.open("r+b") as file:
            file.write(page)
            for number in _list_schema_pages(whole, page_size, 1):
                file.seek((number - 1) * page_size)
                file.write(whole[(number - 1) * page_size : number * page_size])


def _list_schema_pages(whole: bytes, page_size: int, number: int) -> Iterator[int]:
    """The pages below page `number` of the table that holds the schema, which begins on page 1."""
    page = whole[(number - 1) * page_size : number * page_size]
    head = _FILE_HEADER_BYTES if number == 1 else 0
    if page[head] != _INTERIOR_TABLE_PAGE:
        return
    count = int.from_bytes(page[head + 3 : head + 5], "big")
    cells = [
        int.from_bytes(page[place : place + 2], "big")
        for place in range(head + 12, head + 12 + 2 * count, 2)
    ]
    for place in (*cells, head + 8):  # the last child is named in the head of the page
        child = int.from_bytes(page[place : place + 4], "big")
        yield child
        yield from _list_schema_pages(whole, page_size, child)


def _copy_readable_rows(source: sqlite3.Connection, sound: sqlite3.Connection, table: str) -> int:
    names = list_table_columns(sound, table)
    named, marks = ", ".join(names), ", ".join("?" * len(names))
    insert = f"INSERT OR IGNORE INTO {table} ({named}) VALUES ({marks})"  # noqa: S608 - our own names
    kept = 0
    for row in _read_rows_past_damage(source, f"SELECT rowid, {named} FROM {table} WHERE rowid"):  # noqa: S608 - our own names
        with contextlib.suppress(sqlite3.Error):  # the row is corrupt and breaks a constraint
            kept += sound.execute(insert, row[1:]).rowcount
    return kept


def _read_rows_past_damage(source: sqlite3.Connection, query: str) -> Iterator[tuple[int, ...]]:
    """Every readable row: leaps over damaged rows, then reads backwards to the end of the damage."""
    last, leap = 0, 0
    while leap < _MAX_ROWID_LEAP:
        rows = _read_next_rows(source, f"{query} > ? ORDER BY rowid LIMIT ?", last + leap)
        if rows is None:
            leap = max(1, leap * 2)
            continue
        if leap and rows:
            yield from _read_rows_backwards(source, query, last, rows[0][0])
        yield from rows
        if not rows:
            return
        last, leap = rows[-1][0], 0


def _read_rows_backwards(
    source: sqlite3.Connection, query: str, last: int, first: int
) -> Iterator[tuple[int, ...]]:
    while True:
        rows = _read_next_rows(
            source, f"{query} < ? ORDER BY rowid DESC LIMIT ?", first, at_most=(1,)
        )
        if not rows or rows[0][0] <= last:
            return
        yield from rows
        first = rows[0][0]


def _read_next_rows(
    source: sqlite3.Connection, query: str, edge: int, *, at_most: Sequence[int] = _ROWS_PER_READ
) -> list[tuple[int, ...]] | None:
    """The next rows, fewer if only the first can be read; None if not even one can."""
    for limit in at_most:
        with contextlib.suppress(sqlite3.DatabaseError):
            return source.execute(query, (edge, limit)).fetchall()
    return None


# The tables of a state file whose rows cannot be rebuilt, for backup and salvage.


def list_durable_tables(link: sqlite3.Connection) -> list[str]:
    """Parent tables before their children; without search indexes and leases."""
    return [name for (name,) in link.execute(_SELECT_DURABLE_TABLES)]


def list_table_columns(link: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in link.execute(f"PRAGMA table_info({table})")]


def request_reindexing(link: sqlite3.Connection) -> None:
    """Record that the full-text index, which is not copied, must be rebuilt before the next search."""
    link.execute("INSERT OR REPLACE INTO chore (name, since) VALUES ('reindex', 0.0)")
