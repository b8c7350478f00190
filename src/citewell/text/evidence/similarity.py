"""How similar two sentences are by their letters and their words."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum

from citewell.text.evidence.sentence_features import SentenceFeatures

TermWeight = Callable[[str], float]
TRIGRAM_WEIGHT, STEM_WEIGHT = 0.5, 0.5  # weights in measure_similarity
MIN_RELATED_SIMILARITY = 0.55


def compare_trigrams(first: SentenceFeatures, second: SentenceFeatures) -> float:
    """The share of letter trigrams that two sentences have in common (Dice), 0 to 1."""
    together = len(first.trigrams) + len(second.trigrams)
    return 2 * len(first.trigrams & second.trigrams) / together if together else 0.0


def compare_weighted_stems(
    first: SentenceFeatures, second: SentenceFeatures, weigh: TermWeight
) -> float:
    """The weighted share of stems that two sentences have in common (Jaccard), 0 to 1."""
    union = fsum(map(weigh, first.terms | second.terms))
    return fsum(map(weigh, first.terms & second.terms)) / union if union else 0.0


def measure_similarity(
    first: SentenceFeatures, second: SentenceFeatures, weigh: TermWeight
) -> float:
    return TRIGRAM_WEIGHT * compare_trigrams(first, second) + STEM_WEIGHT * compare_weighted_stems(
        first, second, weigh
    )


def measure_stem_coverage(
    wanted: SentenceFeatures, held: frozenset[str], weigh: TermWeight | None = None
) -> float:
    """The share of a sentence's stems that are in `held`, weighted if asked; 0 without stems."""
    if not wanted.terms:
        return 0.0
    if weigh is None:
        return len(wanted.terms & held) / len(wanted.terms)
    total = fsum(map(weigh, wanted.terms))
    return fsum(map(weigh, wanted.terms & held)) / total if total else 0.0


def measure_mutual_coverage(first: SentenceFeatures, second: SentenceFeatures) -> float:
    """The smaller of the two shares of stems that each sentence has of the other."""
    return min(
        measure_stem_coverage(first, second.terms), measure_stem_coverage(second, first.terms)
    )
