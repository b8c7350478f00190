"""A session as callers see it: whole while short, summarised when long."""

from __future__ import annotations

from typing import Any

from citewell.model.base import UNTRUSTED
from citewell.model.session import FULL, RECENT, Gap, Session, Step
from citewell.services.sessions.patterns import error_patterns, provider_stats


def progress(
    session: Session, *, current: int, mode: str = "auto", warning: str | None = None
) -> dict[str, Any]:
    """The answer to a step."""
    full = mode == "full" or (mode == "auto" and len(session.steps) <= FULL)
    shown: dict[str, Any] = {
        "sessionId": session.id,
        "responseMode": "full" if full else "summary",
        "researchGoal": session.goal,
        "currentStep": current,
        "totalStepsEstimate": session.estimate,
        "isComplete": session.complete,
        "startedAt": session.started,
    }
    if session.completed:
        shown["completedAt"] = session.completed
    if warning:
        shown["warning"] = warning
    if full:
        shown["steps"] = index(session)
    else:
        shown |= {"summary": told(session), "stepIndex": index(session)}
    return shown | _common(session, session.gaps())


def recovery(session: Session) -> dict[str, Any]:
    """Everything a client that lost its context needs to go on."""
    shown: dict[str, Any] = {
        "sessionId": session.id,
        "researchGoal": session.goal,
        "summary": told(session),
        "stepIndex": index(session),
        "totalStepsEstimate": session.estimate,
        "isComplete": session.complete,
        "startedAt": session.started,
    }
    if session.completed:
        shown["completedAt"] = session.completed
    if patterns := error_patterns(session):
        shown["errorPatterns"] = patterns
    if stats := provider_stats(session):
        shown["providerStats"] = stats
    return shown | _common(session, session.open_gaps())


def whole_step(session: Session, step: Step) -> dict[str, Any]:
    named: dict[str, Any] = {
        "stepNumber": step.number,
        "searchStep": step.text,
        "nextStepNeeded": step.next_needed,
        "timestamp": step.at,
        "reasoning": step.reasoning,
        "confidence": step.confidence,
        "rejectedApproaches": list(step.rejected) or None,
        "isRevision": True if step.revises else None,
        "revisesStep": step.revises,
        "supersededBy": session.superseded_by(step.number),
        "branchFromStep": step.branch_from,
        "branchId": step.branch_id,
        "knowledgeGap": step.gap,
        "closesGap": step.closes_gap,
    }
    return {name: value for name, value in named.items() if value is not None}


def index(session: Session) -> list[dict[str, Any]]:
    return [
        {
            "stepNumber": step.number,
            "oneLiner": step.line,
            "branchId": step.branch_id or "",
            "confidence": step.confidence or "",
        }
        | ({"supersededBy": later} if (later := session.superseded_by(step.number)) else {})
        for step in session.steps
    ]


def told(session: Session) -> str:
    """The caller's own summary; without one, the steps in a line."""
    if session.summary:
        return session.summary
    lines = [f"{step.number}. {step.line}" for step in session.steps]
    return f"{len(lines)} steps on {session.goal!r}: " + " ".join(lines[-FULL:])


def _common(session: Session, gaps: tuple[Gap, ...]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "lastSteps": [whole_step(session, step) for step in session.steps[-RECENT:]],
        "trust": UNTRUSTED,
    }
    if gaps:
        shown["gaps"] = [gap.wire() for gap in gaps]
    if session.sources:
        shown["sources"] = [source.wire() for source in session.sources]
    return shown
