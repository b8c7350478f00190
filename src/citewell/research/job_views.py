"""Jobs, reports, threads and claims in the form callers receive; keys may be added, not renamed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import (
    ClaimEvidence,
    ResearchClaim,
    ResearchFindings,
    ResearchSource,
    ResearchStatus,
)
from citewell.core.values.wire_values import UNTRUSTED_LABEL
from citewell.jobs.durable_job import JobEvent, JobStepState, JobView
from citewell.jobs.step_values import (
    DRAFT_CHECK_KIND,
    LOCAL_PROVIDER,
    SINGLE_CALL_KIND,
    ResearchAssignment,
    parse_assignment,
)
from citewell.jobs.store.ledger_rows import round_up_cents
from citewell.research.research_rows import ClaimEvent
from citewell.research.research_store import ClaimWithEvidence

_DISPATCHED_STATUS = "dispatched"
STEP_STATUS_WORDS = {
    JobStepState.INTENT: "running",
    JobStepState.SUBMITTED: "running",
    JobStepState.DONE: "completed",
    JobStepState.FAILED: "failed",
    JobStepState.CANCELLED: "cancelled",
    JobStepState.UNCERTAIN: "uncertain",
}
_TIER_DURATIONS = {"L": "5-30 minutes", "XL": "10-60 minutes"}
_LOCAL_STEP_PREFIX = "local:"


def build_report_key(provider: str) -> str:
    """The key of the step that stores a provider's report."""
    return f"report:{provider}"


def build_started_view(view: JobView, work: ResearchAssignment, *, thread: str) -> dict[str, Any]:
    is_short = work.mode == "fast" or work.providers == (LOCAL_PROVIDER,)
    duration = "10-30 seconds" if is_short else _TIER_DURATIONS.get(work.tier, "2-5 minutes")
    return {
        "threadId": thread,
        "jobId": view.job.id,
        "status": _DISPATCHED_STATUS,
        "selectedProviders": list(work.providers),
        "budgetTier": work.tier,
        "estimatedDuration": duration,
        "message": "Research dispatched. Use research_status to check progress, then get_results when complete.",
    }


def build_follow_up_view(view: JobView, work: ResearchAssignment, *, thread: str) -> dict[str, Any]:
    read_as = f", read as “{work.researched}”" if work.researched else ""
    return {
        "threadId": thread,
        "jobId": view.job.id,
        "parentJobId": work.parent,
        "query": work.query,
        "status": _DISPATCHED_STATUS,
        "selectedProviders": list(work.providers),
        "budgetTier": work.tier,
        "message": f"Follow-up research dispatched{read_as}. Use research_status to check progress.",
    }


def build_status_view(
    view: JobView, events: Iterable[JobEvent] = (), *, now: float
) -> dict[str, Any]:
    names = parse_assignment(view.job.args).providers
    progress = {name: build_provider_progress(view, name) for name in names}
    done = sum(1 for part in progress.values() if part["status"] not in {"pending", "running"})
    end = view.finished if view.finished is not None else now
    times = [view.job.created, view.started, view.finished]
    times += [time for step in view.steps for time in (step.started, step.finished)]
    lost = view.worker_lost_at
    shown: dict[str, Any] = {
        "jobId": view.job.id,
        "status": view.status.value,
        "progress": progress,
        "providersComplete": done,
        "providersTotal": len(names),
        "elapsedMs": max(0, round(1000 * (end - view.job.created))),
        "createdAt": format_timestamp(view.job.created),
        "updatedAt": format_timestamp(max(time for time in times if time is not None)),
        "nextStep": describe_next_step(view),
        "waitingForWorker": None
        if lost is None
        else {"since": format_timestamp(lost), "attempt": view.attempts + 1},
        "phase": _choose_phase(view),
        "costCents": round_up_cents(view.spent),
        **_count_progress_events(events),
        "threadId": view.job.thread,
        "cancelling": True if view.cancelling and not view.status.is_final else None,
        "error": dict(view.error) if view.error else None,
    }
    return {name: value for name, value in shown.items() if value is not None}


def _count_progress_events(events: Iterable[JobEvent]) -> dict[str, int]:
    """The number of pages read and claims found so far, from the job's log."""
    counts = {"pagesRead": 0, "claimsFound": 0}
    for event in events:
        if event.type == "pages_read":
            counts["pagesRead"] += int(event.payload.get("count", 0))
        elif event.type == "claims_made":
            counts["claimsFound"] = int(event.payload.get("count", 0))
    return counts


