"""Jobs, reports, threads and claims in spec 2's words; keys are added to them and never renamed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from citewell.model.base import UNTRUSTED
from citewell.model.job import Event, JobView, Step, StepState
from citewell.model.research import Claim, Evidence, Findings, Source, Status
from citewell.model.thread import Message, Thread
from citewell.services.research.accounts import cents, stamp
from citewell.services.research.asking import Assignment, assignment
from citewell.services.research.choosing import LOCAL
from citewell.store.research import Supported
from citewell.store.research_rows import ClaimEvent

_DISPATCHED = "dispatched"
_STATES = {
    StepState.INTENT: "running",
    StepState.SUBMITTED: "running",
    StepState.DONE: "completed",
    StepState.FAILED: "failed",
    StepState.CANCELLED: "cancelled",
    StepState.UNCERTAIN: "uncertain",
}
_SLOW = {"L": "5-30 minutes", "XL": "10-60 minutes"}
_LOCAL_PARTS = "local:"


def report_key(provider: str) -> str:
    """The step under which a provider's report is kept."""
    return f"report:{provider}"


def started(view: JobView, work: Assignment, *, thread: str) -> dict[str, Any]:
    return {
        "threadId": thread,
        "jobId": view.job.id,
        "status": _DISPATCHED,
        "selectedProviders": list(work.providers),
        "budgetTier": work.tier,
        "estimatedDuration": _duration(work),
        "message": "Research dispatched. Use research_status to check progress, then get_results when complete.",
    }


def followed(view: JobView, work: Assignment, *, thread: str) -> dict[str, Any]:
    return {
        "threadId": thread,
        "jobId": view.job.id,
        "parentJobId": work.parent,
        "query": work.query,
        "status": _DISPATCHED,
        "selectedProviders": list(work.providers),
        "budgetTier": work.tier,
        "message": "Follow-up research dispatched. Use research_status to check progress.",
    }


def _duration(work: Assignment) -> str:
    if work.mode == "fast" or work.providers == (LOCAL,):
        return "10-30 seconds"
    return _SLOW.get(work.tier, "2-5 minutes")


def status(view: JobView, events: Iterable[Event] = (), *, now: float) -> dict[str, Any]:
    names = assignment(view.job.args).providers
    progress = {name: _progress(view, name) for name in names}
    done = sum(1 for part in progress.values() if part["status"] not in {"pending", "running"})
    end = view.finished if view.finished is not None else now
    shown: dict[str, Any] = {
        "jobId": view.job.id,
        "status": view.status.value,
        "progress": progress,
        "providersComplete": done,
        "providersTotal": len(names),
        "elapsedMs": max(0, round(1000 * (end - view.job.created))),
        "createdAt": stamp(view.job.created),
        "updatedAt": stamp(_updated(view)),
        "nextStep": next_step(view),
        "phase": _phase(view),
        "costCents": cents(view.spent),
        **_counts(events),
        "threadId": view.job.thread,
        "cancelling": True if view.cancelling and not view.status.final else None,
        "error": dict(view.error) if view.error else None,
    }
    return {name: value for name, value in shown.items() if value is not None}


def _updated(view: JobView) -> float:
    """When it last came farther."""
    times = [view.job.created, view.started, view.finished]
    times += [time for step in view.steps for time in (step.started, step.finished)]
    return max(time for time in times if time is not None)


def _counts(events: Iterable[Event]) -> dict[str, int]:
    """How many pages were read and claims made, as the job's log tells it."""
    counts = {"pagesRead": 0, "claimsFound": 0}
    for event in events:
        if event.type == "pages_read":
            counts["pagesRead"] += int(event.payload.get("count", 0))
        elif event.type == "claims_made":
            counts["claimsFound"] = int(event.payload.get("count", 0))
    return counts


def milestone(view: JobView) -> tuple[str, ...]:
    """What a waiting caller wants to hear of: the job's status and each provider's."""
    names = assignment(view.job.args).providers
    return (view.status.value, *(_progress(view, name)["status"] for name in names))


