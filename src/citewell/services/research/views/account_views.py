"""Budgets, transactions and usage in the form callers receive, and conversions of money and time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from citewell.errors import InvalidInput
from citewell.model.credit_ledger import (
    CreditBalance,
    LedgerEntry,
    LedgerEntryType,
    ProviderSpend,
    round_up_cents,
)
from citewell.model.durable_job import JobView
from citewell.model.research import TICKS_PER_CENT
from citewell.services.research.planning.assignments import parse_assignment

_DAY_SECONDS = 86_400
_MAX_CREDIT_TICKS = 10**6 * 100 * TICKS_PER_CENT  # a million dollars
_ENTRY_DESCRIPTIONS = {
    LedgerEntryType.CREDIT: "Credit",
    LedgerEntryType.RESERVE: "Reserved for a job",
    LedgerEntryType.SETTLE: "Spent by a job",
    LedgerEntryType.RELEASE: "Reserved and not needed",
}
_PERIOD_DAYS = {"7d": 7, "30d": 30, "90d": 90}


def find_period_start(period: str, *, now: float) -> float:
    """When the period began, in seconds since the epoch; 0 for any other word, meaning all time."""
    return now - _PERIOD_DAYS[period] * _DAY_SECONDS if period in _PERIOD_DAYS else 0.0


def parse_dollars(dollars: str, *, min_ticks: int = 1) -> int:
    """Ticks of a dollar amount such as 25, 2.50 or $3; raises InvalidInput for anything else."""
    try:
        sum_ = Decimal(dollars.strip().removeprefix("$"))
    except InvalidOperation:
        sum_ = Decimal("NaN")
    if not sum_.is_finite() or not min_ticks <= sum_ * TICKS_PER_CENT * 100 <= _MAX_CREDIT_TICKS:
        raise InvalidInput(f"{dollars!r} is not a valid dollar amount; write it as 25 or 2.50.")
    return int(sum_ * TICKS_PER_CENT * 100)


def format_dollars(cents: int) -> str:
    """Cents as an amount of dollars, such as $42.50 or -$0.94."""
    return f"{'-' if cents < 0 else ''}${abs(cents) / 100:,.2f}"


def format_timestamp(seconds: float | None) -> str | None:
    """Seconds since the epoch as an ISO 8601 time in UTC."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def build_balance_view(held: CreditBalance) -> dict[str, Any]:
    """The balance as the answer of a tool.

    An account without a budget is marked `unlimited`. It has nothing that could be used up, so
    its balance is zero, however much was spent.
    """
    left = held.cents if held.limited else 0
    answer: dict[str, Any] = {
        "balanceCents": left,
        "balanceDollars": format_dollars(left),
        "hasPaymentMethod": not held.limited,
        "unlimited": not held.limited,
        "reservedCents": held.reserved_cents,
        "spentCents": held.settled_cents,
    }
    if not held.limited:
        answer["note"] = (
            "No budget is configured, so only its tier's cap limits a job."
            " `citewell credits add` sets one."
        )
    return answer


def build_transaction_view(row: LedgerEntry) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": row.id,
        "type": row.type.value,
        "amountCents": row.cents,
        "amountTicks": row.ticks,
        "description": row.note or _ENTRY_DESCRIPTIONS[row.type],
        "creditSource": row.source,
        "createdAt": format_timestamp(row.entered),
        "jobId": row.job,
        "provider": row.provider,
    }
    return {name: value for name, value in shown.items() if value is not None}


def build_job_row(view: JobView) -> dict[str, Any]:
    work = parse_assignment(view.job.args)
    return {
        "id": view.job.id,
        "threadId": view.job.thread,
        "status": view.status.value,
        "budgetTier": work.tier,
        "query": work.query,
        "costCents": round_up_cents(view.spent),
        "createdAt": format_timestamp(view.job.created),
    }


def build_usage_view(
    period: str, spent: Iterable[ProviderSpend], recent: Iterable[JobView]
) -> dict[str, Any]:
    rows = sorted(spent, key=lambda row: (-row.ticks, row.provider))
    total = sum(row.cents for row in rows)
    return {
        "period": period,
        "totalSpendCents": total,
        "totalSpendDollars": format_dollars(total),
        "providerBreakdown": [
            {
                "provider": row.provider,
                "totalCostCents": row.cents,
                "jobCount": row.jobs,
            }
            for row in rows
        ],
        "recentJobs": [build_job_row(view) for view in recent],
    }
