"""The sentences of a text that are nearest to a claim; no verdict on the claim."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import log

from citewell.text.evidence.negation import has_refutation_cue
from citewell.text.language import sentences
from citewell.text.language.tokens import extract_terms

# Added to the weight of shared terms; a word of stance only decides between sentences that share alike.
_NUMBER_BONUS, _STANCE_BONUS = 1.5, 0.3
_CONFIRMING_PATTERN = re.compile(
    r"\b(?:confirm\w*|prov(?:es|ed|en)|demonstrat\w+|support(?:s|ed)|evidence that)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimTerms:
    """The terms and numbers of a claim, extracted once to compare it with many texts."""

    terms: frozenset[str]
    numbers: frozenset[str]
    language: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)  # more for a rare term; 1 if unknown


@lru_cache(maxsize=64)
def build_claim_terms(text: str, *, language: str | None = None) -> ClaimTerms:
    found = extract_terms(text, language=language)
    return ClaimTerms(terms=found, numbers=_select_number_terms(found), language=language)


def weigh_claim_terms(asked: ClaimTerms, texts: Iterable[str]) -> ClaimTerms:
    """The claim with its terms weighed by how few sentences of the texts have them."""
    said = [one for text in texts for one in sentences.split_sentences(text)]
    found = Counter(
        term
        for sentence in said
        for term in extract_terms(sentence, language=asked.language) & asked.terms
    )
    return replace(asked, weights={term: log(1 + len(said) / found[term]) for term in found})


def find_nearest_sentence(asked: ClaimTerms, text: str) -> str:
    """The sentence of `text` nearest to the claim; empty if no sentence shares a term with it."""
    best, height = "", 0.0
    for sentence in sentences.split_sentences(text):
        score = _score_claim_sentence(asked, sentence)
        if score > height:
            best, height = sentence, score
    return best


def find_nearest_sentences(
    asked: ClaimTerms, text: str, *, max_sentences: int = 5
) -> tuple[str, tuple[str, ...]]:
    """The sentence nearest to the claim, and the nearest `max_sentences` in text order.

    Sentences that score less than half of the best are left out.
    """
    weighed = weigh_claim_terms(asked, [text])
    scored = [
        (_score_claim_sentence(weighed, sentence), sentence)
        for sentence in sentences.split_sentences(text)
    ]
    height = max((score for score, _ in scored), default=0.0)
    if not height:
        return "", ()
    by_score = sorted(range(len(scored)), key=lambda place: -scored[place][0])
    chosen = sorted(place for place in by_score[:max_sentences] if scored[place][0] >= height / 2)
    said = tuple(dict.fromkeys(scored[place][1] for place in chosen))
    return scored[by_score[0]][1], said


def _score_claim_sentence(asked: ClaimTerms, sentence: str) -> float:
    found = extract_terms(sentence, language=asked.language)
    shared = found & asked.terms
    if not shared:
        return 0.0
    score = sum(asked.weights.get(term, 1.0) for term in shared)
    if has_refutation_cue(sentence, language=asked.language) or _CONFIRMING_PATTERN.search(
        sentence
    ):
        score += _STANCE_BONUS
    if asked.numbers & found:
        score += _NUMBER_BONUS
    return score


def _select_number_terms(found: frozenset[str]) -> frozenset[str]:
    return frozenset(term for term in found if term[0].isdigit())
