"""Sessions as callers see them: in full while short, summarized when long."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from citewell.core.values.counted_words import pluralize
from citewell.core.values.research_session import (
    MAX_LISTED_STEPS,
    RECENT_STEP_COUNT,
    SOURCE_BASES,
    SOURCE_STAGES,
    KnowledgeGap,
    ResearchSession,
    SessionSource,
    SessionStep,
)
from citewell.core.values.wire_values import (
    UNTRUSTED_LABEL,
    Appendix,
    Body,
    LongText,
    ServiceView,
    Spine,
)
from citewell.text import addresses

MAX_SESSION_SOURCES = 500
_MAX_URL_CHARS = 4096
_MAX_FACT_CHARS = 4000  # of a title or a line of authors

MIN_PATTERN_COUNT = 3  # errors of one kind that make a pattern
_MAX_AFFECTED_URLS = 5
_ADVICE_BY_KIND = {
    "auth_required": "Consider open_access=true or target preprint servers (arxiv, biorxiv).",
    "blocked": "These sites refuse automated reading; look for the same facts elsewhere.",
    "rate_limited": "Wait before the next call, or name another provider.",
    "network": "The network is unsteady; retry later or with fewer pages at once.",
    "content_empty": "These pages hold little text; prefer other results.",
    "browser_unavailable": "Install a browser for pages that need JavaScript, or avoid them.",
    "not_found": "Addresses are outdated; search for the pages again.",
    "upstream_unavailable": "A provider is failing; name another one.",
    "validation": "Check the arguments; the error text names what is wrong.",
}

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


# Repeated errors and provider statistics over the calls of a session.


def find_error_patterns(session: ResearchSession) -> list[dict[str, Any]]:
    failed = [event for event in session.events if event.kind]
    counts = Counter(event.kind for event in failed if event.kind)
    patterns = []
    for kind, count in counts.most_common():
        if count < MIN_PATTERN_COUNT:
            continue
        same = [event for event in failed if event.kind == kind]
        affected = dict.fromkeys(event.url for event in reversed(same) if event.url)
        patterns.append(
            {
                "kind": kind,
                "count": count,
                "affectedUrls": list(affected)[:_MAX_AFFECTED_URLS],
                "suggestion": _ADVICE_BY_KIND.get(
                    kind, "Look at the errors themselves; they say what to do."
                ),
                "lastSeen": same[-1].at,
            }
        )
    return patterns


def count_provider_calls(session: ResearchSession) -> dict[str, dict[str, int]]:
    stats: defaultdict[str, dict[str, int]] = defaultdict(lambda: {"attempts": 0, "successes": 0})
    for event in session.events:
        if event.provider:
            stats[event.provider]["attempts"] += 1
            stats[event.provider]["successes"] += event.kind is None
    return dict(sorted(stats.items()))


# Merges what calls report about one source, and keeps a session's list of sources within its limit.


def add_sources(session: ResearchSession, reported: Iterable[SessionSource]) -> ResearchSession:
    """The session with the sources that a call reported, each page and each registered work once."""
    merged: dict[str, SessionSource] = {}
    works: dict[str, str] = {}  # the DOI of a registered work → the key of its source
    usable = (
        source
        for source in reported
        if len(source.url) <= _MAX_URL_CHARS and addresses.is_web_address(source.url)
    )
    for source in (*session.sources, *usable):
        key = addresses.build_page_key(source.url)
        if source.doi and source.basis == "record":
            key = works.setdefault(source.doi.casefold(), key)
        known = merged.get(key)
        merged[key] = merge_reports(known, source) if known else _cut_long_facts(source)
    return limit_sources(replace(session, sources=tuple(merged.values())))


def merge_reports(known: SessionSource, new: SessionSource) -> SessionSource:
    """One source from two reports: the later stage, and each fact from whoever knows it best."""
    best = max(  # the first of equal ones
        known,
        new,
        key=lambda row: (SOURCE_BASES.index(row.basis), SOURCE_STAGES.index(row.stage)),
    )
    other = known if best is new else new
    return _cut_long_facts(
        replace(
            best,
            url=known.url,
            tool=known.tool or new.tool,
            found_in=known.found_in or new.found_in,
            title=best.title or other.title,
            author=best.author or other.author,
            organisation=best.organisation if best.author else other.organisation,
            site=best.site or other.site,
            date=best.date or other.date,
            doi=best.doi or other.doi,
            stage=max(known.stage, new.stage, key=SOURCE_STAGES.index),
        )
    )


def limit_sources(session: ResearchSession) -> ResearchSession:
    """The session with at most MAX_SESSION_SOURCES; of those only listed, the oldest are dropped first."""
    excess = len(session.sources) - MAX_SESSION_SOURCES
    if excess <= 0:
        return session
    kept = select_best_sources(session.sources, MAX_SESSION_SOURCES)
    return replace(session, sources=kept, dropped_sources=session.dropped_sources + excess)


def select_best_sources(sources: Sequence[SessionSource], most: int) -> tuple[SessionSource, ...]:
    """The `most` sources of the latest stages, the newest of equal ones, in their order."""
    places = sorted(
        range(len(sources)),
        key=lambda place: (SOURCE_STAGES.index(sources[place].stage), place),
    )
    return tuple(sources[place] for place in sorted(places[-most:]))


def _cut_long_facts(source: SessionSource) -> SessionSource:
    if max(len(source.title), len(source.author or "")) <= _MAX_FACT_CHARS:
        return source
    author = source.author and source.author[:_MAX_FACT_CHARS].rpartition(";")[0]
    return replace(source, title=source.title[:_MAX_FACT_CHARS], author=author or None)


# What the tools of research sessions return, with the field names of spec 1.


class StepLine(ServiceView):
    """One step in an index of steps."""

    step_number: int
    one_liner: str
    branch_id: str
    confidence: str
    superseded_by: int | None = None


class StepView(ServiceView):
    """One step in full."""

    step_number: int
    search_step: LongText
    next_step_needed: bool
    timestamp: str
    reasoning: LongText | None = None
    confidence: str | None = None
    rejected_approaches: tuple[str, ...] | None = None
    is_revision: bool | None = None
    revises_step: int | None = None
    superseded_by: int | None = None
    branch_from_step: int | None = None
    branch_id: str | None = None
    knowledge_gap: LongText | None = None
    closes_gap: LongText | None = None


class GapView(ServiceView):
    gap: LongText
    found_in_step: int
    status: str
    closed_in_step: int | None = None


class SourceView(ServiceView):
    url: str
    stage: str  # listed, read, quoted or cited
    title: str | None = None
    tool: str | None = None
    found_in_step: int | None = None
    author: str | None = None
    site: str | None = None
    date: str | None = None
    doi: str | None = None


class RefinementRun(ServiceView):
    """One suggested search that was run, with its results or its error."""

    query: str
    result_count: int | None = None
    results: tuple[dict[str, str], ...] | None = None
    error: str | None = None


class SessionProgress(ServiceView):
    """What sequential_search returns; `steps` in full mode, `summary` and `stepIndex` otherwise."""

    session_id: str
    response_mode: str
    research_goal: Spine[str]
    current_step: int
    total_steps_estimate: int
    is_complete: bool
    started_at: str
    completed_at: str | None = None
    warning: str | None = None
    steps: Body[tuple[StepLine, ...]] | None = None
    summary: LongText | None = None
    step_index: Body[tuple[StepLine, ...]] | None = None
    last_steps: Spine[tuple[StepView, ...]]
    gaps: Body[tuple[GapView, ...]] | None = None
    sources: Appendix[tuple[SourceView, ...]] | None = None
    source_note: str | None = None  # if there are more than are shown
    depth: str | None = None
    coverage: Spine[dict[str, Any]] | None = None
    refinement_queries: tuple[str, ...] | None = None
    refinement_results: Appendix[tuple[RefinementRun, ...]] | None = None
    refinement_note: str | None = None
    trust: str


class SessionRecovery(ServiceView):
    """What get_research_session returns: a whole session, or `step` alone if a step was asked for."""

    session_id: str
    research_goal: Spine[str] | None = None
    summary: LongText | None = None
    step_index: Body[tuple[StepLine, ...]] | None = None
    total_steps_estimate: int | None = None
    is_complete: bool | None = None
    started_at: str | None = None
    completed_at: str | None = None
    error_patterns: Appendix[tuple[dict[str, Any], ...]] | None = None
    provider_stats: Appendix[dict[str, dict[str, int]]] | None = None
    last_steps: Spine[tuple[StepView, ...]] | None = None
    gaps: Body[tuple[GapView, ...]] | None = None
    sources: Body[tuple[SourceView, ...]] | None = None
    source_note: str | None = None  # if there are more than are shown
    step: StepView | None = None
    trust: str


class ExportAnswer(ServiceView):
    """What research_export returns; `document` is an object in JSON format and a text otherwise."""

    session_id: str | None = None
    job_id: str | None = None
    thread_id: str | None = None
    format: str
    research_goal: Spine[str]
    step_count: int | None = None
    claim_count: int | None = None
    source_count: int
    started_at: str
    exported_at: str
    tenant_id: str
    document: Body[Any]
    trust: str


class SkippedSource(ServiceView):
    """A given source that is no entry of its own."""

    source: int  # its place in the list, from 1
    title: str
    reason: str


class BibliographyAnswer(ServiceView):
    """What format_bibliography returns."""

    style: str
    entry_count: int
    bibliography: LongText
    skipped: Spine[tuple[SkippedSource, ...]] | None = None
    session_id: str | None = None
    note: str | None = None  # which sources of the session were left out, and what to do
    trust: str
