"""How sure a claim is, by a formula that anyone can recompute.

c = 1 - product over independent owners d of (1 - q_d * s_d), where
  q_d is what the kind of source is worth: .6 academic or government, .5 news, documentation or a host
      of high reputation, .35 any other page, .25 social media or a host of low reputation;
  s_d is how far the source supports the claim, 0 to 1, as text.support measures it: 1 for a verbatim
      quotation, .3 for a citation that nobody could check.
Of several pages of one owner (a registered domain) the best counts; a syndicated copy counts as the
page it repeats. A claim that another source contradicts is worth .6 of that. One owner alone reaches
.60 at most, and no claim passes .95. From .75 on confidence is high, from .45 medium, below it low.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

CONTRADICTED, ALONE, MOST = 0.6, 0.60, 0.95
HIGH, MEDIUM = 0.75, 0.45
UNCHECKED = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Backing:
    """One source behind a claim."""

    owner: str
    worth: float  # q
    support: float  # s


def confidence(backings: Iterable[Backing], *, contradicted: bool) -> float:
    best: dict[str, float] = {}
    for one in backings:
        strength = min(1.0, max(0.0, one.worth * one.support))
        best[one.owner] = max(best.get(one.owner, 0.0), strength)
    if not best:
        return 0.0
    # Sorted, because a product of floats depends on its order.
    sure = 1 - prod(1 - strength for strength in sorted(best.values()))
    sure = min(sure, ALONE) if len(best) == 1 else sure
    sure = sure * CONTRADICTED if contradicted else sure
    return round(min(sure, MOST), 4)


def level(value: float) -> str:
    return "high" if value >= HIGH else "medium" if value >= MEDIUM else "low"