def news(view: JobView, events: Iterable[Event]) -> str:
    counts = _counts(events)
    read, claims = counts["pagesRead"], counts["claimsFound"]
    return f"{next_step(view)} Pages read: {read}; claims: {claims}."


def next_step(view: JobView) -> str:
    if view.status is Status.COMPLETED:
        return "Research is complete. Call get_results."
    if view.status is Status.FAILED:
        return "Research failed; the error says why. get_results has whatever was written before."
    if view.status is Status.CANCELLED:
        return "Research was cancelled. get_results has whatever was paid for."
    if view.cancelling:
        return "Cancelling: waiting for the providers to stop."
    names = assignment(view.job.args).providers
    done = sum(1 for name in names if _progress(view, name)["status"] not in {"pending", "running"})
    if done < len(names):
        return f"{done}/{len(names)} providers complete. Waiting for remaining providers."
    return "All providers are complete. Checking citations and writing the synthesis."


def _phase(view: JobView) -> str:
    """The last step begun, in a word."""
    if view.status.final:
        return view.status.value
    if view.status is Status.SYNTHESIZING:
        return "synthesis"
    begun = [step.key for step in view.steps]
    for word in ("claims", "check"):
        if any(key.startswith(word) for key in begun):
            return word
    return "research" if begun else "queued"


def _progress(view: JobView, name: str) -> dict[str, Any]:
    report = view.step(report_key(name))
    parts = [step for step in view.steps if step.key.startswith(_LOCAL_PARTS)]
    begun = report or (parts[0] if name == LOCAL and parts else None)
    if begun is None:
        return {"status": "cancelled" if view.status.final else "pending"}
    first = parts[0] if name == LOCAL and parts else begun
    shown: dict[str, Any] = {
        "status": _STATES[report.state] if report else "running",
        "startedAt": stamp(first.started),
        "costCents": cents(report.cost) if report and report.cost else None,
        "error": dict(report.error) if report and report.error else None,
    }
    if report is not None and report.finished is not None:
        shown["durationSeconds"] = max(0, round(report.finished - first.started))
    return {key: value for key, value in shown.items() if value is not None}


def results(view: JobView, findings: Findings) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "jobId": view.job.id,
        "status": view.status.value,
        "synthesis": findings.synthesis,
        "synthesisBy": findings.synthesis_by,
        "sourceRegistry": [_source(source) for source in findings.sources],
        "followOnSuggestions": [one.wire() for one in findings.follow_ons],
        "valueTables": [table.wire() for table in findings.value_tables] or None,
        "notFound": list(findings.not_found) or None,
        "notes": list(findings.notes) or None,
        **_account(view),
        "trust": UNTRUSTED,
    }
    return {name: value for name, value in shown.items() if value is not None}


def cut_short(view: JobView, written: Mapping[str, str]) -> dict[str, Any]:
    """A job that did not end well, with the reports that were paid for."""
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
        **_account(view),
        "trust": UNTRUSTED,
    }


def _account(view: JobView) -> dict[str, Any]:
    work = assignment(view.job.args)
    times = {name: _milliseconds(view, name) for name in work.providers}
    paid: Counter[str] = Counter()  # one that writes the synthesis too is paid twice
    for step in view.steps:
        if step.provider and step.cost:
            paid[step.provider] += step.cost
    end = view.finished or view.job.created
    return {
        "cost": {
            "totalCents": cents(view.spent),
            "byProvider": {name: cents(ticks) for name, ticks in paid.items()},
        },
        "duration": {
            "totalSeconds": max(0, round(end - view.job.created)),
            "byProvider": {name: time for name, time in times.items() if time is not None},
        },
    }


def _milliseconds(view: JobView, name: str) -> int | None:
    report = view.step(report_key(name))
    if report is None or report.finished is None:
        return None
    first = next(
        (s for s in view.steps if name == LOCAL and s.key.startswith(_LOCAL_PARTS)), report
    )
    return max(0, round(1000 * (report.finished - first.started)))


