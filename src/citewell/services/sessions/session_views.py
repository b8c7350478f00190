"""Sessions as callers see them: in full while short, summarized when long."""

from __future__ import annotations

from typing import Any

from citewell.model.counted_words import pluralize
from citewell.model.research_session import (
    MAX_LISTED_STEPS,
    RECENT_STEP_COUNT,
    KnowledgeGap,
    ResearchSession,
    SessionStep,
)
from citewell.model.wire_values import UNTRUSTED_LABEL
from citewell.services.sessions.session_patterns import count_provider_calls, find_error_patterns
from citewell.services.sessions.source_records import select_best_sources

MAX_SHOWN_SOURCES = 100  # in an answer


def build_progress_view(
    session: ResearchSession, *, current: int, mode: str = "auto", warning: str | None = None
) -> dict[str, Any]:
    """The answer to a step."""
    full = mode == "full" or (mode == "auto" and len(session.steps) <= MAX_LISTED_STEPS)
    shown: dict[str, Any] = {
        "sessionId": session.id,
        "responseMode": "full" if full else "summary",
        "researchGoal": session.goal,
        "currentStep": current,
        "totalStepsEstimate": session.estimated_steps,
        "isComplete": session.is_complete,
        "startedAt": session.started,
    }
    if session.completed_at:
        shown["completedAt"] = session.completed_at
    if warning:
        shown["warning"] = warning
    if full:
        shown["steps"] = build_step_index(session)
    else:
        shown |= {"summary": summarize_session(session), "stepIndex": build_step_index(session)}
    return shown | _build_common_fields(session, session.list_gaps())


def build_recovery_view(session: ResearchSession) -> dict[str, Any]:
    """What a client that lost its context needs to continue."""
    shown: dict[str, Any] = {
        "sessionId": session.id,
        "researchGoal": session.goal,
        "summary": summarize_session(session),
        "stepIndex": build_step_index(session),
        "totalStepsEstimate": session.estimated_steps,
        "isComplete": session.is_complete,
        "startedAt": session.started,
    }
    if session.completed_at:
        shown["completedAt"] = session.completed_at
    if patterns := find_error_patterns(session):
        shown["errorPatterns"] = patterns
    if stats := count_provider_calls(session):
        shown["providerStats"] = stats
    return shown | _build_common_fields(session, session.list_open_gaps())


def build_step_view(session: ResearchSession, step: SessionStep) -> dict[str, Any]:
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
        "supersededBy": session.find_superseding_step(step.number),
        "branchFromStep": step.branch_from,
        "branchId": step.branch_id,
        "knowledgeGap": step.gap,
        "closesGap": step.closes_gap,
    }
    return {name: value for name, value in named.items() if value is not None}


def build_step_index(session: ResearchSession) -> list[dict[str, Any]]:
    return [
        {
            "stepNumber": step.number,
            "oneLiner": step.index_line,
            "branchId": step.branch_id or "",
            "confidence": step.confidence or "",
        }
        | ({"supersededBy": later} if (later := session.find_superseding_step(step.number)) else {})
        for step in session.steps
    ]


def summarize_session(session: ResearchSession) -> str:
    """The caller's own summary or, without one, the latest steps in one line."""
    if session.summary:
        return session.summary
    lines = [f"{step.number}. {step.index_line}" for step in session.steps]
    return f"{len(lines)} {pluralize(len(lines), 'step')} on {session.goal!r}: " + " ".join(
        lines[-MAX_LISTED_STEPS:]
    )


def _build_common_fields(
    session: ResearchSession, gaps: tuple[KnowledgeGap, ...]
) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "lastSteps": [
            build_step_view(session, step) for step in session.steps[-RECENT_STEP_COUNT:]
        ],
        "trust": UNTRUSTED_LABEL,
    }
    if gaps:
        shown["gaps"] = [gap.to_wire() for gap in gaps]
    if session.sources:
        listed = select_best_sources(session.sources, MAX_SHOWN_SOURCES)
        shown["sources"] = [source.to_wire() for source in listed]
    if note := _describe_hidden_sources(session):
        shown["sourceNote"] = note
    return shown


def _describe_hidden_sources(session: ResearchSession) -> str | None:
    kept, dropped = len(session.sources), session.dropped_sources
    if kept <= MAX_SHOWN_SOURCES:
        return None
    note = f"{MAX_SHOWN_SOURCES} of {kept} {pluralize(kept, 'source')} are shown, first those that were read; research_export has all."
    return note + (f" {dropped} that were only listed were dropped." if dropped else "")
