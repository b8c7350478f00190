"""What was found out about a list of recommendations, in the words of spec 1: evidence, no verdict."""

from __future__ import annotations

from pydantic import Field

from citewell.model.base import UNTRUSTED, Value
from citewell.model.source import Reputation


class SelfPromotion(Value):
    """A list that puts its own publisher first."""

    brand: str
    evidence: str


class ConflictOfInterest(Value):
    """What ties the author to what is recommended."""

    kind: str  # employment, funding, equity
    entity: str
    evidence: str  # the words of the byline


class CorroboratingResult(Value):
    title: str
    url: str
    signal: str  # agree, disagree, silent


class CorroborationSearch(Value):
    lens: str
    query: str
    result_count: int
    agree_count: int
    disagree_count: int
    silent_count: int
    top_results: tuple[CorroboratingResult, ...]


class AuditedRecommendation(Value):
    title: str
    url: str | None = None
    author: str | None = None
    self_promotion_signal: SelfPromotion | None = None
    conflict_of_interest: ConflictOfInterest | None = None
    domain_reputation: Reputation | None = None
    link_live: bool | None = None  # absent where the address could not be asked
    http_status: int | None = None  # 0 when nobody answered
    link_state: str | None = None  # live, blocked, dead, unchecked
    archived_url: str | None = None
    corroboration_searches: tuple[CorroborationSearch, ...] | None = None
    flags: tuple[str, ...]
    reasons: tuple[str, ...]
    trust: str = Field(default=UNTRUSTED)


class RecommendationAudit(Value):
    item_count: int
    recommendations: tuple[AuditedRecommendation, ...]
    aggregate_flags: tuple[str, ...] | None = None  # present when a claim was given
    notes: tuple[str, ...] | None = None
    checked_at: str
    trust: str = Field(default=UNTRUSTED)
