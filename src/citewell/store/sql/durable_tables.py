"""The tables of a state file whose rows cannot be rebuilt, for backup and salvage."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_SELECT_DURABLE_TABLES = """
SELECT name FROM sqlite_master
WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'term%'
    AND name NOT IN ('schema_version', 'schema_contract', 'chore', 'lease')
ORDER BY rowid
"""


def list_durable_tables(link: sqlite3.Connection) -> list[str]:
    """Parent tables before their children; without search indexes and leases."""
    return [name for (name,) in link.execute(_SELECT_DURABLE_TABLES)]


def list_table_columns(link: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in link.execute(f"PRAGMA table_info({table})")]


def request_reindexing(link: sqlite3.Connection) -> None:
    """Record that the full-text index, which is not copied, must be rebuilt before the next search."""
    link.execute("INSERT OR REPLACE INTO chore (name, since) VALUES ('reindex', 0.0)")