_OTHER_KINDS = {  # of jobs that are no research
    SINGLE_CALL_KIND: "This is one paid call of a tool; what it returned went to its caller.",
    DRAFT_CHECK_KIND: "This is the check of a draft; whoever started it gets its report as a task.",
}


def list_milestones(view: JobView) -> tuple[str, ...]:
    """The status of the job, its worker and each provider; a waiting caller is told when one changes."""
    names = parse_assignment(view.job.args).providers
    worker = "lost" if view.is_worker_lost else "alive"
    states = (build_provider_progress(view, name)["status"] for name in names)
    return (view.status.value, worker, *states)


def describe_progress(view: JobView, events: Iterable[JobEvent]) -> str:
    counts = _count_progress_events(events)
    read, claims = counts["pagesRead"], counts["claimsFound"]
    return f"{describe_next_step(view)} Pages read: {read}; claims: {claims}."


def describe_next_step(view: JobView) -> str:
    if view.job.kind in _OTHER_KINDS:
        return _OTHER_KINDS[view.job.kind]
    if view.status is ResearchStatus.COMPLETED:
        return "Research is complete. Call get_results."
    if view.status is ResearchStatus.FAILED:
        return "Research failed; the error says why. get_results has whatever was written before."
    if view.status is ResearchStatus.CANCELLED:
        return "Research was cancelled. get_results has whatever was paid for."
    if view.worker_lost_at is not None:
        return (
            "The process that ran this job has not been heard of since"
            f" {format_timestamp(view.worker_lost_at)}. Another one will continue it where it"
            f" stopped (attempt {view.attempts + 1})."
        )
    if view.cancelling:
        return "Cancelling: waiting for the providers to stop."
    names = parse_assignment(view.job.args).providers
    done = sum(
        1
        for name in names
        if build_provider_progress(view, name)["status"] not in {"pending", "running"}
    )
    if done < len(names):
        return f"{done}/{len(names)} {pluralize(len(names), 'provider')} complete. Waiting for remaining providers."
    return "All providers are complete. Checking citations and writing the synthesis."


def _choose_phase(view: JobView) -> str:
    """One word for the stage that the job has reached."""
    if view.status.is_final:
        return view.status.value
    if view.status is ResearchStatus.SYNTHESIZING:
        return "synthesis"
    begun = [step.key for step in view.steps]
    for word in ("claims", "judge", "check"):
        if any(key.startswith(word) for key in begun):
            return word
    return "research" if begun else "queued"


def build_provider_progress(view: JobView, name: str) -> dict[str, Any]:
    """How far one provider's part of the job is: its status, times, cost and error."""
    report = view.find_step(build_report_key(name))
    parts = [step for step in view.steps if step.key.startswith(_LOCAL_STEP_PREFIX)]
    begun = report or (parts[0] if name == LOCAL_PROVIDER and parts else None)
    if begun is None:
        return {"status": "cancelled" if view.status.is_final else "pending"}
    first = parts[0] if name == LOCAL_PROVIDER and parts else begun
    shown: dict[str, Any] = {
        "status": STEP_STATUS_WORDS[report.state] if report else "running",
        "startedAt": format_timestamp(first.started),
        "costCents": view.provider_cents.get(name),
        "error": dict(report.error) if report and report.error else None,
    }
    if report is not None and report.finished is not None:
        shown["durationSeconds"] = max(0, round(report.finished - first.started))
    return {key: value for key, value in shown.items() if value is not None}


def build_results_view(view: JobView, findings: ResearchFindings) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "jobId": view.job.id,
        "status": view.status.value,
        "synthesis": findings.synthesis,
        "synthesisBy": findings.synthesis_by,
        "sourceRegistry": [source.to_wire() for source in findings.sources],
        "followOnSuggestions": [item.to_wire() for item in findings.follow_ons],
        "valueTables": [table.to_wire() for table in findings.value_tables] or None,
        "notFound": list(findings.not_found) or None,
        "notes": list(findings.notes) or None,
        **_build_cost_view(view),
        "trust": UNTRUSTED_LABEL,
    }
    return {name: value for name, value in shown.items() if value is not None}


