"""Tiers of frequent terms, so that a query of words that half of all documents have stays cheap.

A term of a document has a level: one for each doubling of its density in the document, and one
for each leading digit of the document's name below four, which every fourth name has. The terms of
level one and higher are indexed once more, with their level. A query takes the documents of a
frequent term from the highest level down until it has enough: those where the term is densest, and
a sample of all others, the same for every term. Migration state_0012 has the levels in SQL.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_DENSITY_STEPS = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0)  # weight per thousand words
_ADDED_WORDS = 250  # added to every length, as a third of the average length is in BM25
_MAX_LEVEL = 15
_LOW_DIGITS = "0123"
LEVEL_MARKS = "123456789abcdef"  # the last character of a term with its level


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateTerms:
    """Terms whose documents are looked at: `whole` with all of them, `tiered` by their levels."""

    whole: tuple[str, ...]
    tiered: tuple[str, ...]


def list_tier_terms(weights: Mapping[str, float], *, length: int, name: str) -> list[str]:
    """The terms of a document that are indexed with their level."""
    bonus = len(name) - len(name.lstrip(_LOW_DIGITS))
    scale = length + _ADDED_WORDS
    found = []
    for token, weight in weights.items():
        level = bisect_right(_DENSITY_STEPS, 1000 * weight / scale) + bonus
        if level:
            found.append(f"{token}{min(level, _MAX_LEVEL):x}")
    return found


def choose_candidate_terms(
    tokens: Iterable[str], counts: Mapping[str, int], *, total: int, budget: int
) -> CandidateTerms:
    """Terms that together have about `budget` of `total` documents, shared out by how rare they are."""
    known = sorted(
        (count, token) for token in dict.fromkeys(tokens) if (count := counts.get(token, 0)) > 0
    )
    weights = [measure_rarity(count, total) ** 2 for count, _ in known]
    whole, tiered = [], []
    left = budget
    for place, (count, token) in enumerate(known):
        share = int(left * weights[place] / sum(weights[place:]))
        if count <= share:
            whole.append(token)
            left -= count
        else:
            levels, taken = _choose_top_levels(token, counts, share)
            tiered += levels
            left -= taken
    return CandidateTerms(whole=tuple(whole), tiered=tuple(tiered))


def measure_rarity(count: int, total: int) -> float:
    """The inverse document frequency of BM25, as FTS5 computes it."""
    return max(1e-6, math.log((max(total - count, 0) + 0.5) / (count + 0.5)))


def _choose_top_levels(token: str, counts: Mapping[str, int], share: int) -> tuple[list[str], int]:
    """The highest levels of a term that have at most `share` documents, but one at least."""
    chosen: list[str] = []
    taken = 0
    for mark in reversed(LEVEL_MARKS):
        count = counts.get(token + mark, 0)
        if count <= 0:
            continue
        if chosen and taken + count > share:
            break
        chosen.append(token + mark)
        taken += count
    return chosen, taken
