"""Findings about a list of recommendations, with the field names of spec 1; evidence, no verdict."""

from __future__ import annotations

from pydantic import Field

from citewell.model.search_results import SourceReputation
from citewell.model.wire_values import UNTRUSTED_LABEL, Body, LongText, WireValue


class SelfPromotionSignal(WireValue):
    """The list ranks its own publisher first."""

    brand: str
    evidence: LongText


class ConflictOfInterest(WireValue):
    """A connection between the author and what is recommended."""

    kind: str  # employment, funding, equity or advisory; the strongest if there are several
    entity: str
    roles: tuple[str, ...] = ()  # advisor, investor, board member, founder, employee, affiliate, …
    evidence: LongText  # quoted from the byline


class CorroboratingResult(WireValue):
    title: str
    url: str
    signal: str  # agree, disagree, silent


class CorroborationSearch(WireValue):
    lens: str
    query: str
    result_count: int
    agree_count: int
    disagree_count: int
    silent_count: int
    top_results: tuple[CorroboratingResult, ...]


class AuditedRecommendation(WireValue):
    title: str
    url: str | None = None
    author: str | None = None
    self_promotion_signal: SelfPromotionSignal | None = None
    conflict_of_interest: ConflictOfInterest | None = None
    domain_reputation: SourceReputation | None = None
    link_live: bool | None = None  # absent if the address could not be checked
    http_status: int | None = None  # 0 if no server answered
    link_state: str | None = None  # live, blocked, dead, unchecked
    archived_url: str | None = None
    corroboration_searches: tuple[CorroborationSearch, ...] | None = None
    flags: tuple[str, ...]
    reasons: tuple[LongText, ...]
    trust: str = Field(default=UNTRUSTED_LABEL)


class RecommendationAudit(WireValue):
    item_count: int
    recommendations: Body[tuple[AuditedRecommendation, ...]]
    aggregate_flags: tuple[str, ...] | None = None  # present when a claim was given
    notes: tuple[str, ...] | None = None
    checked_at: str
    trust: str = Field(default=UNTRUSTED_LABEL)