def build_partial_view(view: JobView, written: Mapping[str, str]) -> dict[str, Any]:
    """A failed or cancelled job with the reports that were written before."""
    parts = [f"## {name}\n\n{text}" for name, text in written.items()]
    head = f"# Partial results\n\nThe job ended as {view.status.value}; nothing below was checked."
    return {
        "jobId": view.job.id,
        "status": view.status.value,
        "synthesis": "\n\n".join([head, *parts]),
        "synthesisBy": "none",
        "sourceRegistry": [],
        "followOnSuggestions": [],
        "providerReports": dict(written),
        **_build_cost_view(view),
        "trust": UNTRUSTED_LABEL,
    }


def _build_cost_view(view: JobView) -> dict[str, Any]:
    work = parse_assignment(view.job.args)
    times = {name: _measure_provider_time(view, name) for name in work.providers}
    end = view.finished or view.job.created
    return {
        "cost": {"totalCents": round_up_cents(view.spent), "byProvider": dict(view.provider_cents)},
        "duration": {
            "totalSeconds": max(0, round(end - view.job.created)),
            "byProvider": {name: time for name, time in times.items() if time is not None},
        },
    }


def _measure_provider_time(view: JobView, name: str) -> int | None:
    report = view.find_step(build_report_key(name))
    if report is None or report.finished is None:
        return None
    first = next(
        (s for s in view.steps if name == LOCAL_PROVIDER and s.key.startswith(_LOCAL_STEP_PREFIX)),
        report,
    )
    return max(0, round(1000 * (report.finished - first.started)))


def build_claim_views(findings: ResearchFindings) -> list[dict[str, Any]]:
    """Every claim with its sources and the relation of each source to it."""
    known = {source.ref: source for source in findings.sources}
    relations: dict[str, dict[str, str]] = {}
    for item in findings.evidence:
        relations.setdefault(item.claim_id, {}).setdefault(item.source, item.relation.value)
    rows = []
    for claim in findings.claims:
        relation_of = relations.get(claim.id, {})
        rows.append(
            {
                **claim.to_wire(),
                "createdAt": _trim_to_seconds(claim.created_at),
                "sources": [
                    {
                        **_build_source_summary(known[ref]),
                        "ref": ref,
                        "relation": relation_of.get(ref, "mentions"),
                    }
                    for ref in claim.sources
                    if ref in known
                ],
            }
        )
    return rows


def build_claim_view(claim: ResearchClaim) -> dict[str, Any]:
    return {
        "id": claim.id,
        "content": claim.content,
        "confidence": claim.confidence,
        "confidenceLevel": claim.confidence_level,
        "basis": claim.basis or None,
        "supportingProviders": list(claim.supporting_providers),
        "contradictingProviders": list(claim.contradicting_providers),
        "jobId": claim.job_id,
        "createdAt": _trim_to_seconds(claim.created_at),
        "flags": list(claim.flags),
    }


def _trim_to_seconds(stamp: str | None) -> str | None:
    """A stored time without its parts of a second, as all other times are written."""
    return f"{stamp[:19]}Z" if stamp else None


def build_evidence_view(held: ClaimWithEvidence) -> dict[str, Any]:
    shown = build_claim_view(held.claim)
    known = held.sources
    return {
        "claim": shown,
        "evidence": [_build_evidence_row(item, known.get(item.source)) for item in held.evidence],
        "evidenceCount": len(held.evidence),
        "trust": UNTRUSTED_LABEL,
    }


def _build_evidence_row(item: ClaimEvidence, source: ResearchSource | None) -> dict[str, Any]:
    return {
        "id": item.id,
        "relation": item.relation.value,
        "snippet": item.snippet,
        "relevanceScore": item.relevance_score,
        "discoveredByProvider": item.discovered_by_provider,
        "offsets": {"start": item.start, "end": item.end},
        **({"place": item.place} if item.place else {}),
        **({"judge": item.judge} if item.judge else {}),
        "ref": item.source,
        "source": _build_source_summary(source) if source else None,
    }


def _build_source_summary(source: ResearchSource) -> dict[str, Any]:
    return {
        "url": source.url,
        "title": source.title,
        "domain": source.domain,
        "type": source.type,
        "doi": source.doi,
        **({"address": source.address} if source.address else {}),
    }


def build_claim_event_view(event: ClaimEvent) -> dict[str, Any]:
    return {
        "eventType": event.type,
        "actorType": event.actor,
        "payload": dict(event.payload),
        "createdAt": format_timestamp(event.happened),
    }


def format_timestamp(seconds: float | None) -> str | None:
    """Seconds since the epoch as an ISO 8601 time in UTC."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
