"""Budgets as callers see them: what is left, what was spent, and on what."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from citewell.errors import InvalidInput
from citewell.model.job import JobView
from citewell.model.ledger import Balance, Entry, EntryType, Spend
from citewell.model.research import TICKS_PER_CENT
from citewell.services.research.asking import assignment

_DAY = 86_400
_MOST = 10**6 * 100 * TICKS_PER_CENT  # a million dollars
_MEANING = {
    EntryType.CREDIT: "Credit",
    EntryType.RESERVE: "Set aside for a job",
    EntryType.SETTLE: "Spent by a job",
    EntryType.RELEASE: "Set aside and not needed",
}
_PERIODS = {"7d": 7, "30d": 30, "90d": 90}


def since(period: str, *, now: float) -> float:
    return now - _PERIODS[period] * _DAY if period in _PERIODS else 0.0


def ticks(dollars: str, *, least: int = 1) -> int:
    """A sum such as 25 or 2.50; InvalidInput for anything else."""
    try:
        sum_ = Decimal(dollars.strip().removeprefix("$"))
    except InvalidOperation:
        sum_ = Decimal("NaN")
    if not sum_.is_finite() or not least <= sum_ * TICKS_PER_CENT * 100 <= _MOST:
        raise InvalidInput(f"{dollars!r} is no sum of dollars; write it as 25 or 2.50.")
    return int(sum_ * TICKS_PER_CENT * 100)


def cents(ticks: int) -> int:
    """Rounded up: a started cent is spent."""
    return -(-ticks // TICKS_PER_CENT)


def stamp(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def balance(held: Balance) -> dict[str, Any]:
    """An account that nobody has limited says so instead of naming a sum."""
    answer: dict[str, Any] = {
        "balanceCents": held.cents,
        "balanceDollars": f"${held.cents / 100:,.2f}",
        "hasPaymentMethod": not held.limited,
        "unlimited": not held.limited,
        "reservedCents": cents(held.reserved),
        "spentCents": cents(held.settled),
    }
    if not held.limited:
        answer["note"] = (
            "No budget is configured, so nothing limits a job but its tier's cap."
            " `citewell credits add` sets one."
        )
    return answer


def transaction(row: Entry) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": row.id,
        "type": row.type.value,
        "amountCents": row.ticks // TICKS_PER_CENT,
        "amountTicks": row.ticks,
        "description": row.note or _MEANING[row.type],
        "creditSource": row.source,
        "createdAt": stamp(row.entered),
        "jobId": row.job,
        "provider": row.provider,
    }
    return {name: value for name, value in shown.items() if value is not None}


def job_row(view: JobView) -> dict[str, Any]:
    work = assignment(view.job.args)
    return {
        "id": view.job.id,
        "threadId": view.job.thread,
        "status": view.status.value,
        "budgetTier": work.tier,
        "query": work.query,
        "costCents": cents(view.spent),
        "createdAt": stamp(view.job.created),
    }


def usage(period: str, spent: Iterable[Spend], recent: Iterable[JobView]) -> dict[str, Any]:
    rows = sorted(spent, key=lambda row: (-row.ticks, row.provider))
    total = cents(sum(row.ticks for row in rows))
    return {
        "period": period,
        "totalSpendCents": total,
        "totalSpendDollars": f"${total / 100:,.2f}",
        "providerBreakdown": [
            {"provider": row.provider, "totalCostCents": cents(row.ticks), "jobCount": row.jobs}
            for row in rows
        ],
        "recentJobs": [job_row(view) for view in recent],
    }
