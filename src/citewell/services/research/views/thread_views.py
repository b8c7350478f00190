"""Threads in the form callers receive: their messages, jobs and the steps of the newest job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from citewell.model.credit_ledger import round_up_cents
from citewell.model.durable_job import JobStep, JobView
from citewell.model.research import ResearchFindings
from citewell.model.research_thread import ResearchThread, ThreadMessage
from citewell.model.wire_values import UNTRUSTED_LABEL
from citewell.services.research.planning.assignments import parse_assignment
from citewell.services.research.step_values import LOCAL_PROVIDER
from citewell.services.research.views.account_views import format_timestamp
from citewell.services.research.views.job_views import (
    STEP_STATUS_WORDS,
    build_provider_progress,
    build_report_key,
)

_SYNTHESIS_STEP = "synthesis"  # paid, where a model writes the report


def build_thread_row(thread: ResearchThread) -> dict[str, Any]:
    return {
        "id": thread.id,
        "title": thread.title,
        "createdAt": format_timestamp(thread.created),
        "updatedAt": format_timestamp(thread.updated),
    }


def build_thread_view(
    held: ResearchThread,
    messages: Iterable[ThreadMessage],
    views: Iterable[JobView],
    findings: Mapping[str, ResearchFindings | None],
) -> dict[str, Any]:
    newest_first = list(views)
    costs = {view.job.id: round_up_cents(view.spent) for view in newest_first}
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
        "createdAt": format_timestamp(message.created),
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
        "suggestedFollowOns": [one.topic for one in findings.follow_ons] if findings else [],
        "totalCustomerCostCents": round_up_cents(view.spent),
        "durationSeconds": max(0, round(lasted)) if lasted is not None else None,
        "createdAt": format_timestamp(view.job.created),
        "completedAt": format_timestamp(view.finished),
    }


def _build_provider_steps(view: JobView) -> list[dict[str, Any]]:
    """One step for each provider of the job, and one for the model that wrote the report."""
    rows = []
    for name in parse_assignment(view.job.args).providers:
        part = build_provider_progress(view, name)
        rows.append(
            {
                "id": build_report_key(name),
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
