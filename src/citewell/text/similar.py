"""How alike two sentences are: in their letters, in their words, and in both."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum

from citewell.text.bags import Bag

Weigh = Callable[[str], float]
LETTERS, WORDS = 0.5, 0.5  # what each counts in `likeness`
RELATED, SAME = 0.55, 0.70  # at least so alike: worth a look together; the same statement


def dice(first: Bag, second: Bag) -> float:
    """The trigrams of letters that two sentences share."""
    together = len(first.trigrams) + len(second.trigrams)
    return 2 * len(first.trigrams & second.trigrams) / together if together else 0.0


def jaccard(first: Bag, second: Bag, weigh: Weigh) -> float:
    """The stems that two sentences share, each for what it weighs."""
    union = fsum(map(weigh, first.terms | second.terms))
    return fsum(map(weigh, first.terms & second.terms)) / union if union else 0.0


def likeness(first: Bag, second: Bag, weigh: Weigh) -> float:
    return LETTERS * dice(first, second) + WORDS * jaccard(first, second, weigh)


def coverage(wanted: Bag, held: frozenset[str], weigh: Weigh | None = None) -> float:
    """How much of one sentence's stems are among those held; 0 when it has none."""
    if not wanted.terms:
        return 0.0
    if weigh is None:
        return len(wanted.terms & held) / len(wanted.terms)
    total = fsum(map(weigh, wanted.terms))
    return fsum(map(weigh, wanted.terms & held)) / total if total else 0.0


def both_ways(first: Bag, second: Bag) -> float:
    """The lesser of what each sentence holds of the other."""
    return min(coverage(first, second.terms), coverage(second, first.terms))