def _source(source: Source) -> dict[str, Any]:
    return source.wire()


def claims(findings: Findings) -> list[dict[str, Any]]:
    """Every claim with the sources behind it and what each of them says."""
    known = {source.ref: source for source in findings.sources}
    relations: dict[str, dict[str, str]] = {}
    for item in findings.evidence:
        relations.setdefault(item.claim_id, {}).setdefault(item.source, item.relation.value)
    rows = []
    for one in findings.claims:
        said = relations.get(one.id, {})
        rows.append(
            {
                **one.wire(),
                "sources": [
                    {**_brief(known[ref]), "ref": ref, "relation": said.get(ref, "mentions")}
                    for ref in one.sources
                    if ref in known
                ],
            }
        )
    return rows


def claim(one: Claim) -> dict[str, Any]:
    return {
        "id": one.id,
        "content": one.content,
        "confidence": one.confidence,
        "confidenceLevel": one.confidence_level,
        "supportingProviders": list(one.supporting_providers),
        "contradictingProviders": list(one.contradicting_providers),
        "jobId": one.job_id,
        "createdAt": one.created_at,
        "flags": list(one.flags),
    }


def evidence(held: Supported) -> dict[str, Any]:
    shown = claim(held.claim)
    known = held.sources
    return {
        "claim": shown,
        "evidence": [_evidence(item, known.get(item.source)) for item in held.evidence],
        "evidenceCount": len(held.evidence),
        "trust": UNTRUSTED,
    }


def _evidence(item: Evidence, source: Source | None) -> dict[str, Any]:
    return {
        "id": item.id,
        "relation": item.relation.value,
        "snippet": item.snippet,
        "relevanceScore": item.relevance_score,
        "discoveredByProvider": item.discovered_by_provider,
        "offsets": {"start": item.start, "end": item.end},
        "ref": item.source,
        "source": _brief(source) if source else None,
    }


def _brief(source: Source) -> dict[str, Any]:
    return {
        "url": source.url,
        "title": source.title,
        "domain": source.domain,
        "type": source.type,
        "doi": source.doi,
    }


def claim_event(event: ClaimEvent) -> dict[str, Any]:
    return {
        "eventType": event.type,
        "actorType": event.actor,
        "payload": dict(event.payload),
        "createdAt": stamp(event.happened),
    }


def thread_row(thread: Thread) -> dict[str, Any]:
    return {
        "id": thread.id,
        "title": thread.title,
        "createdAt": stamp(thread.created),
        "updatedAt": stamp(thread.updated),
    }


def thread(
    held: Thread,
    messages: Iterable[Message],
    views: Iterable[JobView],
    findings: Mapping[str, Findings | None],
) -> dict[str, Any]:
    newest_first = list(views)
    return {
        **thread_row(held),
        "messages": [_message(message) for message in messages],
        "jobs": [_job(view, findings.get(view.job.id)) for view in newest_first],
        "steps": [_step(step) for step in newest_first[0].steps] if newest_first else [],
        "trust": UNTRUSTED,
    }


def _message(message: Message) -> dict[str, Any]:
    return {
        "id": message.id,
        "role": message.role,
        "content": message.content,
        "costCents": cents(message.cost) if message.cost is not None else None,
        "createdAt": stamp(message.created),
    }


def _job(view: JobView, findings: Findings | None) -> dict[str, Any]:
    work = assignment(view.job.args)
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
        "totalCustomerCostCents": cents(view.spent),
        "durationSeconds": max(0, round(lasted)) if lasted is not None else None,
        "createdAt": stamp(view.job.created),
        "completedAt": stamp(view.finished),
    }


def _step(step: Step) -> dict[str, Any]:
    lasted = step.finished - step.started if step.finished is not None else None
    return {
        "id": step.key,
        "provider": step.provider or LOCAL,
        "status": _STATES[step.state],
        "durationSeconds": max(0, round(lasted)) if lasted is not None else None,
    }
