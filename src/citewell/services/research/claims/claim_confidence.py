"""The confidence of a claim, by a formula that anyone can recompute.

c = 1 - product over independent owners d of (1 - q_d * s_d), where
  q_d is the weight of the kind of source: .6 academic or government, .5 news, documentation or a host
      of high reputation, .35 any other page, .25 social media or a host of low reputation;
  s_d is how far the source supports the claim, 0 to 1, as text.support measures it: 1 for a verbatim
      quotation, .3 for a citation that could not be checked.
Of several pages of one owner (a registered domain) only the best counts; a syndicated copy counts
as the page it repeats. If another source contradicts the claim, c is multiplied by .6. With one
owner c is at most .60, and never above .95. Confidence is high from .75, medium from .45, else low.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

CONTRADICTED_FACTOR, MAX_SINGLE_OWNER, MAX_CONFIDENCE = 0.6, 0.60, 0.95
HIGH_CONFIDENCE, MEDIUM_CONFIDENCE = 0.75, 0.45
UNCHECKED_SUPPORT = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceBacking:
    """One source behind a claim."""

    owner: str
    source_weight: float  # q
    support: float  # s


def score_confidence(backings: Iterable[SourceBacking], *, contradicted: bool) -> float:
    best: dict[str, float] = {}
    for one in backings:
        strength = min(1.0, max(0.0, one.source_weight * one.support))
        best[one.owner] = max(best.get(one.owner, 0.0), strength)
    if not best:
        return 0.0
    # Sorted, because the product of floats depends on their order.
    sure = 1 - prod(1 - strength for strength in sorted(best.values()))
    sure = min(sure, MAX_SINGLE_OWNER) if len(best) == 1 else sure
    sure = sure * CONTRADICTED_FACTOR if contradicted else sure
    return round(min(sure, MAX_CONFIDENCE), 4)


def name_confidence_level(value: float) -> str:
    return "high" if value >= HIGH_CONFIDENCE else "medium" if value >= MEDIUM_CONFIDENCE else "low"
