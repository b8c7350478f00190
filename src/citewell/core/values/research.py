"""Deep research: requests to providers, their reports, and the findings of a job."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field

from citewell.core.values.argument_types import BudgetTier
from citewell.core.values.wire_values import LongText, WireValue

TICKS_PER_CENT = (
    100_000_000  # one tick is 1e-10 US dollars, the smallest unit any provider bills in
)


class ResearchStatus(StrEnum):
    """The status of a job, or of one provider's part of it."""

    PENDING = "pending"
    RUNNING = "running"
    SYNTHESIZING = "synthesizing"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNCERTAIN = "uncertain"  # sent, response lost: perhaps charged, never sent again

    @property
    def is_final(self) -> bool:
        return self in {
            ResearchStatus.COMPLETED,
            ResearchStatus.FAILED,
            ResearchStatus.CANCELLED,
            ResearchStatus.UNCERTAIN,
        }


class ClaimRelation(StrEnum):
    """How a snippet relates to a claim."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    MENTIONS = "mentions"
    QUALIFIES = "qualifies"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchTier:
    """The limits of a job: its price cap, and how much the local research engine searches and reads."""

    name: BudgetTier
    cap_cents: int
    providers: int  # paid providers used if the caller named none
    queries: int
    pages: int
    rounds: int
    effort: str  # reasoning effort for providers: low, medium, high, xhigh


RESEARCH_TIERS: dict[str, ResearchTier] = {
    tier.name: tier
    for tier in (
        ResearchTier(name="XXS", cap_cents=100, providers=1, queries=2, pages=5, rounds=1, effort="low"),
        ResearchTier(name="XS", cap_cents=200, providers=1, queries=3, pages=8, rounds=1, effort="low"),
        ResearchTier(name="S", cap_cents=500, providers=1, queries=4, pages=16, rounds=2, effort="medium"),
        ResearchTier(name="M", cap_cents=1500, providers=2, queries=6, pages=20, rounds=2, effort="medium"),
        ResearchTier(name="L", cap_cents=3000, providers=3, queries=8, pages=40, rounds=2, effort="high"),
        ResearchTier(name="XL", cap_cents=6000, providers=99, queries=12, pages=60, rounds=3, effort="xhigh"),
    )
}  # fmt: skip


class ReportCitation(WireValue):
    """One citation in a provider's report; `start` and `end` are character offsets in the text."""

    url: str
    title: str = ""
    start: int | None = None
    end: int | None = None
    quote: str = ""  # the text of the page, as quoted by the provider


class ConsultedPage(WireValue):
    """A page that the provider read, whether it cited it or not."""

    url: str
    title: str = ""
    snippet: str = ""
    published: str = ""


class ProviderUsage(WireValue):
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    searches: int = 0
    fetches: int = 0


class ProviderReport(WireValue):
    """One provider's report, as stored in the job."""

    provider: str
    model: str = ""
    text: str  # markdown
    citations: tuple[ReportCitation, ...] = ()
    consulted: tuple[ConsultedPage, ...] = ()
    usage: ProviderUsage = Field(default_factory=ProviderUsage)
    cost_ticks: int = 0
    cost_basis: str = "none"  # where the cost is from: provider, prices, table or none
    partial: bool = False  # ended early: budget, time or a lost connection
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingPassage:
    """A passage from our own search, given to a model that cannot search."""

    number: int
    url: str
    title: str
    text: str
    heading: str = ""  # under which it stands
    published: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchRequest:
    """One request to one research provider."""

    query: str
    tier: ResearchTier
    tag: str  # identical for all attempts of this call; sent as idempotency key and metadata
    context: str = ""  # what is already known, or what is missing
    passages: tuple[GroundingPassage, ...] = ()
    cap_ticks: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingRequest:
    """A request to a model to write a text from our material, without tools."""

    instructions: str
    material: str
    tag: str
    max_tokens: int = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitOutcome:
    """What a submit returned: a reference to poll, or the report itself."""

    ref: str | None = None
    report: ProviderReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PollOutcome:
    status: ResearchStatus
    report: ProviderReport | None = None  # if completed; sometimes if it ended early
    error: str | None = None
    error_kind: str | None = None
    note: str = ""  # what the run is doing now


class ResearchSource(WireValue):
    """A source of a job, cited as [src_N]."""

    ref: str  # src_1
    url: str
    title: str = ""
    domain: str = ""
    type: str = "article"  # what kind it is: see source_kinds.name_source_type
    doi: str | None = None
    published: str | None = None
    retrieved_at: str | None = None
    sha256: str | None = None
    state: str = "read"  # read, unreachable, refused, dead, gone, probably_never_existed, unchecked
    reputation: str | None = None
    archived_url: str | None = None
    copy_of: str | None = None  # ref of the source that this one duplicates
    providers: tuple[str, ...] = ()  # the providers that cited or found it
    is_private: bool = False  # from the user's library
    address: str | None = None  # of a library document: the link or file that a person opens


class ClaimEvidence(WireValue):
    """A verbatim snippet of a source, with its character offsets in the source's text."""

    id: str
    claim_id: str
    relation: ClaimRelation
    snippet: str
    start: int
    end: int
    relevance_score: float  # 0 to 1
    discovered_by_provider: str
    source: str  # src_N
    place: str = ""  # the headings under which it stands
    judge: str = ""  # who found the relation: lexical, nli or model:<provider>


class ValueRow(WireValue):
    """One source's value in a table of differing values."""

    value: str
    source: str
    date: str | None = None
    snippet: LongText = ""


class ValueTable(WireValue):
    subject: str
    unit: str = ""
    rows: tuple[ValueRow, ...]


class ResearchClaim(WireValue):
    id: str
    content: str
    confidence: float
    confidence_level: str  # high, medium, low
    basis: str = ""  # what it rests on, such as "3 sources, 1 official"
    type: str = "categorical_statement"
    cluster_subject: str | None = None
    facet: str | None = None
    supporting_providers: tuple[str, ...] = ()
    contradicting_providers: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # src_N
    flags: tuple[
        str, ...
    ] = ()  # unsupported, number_not_found, unreachable, dead, gone, probably_never_existed, single_source, contradicted …
    job_id: str | None = None
    created_at: str | None = None


class EvidencePassage(WireValue):
    """A passage of a source for a writer, without markup; the offsets refer to the source's text."""

    ref: str  # src_N
    heading: str = ""
    text: LongText
    start: int
    end: int


class FollowOnTopic(WireValue):
    topic: str
    rationale: str


class ResearchFindings(WireValue):
    """Everything a finished job found; the report is written from this alone."""

    query: str
    synthesis: str  # markdown with [src_N]
    synthesis_by: str  # extractive, or the model's name
    sources: tuple[ResearchSource, ...] = ()
    claims: tuple[ResearchClaim, ...] = ()
    evidence: tuple[ClaimEvidence, ...] = ()
    value_tables: tuple[ValueTable, ...] = ()
    follow_ons: tuple[FollowOnTopic, ...] = ()
    not_found: tuple[str, ...] = ()  # facets for which nothing was found
    parts: tuple[str, ...] = ()  # of the question; jobs stored by older versions have none
    passages: tuple[EvidencePassage, ...] = ()  # the best ones, as a writer is given them
    notes: tuple[str, ...] = ()  # about partial results, exhausted budgets and failed providers
