"""How near a text comes to a claim: evidence for a reader, never a verdict."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from citewell.text import sentences
from citewell.text.tokens import terms

_WEIGHT = 1.5  # what a stance or a shared number adds to the terms in common
# Plain connectives (however, although, whereas) stand in supporting text too often to be here.
_STANCE = re.compile(
    r"\b(?:did not|does not|do not|is not|are not|was not|were not|cannot|failed to|fails to"
    r"|no evidence|no link|no association|no significant|lack of evidence|contrary to|refut\w+"
    r"|debunk\w*|disprov\w+|contradict\w*|disput\w+|den(?:y|ies|ied)|false(?:ly)?|incorrect(?:ly)?"
    r"|inaccurate|misleading|hoax|myth|unfounded|baseless|misinformation|not supported|unsupported"
    r"|retracted|confirm\w*|prov(?:es|ed|en)|demonstrat\w+|support(?:s|ed)|evidence that)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A claim ready to be compared with many texts."""

    terms: frozenset[str]
    numbers: frozenset[str]
    language: str | None = None


@lru_cache(maxsize=64)
def claim(text: str, *, language: str | None = None) -> Claim:
    found = terms(text, language=language)
    return Claim(terms=found, numbers=_numbers(found), language=language)


def signal(asked: Claim, text: str) -> str:
    """The sentence of `text` nearest to the claim; empty when none shares a term with it."""
    best, height = "", 0.0
    for sentence in sentences.split(text):
        score = _score(asked, sentence)
        if score > height:
            best, height = sentence, score
    return best


def nearest(asked: Claim, text: str, *, most: int = 5) -> tuple[str, tuple[str, ...]]:
    """The sentence nearest to the claim, and the few nearest in the order they stand.

    Those that come less than half as near as the best are no evidence.
    """
    scored = [(_score(asked, sentence), sentence) for sentence in sentences.split(text)]
    height = max((score for score, _ in scored), default=0.0)
    if not height:
        return "", ()
    by_score = sorted(range(len(scored)), key=lambda place: -scored[place][0])
    chosen = sorted(place for place in by_score[:most] if scored[place][0] >= height / 2)
    said = tuple(dict.fromkeys(scored[place][1] for place in chosen))
    return scored[by_score[0]][1], said


def _score(asked: Claim, sentence: str) -> float:
    found = terms(sentence, language=asked.language)
    shared = len(found & asked.terms)
    if not shared:
        return 0.0
    score = float(shared)
    if _STANCE.search(sentence):
        score += _WEIGHT
    if asked.numbers & found:
        score += _WEIGHT
    return score


def _numbers(found: frozenset[str]) -> frozenset[str]:
    return frozenset(term for term in found if term[0].isdigit())
