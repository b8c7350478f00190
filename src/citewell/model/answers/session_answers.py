"""What the tools of research sessions return, with the field names of spec 1."""

from __future__ import annotations

from typing import Annotated, Any

from citewell.model.wire_values import LongBody, LongText, ServiceView


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
    research_goal: LongText
    current_step: int
    total_steps_estimate: int
    is_complete: bool
    started_at: str
    completed_at: str | None = None
    warning: str | None = None
    steps: tuple[StepLine, ...] | None = None
    summary: LongText | None = None
    step_index: tuple[StepLine, ...] | None = None
    last_steps: tuple[StepView, ...]
    gaps: tuple[GapView, ...] | None = None
    sources: tuple[SourceView, ...] | None = None
    depth: str | None = None
    coverage: dict[str, Any] | None = None
    refinement_queries: tuple[str, ...] | None = None
    refinement_results: tuple[RefinementRun, ...] | None = None
    refinement_note: str | None = None
    trust: str


class SessionRecovery(ServiceView):
    """What get_research_session returns: a whole session, or `step` alone if a step was asked for."""

    session_id: str
    research_goal: LongText | None = None
    summary: LongText | None = None
    step_index: tuple[StepLine, ...] | None = None
    total_steps_estimate: int | None = None
    is_complete: bool | None = None
    started_at: str | None = None
    completed_at: str | None = None
    error_patterns: tuple[dict[str, Any], ...] | None = None
    provider_stats: dict[str, dict[str, int]] | None = None
    last_steps: tuple[StepView, ...] | None = None
    gaps: tuple[GapView, ...] | None = None
    sources: tuple[SourceView, ...] | None = None
    step: StepView | None = None
    trust: str


class ExportAnswer(ServiceView):
    """What research_export returns; `document` is an object in JSON format and a text otherwise."""

    session_id: str | None = None
    job_id: str | None = None
    thread_id: str | None = None
    format: str
    research_goal: LongText
    step_count: int | None = None
    claim_count: int | None = None
    source_count: int
    started_at: str
    exported_at: str
    tenant_id: str
    document: Annotated[Any, LongBody()]
    trust: str


class BibliographyAnswer(ServiceView):
    """What format_bibliography returns."""

    style: str
    entry_count: int
    bibliography: LongText
    session_id: str | None = None
    trust: str
