"""What the tools of deep research return, with the field names of spec 2."""

from __future__ import annotations

from typing import Any

from citewell.core.values.research import FollowOnTopic, ResearchSource, ValueTable
from citewell.core.values.wire_values import Appendix, Body, LongText, ServiceView, Spine


class StartedResearch(ServiceView):
    """What research returns."""

    thread_id: str
    job_id: str
    status: str
    selected_providers: tuple[str, ...]
    budget_tier: str
    estimated_duration: str
    message: str
    prior_work: Spine[dict[str, Any]] | None = None  # earlier research on a similar question


class StartedFollowUp(ServiceView):
    """What follow_up returns."""

    thread_id: str
    job_id: str
    parent_job_id: str
    query: str
    status: str
    selected_providers: tuple[str, ...]
    budget_tier: str
    message: str


class ResearchProgress(ServiceView):
    """What research_status and research_cancel return."""

    job_id: str
    status: str
    progress: Spine[dict[str, dict[str, Any]]]  # by provider
    providers_complete: int
    providers_total: int
    elapsed_ms: int
    created_at: str
    updated_at: str
    next_step: str
    waiting_for_worker: Spine[dict[str, Any]] | None = None  # since when, and which attempt
    phase: str
    cost_cents: int
    pages_read: int
    claims_found: int
    thread_id: str | None = None
    cancelling: bool | None = None
    error: Spine[dict[str, Any]] | None = None


class ResearchCost(ServiceView):
    total_cents: int
    by_provider: dict[str, int]


class ResearchDuration(ServiceView):
    total_seconds: int
    by_provider: dict[str, int]  # milliseconds


class SourceSummary(ServiceView):
    url: str
    title: str
    domain: str
    type: str
    doi: str | None
    address: str | None = None  # of a library document: the link or file that a person opens


class ClaimRow(ServiceView):
    id: str
    content: LongText
    confidence: float
    confidence_level: str
    basis: str | None = None  # what it rests on, such as "3 sources, 1 official"
    supporting_providers: tuple[str, ...]
    contradicting_providers: tuple[str, ...]
    job_id: str | None = None
    created_at: str | None = None
    flags: tuple[str, ...] | None = None


class SourcedClaim(ClaimRow):
    sources: tuple[SourceSummary, ...]


class PackPassage(ServiceView):
    ref: str
    text: LongText
    offsets: dict[str, int]
    title: str | None = None
    address: str | None = None
    date: str | None = None
    heading: str | None = None


class PackClaim(ServiceView):
    content: LongText
    sources: tuple[str, ...]
    remarks: tuple[str, ...]


class EvidencePack(ServiceView):
    """What an assistant needs to write a report itself."""

    question: str
    parts: tuple[str, ...] | None = None
    instructions: str
    passages: Appendix[tuple[PackPassage, ...]]
    claims: Appendix[tuple[PackClaim, ...]]
    citations: dict[str, str]  # src_N: how to cite it
    missing: tuple[str, ...]
    omitted: dict[str, int] | None = None  # what did not fit


class ResearchResults(ServiceView):
    """What get_results returns."""

    job_id: str
    status: str
    synthesis: Spine[str]
    synthesis_by: str
    source_registry: Body[tuple[ResearchSource, ...]]
    follow_on_suggestions: Spine[tuple[FollowOnTopic, ...]]
    cost: ResearchCost
    duration: ResearchDuration
    value_tables: Body[tuple[ValueTable, ...]] | None = None
    not_found: tuple[str, ...] | None = None
    notes: tuple[str, ...] | None = None
    provider_reports: Appendix[dict[str, LongText]] | None = None
    claims: Appendix[tuple[SourcedClaim, ...]] | None = None
    evidence_pack: EvidencePack | None = None
    trust: str


class ThreadRow(ServiceView):
    id: str
    title: str
    created_at: str
    updated_at: str


class ThreadListing(ServiceView):
    """What list_threads returns."""

    threads: Body[tuple[ThreadRow, ...]]
    count: int
    limit: int
    offset: int


class MessageRow(ServiceView):
    id: str
    role: str
    content: LongText
    cost_cents: int | None
    created_at: str


class ThreadJob(ServiceView):
    id: str
    status: str
    budget_tier: str
    research_mode: str
    query: str
    parent_job_id: str | None
    synthesis_markdown: Spine[str] | None
    suggested_follow_ons: tuple[str, ...]
    total_customer_cost_cents: int
    duration_seconds: int | None
    created_at: str
    completed_at: str | None


class ThreadStep(ServiceView):
    id: str
    provider: str
    status: str
    duration_seconds: int | None


class ThreadAnswer(ThreadRow):
    """What get_thread returns."""

    messages: Appendix[tuple[MessageRow, ...]]
    jobs: Body[tuple[ThreadJob, ...]]  # newest first
    steps: Spine[tuple[ThreadStep, ...]]  # of the newest job
    trust: str


class LedgerRow(ServiceView):
    id: str
    type: str
    amount_cents: int
    description: str
    created_at: str


class BalanceAnswer(ServiceView):
    """What balance returns."""

    balance_cents: int
    balance_dollars: str
    has_payment_method: bool
    unlimited: bool
    reserved_cents: int
    spent_cents: int
    note: str | None = None
    transactions: Body[tuple[LedgerRow, ...]] | None = None


class ProviderUsage(ServiceView):
    provider: str
    total_cost_cents: int
    job_count: int


class JobRow(ServiceView):
    id: str
    thread_id: str | None
    status: str
    budget_tier: str
    query: str
    cost_cents: int
    created_at: str


class UsageAnswer(ServiceView):
    """What usage returns."""

    period: str
    total_spend_cents: int
    total_spend_dollars: str
    provider_breakdown: Spine[tuple[ProviderUsage, ...]]
    recent_jobs: Appendix[tuple[JobRow, ...]]


class ProviderRow(ServiceView):
    name: str
    provider: str
    display_name: str
    is_active: bool
    typical_cost_range: str
    strengths: tuple[str, ...]
    missing: str | None = None  # the settings that would activate it


class TierRow(ServiceView):
    tier: str
    max_cost_cents: int
    max_cost_dollars: str
    default_providers: tuple[str, ...]


class ProviderListing(ServiceView):
    """What list_providers returns."""

    providers: Spine[tuple[ProviderRow, ...]]
    budget_tiers: Spine[tuple[TierRow, ...]]


class ClaimListing(ServiceView):
    """What search_claims returns."""

    claims: Body[tuple[ClaimRow, ...]]
    total: int


class EvidenceRow(ServiceView):
    id: str
    relation: str
    snippet: LongText
    relevance_score: float
    discovered_by_provider: str
    offsets: dict[str, int]
    place: str | None = None  # the headings under which the snippet stands
    judge: str | None = None  # who found the relation: lexical, nli or model:<provider>
    ref: str
    source: SourceSummary | None


class ClaimHistoryRow(ServiceView):
    event_type: str
    actor_type: str
    payload: dict[str, Any]
    created_at: str


class EvidenceAnswer(ServiceView):
    """What get_claim_evidence returns."""

    claim: ClaimRow
    evidence: Body[tuple[EvidenceRow, ...]]
    evidence_count: int
    history: Appendix[tuple[ClaimHistoryRow, ...]] | None = None
    trust: str
