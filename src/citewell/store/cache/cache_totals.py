"""How much the cache holds on disk, for operators."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.store.sql.database import SqlDatabase

_MEASURE_ENTRIES = "SELECT COUNT(*), COALESCE(SUM(size), 0) FROM entry"


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheTotals:
    entries: int
    size_bytes: int


async def load_cache_totals(database: SqlDatabase) -> CacheTotals:
    """Entries of all owners and kinds, with those that have expired and were not swept yet."""
    ((count, size),) = await database.select_rows(_MEASURE_ENTRIES)
    return CacheTotals(entries=int(count), size_bytes=int(size))
