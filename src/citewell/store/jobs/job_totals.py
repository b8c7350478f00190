"""Totals over the jobs and spending of all owners, for operators; nothing in them names an owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from citewell.store.sql.database import SqlDatabase

_COUNT_JOBS = "SELECT status, COUNT(*) FROM job GROUP BY status"
_SELECT_OLDEST_WAITING = "SELECT MIN(created) FROM job WHERE status = 'pending'"
_SUM_SPENDING = """
SELECT provider, SUM(cents), SUM(CASE WHEN entered >= :month THEN cents ELSE 0 END),
    SUM(CASE WHEN entered >= :day THEN cents ELSE 0 END), COUNT(DISTINCT job)
FROM ledger WHERE type = 'settle' GROUP BY provider
"""
_SUM_RESERVES = "SELECT COALESCE(SUM(reserved_cents), 0) FROM account"
SECONDS_PER_DAY = 86_400.0
_DAYS_PER_MONTH = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTotals:
    """How many jobs have each status, and since when the oldest one waits."""

    by_status: Mapping[str, int]
    oldest_waiting_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingTotal:
    """What was spent with one provider, in cents."""

    provider: str
    total_cents: int
    month_cents: int  # of the last thirty days
    day_cents: int  # of the last 24 hours
    jobs: int


async def load_job_totals(database: SqlDatabase) -> JobTotals:
    counts = await database.select_rows(_COUNT_JOBS)
    ((oldest,),) = await database.select_rows(_SELECT_OLDEST_WAITING)
    return JobTotals(
        by_status={status: int(count) for status, count in counts}, oldest_waiting_at=oldest
    )


async def load_spending_totals(database: SqlDatabase, *, now: float) -> tuple[SpendingTotal, ...]:
    """One total for each provider that was paid, the largest first."""
    found = await database.select_rows(
        _SUM_SPENDING,
        {"day": now - SECONDS_PER_DAY, "month": now - _DAYS_PER_MONTH * SECONDS_PER_DAY},
    )
    totals = (
        SpendingTotal(
            provider=provider or "",
            total_cents=int(total),
            month_cents=int(month),
            day_cents=int(day),
            jobs=int(jobs),
        )
        for provider, total, month, day, jobs in found
    )
    return tuple(sorted(totals, key=lambda one: (-one.total_cents, one.provider)))


async def load_reserved_cents(database: SqlDatabase) -> int:
    """What unfinished jobs of all owners may still spend."""
    ((cents,),) = await database.select_rows(_SUM_RESERVES)
    return int(cents)
