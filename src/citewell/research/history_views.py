"""Finds the owner's earlier research on a similar question, to show beside a new job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from citewell.core.errors import InvalidInput
from citewell.core.values.research import TICKS_PER_CENT, ResearchFindings
from citewell.core.values.wire_values import UNTRUSTED_LABEL
from citewell.jobs.durable_job import JobStep, JobView
from citewell.jobs.step_values import LOCAL_PROVIDER, parse_assignment
from citewell.jobs.store import ledger_rows
from citewell.jobs.store.job_store import SqlJobStore
from citewell.jobs.store.thread_store import ResearchThread, ThreadMessage
from citewell.research import job_views
from citewell.research.job_views import STEP_STATUS_WORDS
from citewell.research.research_store import SqlResearchStore

DAY_SECONDS = 86_400
_MAX_CREDIT_TICKS = 10**6 * 100 * TICKS_PER_CENT  # a million dollars
_ENTRY_DESCRIPTIONS = {
    ledger_rows.LedgerEntryType.CREDIT: "Credit",
    ledger_rows.LedgerEntryType.RESERVE: "Reserved for a job",
    ledger_rows.LedgerEntryType.SETTLE: "Spent by a job",
    ledger_rows.LedgerEntryType.RELEASE: "Reserved and not needed",
}
PERIOD_DAYS = {"7d": 7, "30d": 30, "90d": 90}

_MAX_PRIOR_CLAIMS, _MAX_PRIOR_JOBS = 5, 3
# Share of the question's words, by weight; below it the questions differ
_MIN_QUESTION_SIMILARITY = 0.5


async def find_prior_work(
    store: SqlResearchStore, jobs: SqlJobStore, owner: str, query: str
) -> dict[str, Any] | None:
    """Earlier jobs with a similar question and their claims; None if there are none."""
    found = await store.find_similar_jobs(owner, query, limit=_MAX_PRIOR_JOBS)
    summaries: list[dict[str, Any]] = []
    claims: list[dict[str, Any]] = []
    for job in (match.job for match in found if match.score >= _MIN_QUESTION_SIMILARITY):
        view = await jobs.require_job_view(owner, job)
        asked = parse_assignment(view.job.args).query
        created = job_views.format_timestamp(view.job.created)
        summaries.append({"jobId": job, "query": asked, "createdAt": created})
        stored = await store.search_stored_claims(
            owner, job=job, query=query[:500], limit=_MAX_PRIOR_CLAIMS
        )
        claims += [
            {
                "id": claim.id,
                "content": claim.content,
                "confidenceLevel": claim.confidence_level,
                "jobId": job,
            }
            for claim in stored.claims
        ]
    if not summaries:
        return None
    return {
        "note": "You have earlier research on a similar question. The new job runs independently of it.",
        "jobs": summaries,
        "claims": claims[:_MAX_PRIOR_CLAIMS],
    }


# Budgets, transactions and usage in the form callers receive, and conversions of money and time.


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


def build_balance_view(held: ledger_rows.CreditBalance) -> dict[str, Any]:
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


def build_transaction_view(row: ledger_rows.LedgerEntry) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": row.id,
        "type": row.type.value,
        "amountCents": row.cents,
        "amountTicks": row.ticks,
        "description": row.note or _ENTRY_DESCRIPTIONS[row.type],
        "creditSource": row.source,
        "createdAt": job_views.format_timestamp(row.entered),
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
        "costCents": ledger_rows.round_up_cents(view.spent),
        "createdAt": job_views.format_timestamp(view.job.created),
    }


def build_usage_view(
    period: str, spent: Iterable[ledger_rows.ProviderSpend], recent: Iterable[JobView]
) -> dict[str, Any]:
    rows = sorted(spent, key=lambda row: (-row.ticks, row.provider))
    total = sum(row.cents for row in rows)
    return {
        "period": period,
        "totalSpendCents": total,
        "totalSpendDollars": format_dollars(total),
        "providerBreakdown": [
            {"provider": row.provider, "totalCostCents": row.cents, "jobCount": row.jobs}
            for row in rows
        ],
        "recentJobs": [build_job_row(view) for view in recent],
    }


# Threads in the form callers receive: their messages, jobs and the steps of the newest job.


_SYNTHESIS_STEP = "synthesis"  # paid, where a model writes the report


def build_thread_row(thread: ResearchThread) -> dict[str, Any]:
    return {
        "id": thread.id,
        "title": thread.title,
        "createdAt": job_views.format_timestamp(thread.created),
        "updatedAt": job_views.format_timestamp(thread.updated),
    }


def build_thread_view(
    held: ResearchThread,
    messages: Iterable[ThreadMessage],
    views: Iterable[JobView],
    findings: Mapping[str, ResearchFindings | None],
) -> dict[str, Any]:
    newest_first = list(views)
    costs = {view.job.id: ledger_rows.round_up_cents(view.spent) for view in newest_first}
    return {
        **build_thread_row(held),
        "messages": [_build_message_view(message, costs) for message in messages],
        "jobs": [_build_thread_job(view, findings.get(view.job.id)) for view in newest_first],
        "steps": _build_provider_steps(newest_first[0]) if newest_first else [],
        "trust": UNTRUSTED_LABEL,
    }


def _build_message_view(message: ThreadMessage, costs: Mapping[str, int]) -> dict[str, Any]:
    """A message; an answer costs what its job cost, and a question nothing."""
    return {
        "id": message.id,
        "role": message.role,
        "content": message.content,
        "costCents": costs.get(message.job or "") if message.role == "assistant" else None,
        "createdAt": job_views.format_timestamp(message.created),
    }


def _build_thread_job(view: JobView, findings: ResearchFindings | None) -> dict[str, Any]:
    work = parse_assignment(view.job.args)
    lasted = view.finished - view.job.created if view.finished is not None else None
    return {
        "id": view.job.id,
        "status": view.status.value,
        "budgetTier": work.tier,
        "researchMode": work.mode,
        "query": work.query,
        "parentJobId": work.parent,
        "synthesisMarkdown": findings.synthesis if findings else None,
        "suggestedFollowOns": [item.topic for item in findings.follow_ons] if findings else [],
        "totalCustomerCostCents": ledger_rows.round_up_cents(view.spent),
        "durationSeconds": max(0, round(lasted)) if lasted is not None else None,
        "createdAt": job_views.format_timestamp(view.job.created),
        "completedAt": job_views.format_timestamp(view.finished),
    }


def _build_provider_steps(view: JobView) -> list[dict[str, Any]]:
    """One step for each provider of the job, and one for the model that wrote the report."""
    rows = []
    for name in parse_assignment(view.job.args).providers:
        part = job_views.build_provider_progress(view, name)
        rows.append(
            {
                "id": job_views.build_report_key(name),
                "provider": name,
                "status": part["status"],
                "durationSeconds": part.get("durationSeconds"),
            }
        )
    written = view.find_step(_SYNTHESIS_STEP)
    return [*rows, _build_step_view(written)] if written else rows


def _build_step_view(step: JobStep) -> dict[str, Any]:
    lasted = step.finished - step.started if step.finished is not None else None
    return {
        "id": step.key,
        "provider": step.provider or LOCAL_PROVIDER,
        "status": STEP_STATUS_WORDS[step.state],
        "durationSeconds": max(0, round(lasted)) if lasted is not None else None,
    }
