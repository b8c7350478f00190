"""Which tables hold what cannot be made anew, as a SQLite file of the same schema lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_LISTED = """
SELECT name FROM sqlite_master
WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'term%'
    AND name NOT IN ('schema_version', 'chore', 'lease')
ORDER BY rowid
"""


def carried(link: sqlite3.Connection) -> list[str]:
    """Parents before their children; indexes and leases stay behind."""
    return [name for (name,) in link.execute(_LISTED)]


def columns(link: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in link.execute(f"PRAGMA table_info({table})")]


def order_reindexing(link: sqlite3.Connection) -> None:
    """The index is not carried over; whoever searches next has it made anew."""
    link.execute("INSERT OR IGNORE INTO chore (name, since) VALUES ('reindex', 0.0)")
