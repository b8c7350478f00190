"""The confidence of a claim, by a formula that anyone can recompute, and what it rests on in words.

c = 1 - product over independent owners d of (1 - q_d * s_d * f), where
  q_d is the weight of the kind of source: .6 academic or government, .5 news, documentation or a host
      of high reputation, .35 any other page, .25 social media or a host of low reputation;
  s_d is how far the source supports the claim, 0 to 1, as text.support measures it: 1 for a verbatim
      quotation, .3 for a citation that could not be checked;
  f = 2 * r, at least .6, where r is how directly the passage answers the question, 0 to 1; f is 1 if
      that is not known. q_d * s_d * f is at most .9.
Of several pages of one owner (a registered domain) only the best counts; a syndicated copy counts
as the page it repeats. If another source contradicts the claim, c is multiplied by .6. With one
owner c is at most .60, and never above .95. Confidence is high from .75, medium from .45, else low.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from citewell.services.research.collecting import source_kinds

CONTRADICTED_FACTOR, MAX_SINGLE_OWNER, MAX_CONFIDENCE = 0.6, 0.60, 0.95
HIGH_CONFIDENCE, MEDIUM_CONFIDENCE = 0.75, 0.45
UNCHECKED_SUPPORT = 0.3
_DIRECTNESS_FACTOR, _LEAST_DIRECTNESS_FACTOR = 2.0, 0.6
_MAX_STRENGTH = 0.9  # of one owner
_KIND_WORDS = {
    source_kinds.GOVERNMENT: "official",
    source_kinds.ACADEMIC: "scholarly",
    source_kinds.NEWS: "news",
    source_kinds.DOCUMENTATION: "documentation",
    source_kinds.SOCIAL: "social media",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceBacking:
    """One source behind a claim."""

    owner: str
    source_weight: float  # q
    support: float  # s
    kind: str = ""  # see source_kinds.classify_source
    is_checked: bool = True  # the source was read


def score_confidence(
    backings: Iterable[SourceBacking], *, contradicted: bool, directness: float | None = None
) -> float:
    """`directness` is how directly the claim answers the question, from 0 to 1; None if unknown."""
    factor = 1.0
    if directness is not None:
        factor = max(_LEAST_DIRECTNESS_FACTOR, _DIRECTNESS_FACTOR * min(1.0, directness))
    best: dict[str, float] = {}
    for one in backings:
        strength = min(_MAX_STRENGTH, max(0.0, one.source_weight * one.support * factor))
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


def describe_basis(
    backings: Iterable[SourceBacking], *, contradicted: bool, values_differ: bool = False
) -> str:
    """What a claim rests on, such as “3 sources, 1 official” or “1 news source, disputed”."""
    owners: dict[str, SourceBacking] = {}
    for one in sorted(backings, key=lambda one: (-one.source_weight * one.support, one.kind)):
        owners.setdefault(one.owner, one)
    kinds = Counter(_KIND_WORDS[one.kind] for one in owners.values() if one.kind in _KIND_WORDS)
    if len(owners) == 1:
        told = [f"1 {''.join(f'{kind} ' for kind in kinds)}source"]
    else:
        told = [f"{len(owners)} sources" if owners else "no source"]
        told += [f"{count} {kind}" for kind, count in sorted(kinds.items())]
    if owners and not any(one.is_checked for one in owners.values()):
        told.append("not checked")
    told += ["disputed"] if contradicted else []
    told += ["values differ"] if values_differ else []
    return ", ".join(told)
