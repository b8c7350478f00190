"""What the tools of research sessions return, with the field names of spec 1."""

from __future__ import annotations

from typing import Any

from citewell.model.wire_values import Appendix, Body, LongText, ServiceView, Spine


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
