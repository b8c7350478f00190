"""Deep research: what is asked of a provider, what it reports, and what is kept of a job."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field

from citewell.model.base import Value

TICKS_PER_CENT = (
    100_000_000  # one tick is 1e-10 US dollars, the smallest unit any provider bills in
)


class Status(StrEnum):
    """Where a job, or one provider's part of it, stands."""

    PENDING = "pending"
    RUNNING = "running"
    SYNTHESIZING = "synthesizing"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNCERTAIN = "uncertain"  # sent, answer lost: paid perhaps, never sent again

    @property
    def final(self) -> bool:
        return self in {Status.COMPLETED, Status.FAILED, Status.CANCELLED, Status.UNCERTAIN}


class Relation(StrEnum):
    """What a snippet says about a claim."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    MENTIONS = "mentions"
    QUALIFIES = "qualifies"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """How far a job may go: its price cap, and the breadth of the engine of our own."""

    name: str
    cap_cents: int
    providers: int  # paid providers chosen when nobody named any
    queries: int
    pages: int
    rounds: int
    effort: str  # low, medium, high, xhigh: what reasoning providers are asked for


TIERS = {
    tier.name: tier
    for tier in (
        Tier(name="XXS", cap_cents=100, providers=1, queries=2, pages=5, rounds=1, effort="low"),
        Tier(name="XS", cap_cents=200, providers=1, queries=3, pages=8, rounds=1, effort="low"),
        Tier(name="S", cap_cents=500, providers=1, queries=4, pages=12, rounds=1, effort="medium"),
        Tier(name="M", cap_cents=1500, providers=2, queries=6, pages=20, rounds=2, effort="medium"),
        Tier(name="L", cap_cents=3000, providers=3, queries=8, pages=40, rounds=2, effort="high"),
        Tier(name="XL", cap_cents=6000, providers=99, queries=12, pages=60, rounds=3, effort="xhigh"),
    )
}  # fmt: skip


class Cited(Value):
    """One citation in a provider's report; `start` and `end` are characters of the text."""

    url: str
    title: str = ""
    start: int | None = None
    end: int | None = None
    quote: str = ""  # what the provider says the page says


class Consulted(Value):
    """A page the provider looked at, cited or not."""

    url: str
    title: str = ""
    snippet: str = ""
    published: str = ""


class Usage(Value):
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    searches: int = 0
    fetches: int = 0


class ProviderReport(Value):
    """One provider's whole answer, as kept in the job."""

    provider: str
    model: str = ""
    text: str  # markdown
    citations: tuple[Cited, ...] = ()
    consulted: tuple[Consulted, ...] = ()
    usage: Usage = Field(default_factory=Usage)
    cost_ticks: int = 0
    cost_basis: str = "none"  # provider, prices, table or none: who said what it cost
    partial: bool = False  # stopped before its end: budget, time, a dropped stream
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What our own search found, for a model that cannot search."""

    number: int
    url: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchAsk:
    """One question to one research provider."""

    query: str
    tier: Tier
    tag: str  # the same for every attempt at this one call; sent as idempotency key and metadata
    context: str = ""  # what is known already, or what is missing
    passages: tuple[Passage, ...] = ()
    cap_ticks: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """A text to be written by a model from material of ours, without tools."""

    instructions: str
    material: str
    tag: str
    max_tokens: int = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What a submitted call came back with: a reference to poll, or the report itself."""

    ref: str | None = None
    report: ProviderReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    status: Status
    report: ProviderReport | None = None  # present when completed; may be when cut short
    error: str | None = None
    error_kind: str | None = None
    note: str = ""  # what it is doing now


class Source(Value):
    """A page in a job's registry, cited as [src_N]."""

    ref: str  # src_1
    url: str
    title: str = ""
    domain: str = ""
    type: str = "web"  # web, academic, government, news, documentation, social, other
    doi: str | None = None
    published: str | None = None
    retrieved_at: str | None = None
    sha256: str | None = None
    state: str = "read"  # read, unreachable, refused, never_existed, unchecked
    reputation: str | None = None
    archived_url: str | None = None
    copy_of: str | None = None  # the ref of the page this one repeats
    providers: tuple[str, ...] = ()  # who cited or found it


class Evidence(Value):
    """A verbatim snippet of a source, with its place in the source's text."""

    id: str
    claim_id: str
    relation: Relation
    snippet: str
    start: int
    end: int
    relevance_score: float  # 0 to 1
    discovered_by_provider: str
    source: str  # src_N


class ValueRow(Value):
    """One source's value in a table of values that differ."""

    value: str
    source: str
    date: str | None = None
    snippet: str = ""


class ValueTable(Value):
    subject: str
    unit: str = ""
    rows: tuple[ValueRow, ...]


class Claim(Value):
    id: str
    content: str
    confidence: float
    confidence_level: str  # high, medium, low
    type: str = "categorical_statement"
    cluster_subject: str | None = None
    facet: str | None = None
    supporting_providers: tuple[str, ...] = ()
    contradicting_providers: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # src_N
    flags: tuple[
        str, ...
    ] = ()  # unsupported, number_not_found, unreachable, never_existed, single_source, contradicted …
    job_id: str | None = None
    created_at: str | None = None


class Followon(Value):
    topic: str
    rationale: str


class Findings(Value):
    """Everything a finished job holds; the report is written from this alone."""

    query: str
    synthesis: str  # markdown with [src_N]
    synthesis_by: str  # extractive, or the model's name
    sources: tuple[Source, ...] = ()
    claims: tuple[Claim, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    value_tables: tuple[ValueTable, ...] = ()
    follow_ons: tuple[Followon, ...] = ()
    not_found: tuple[str, ...] = ()  # facets for which nothing was found
    notes: tuple[str, ...] = ()  # partial results, spent budgets, failed providers
