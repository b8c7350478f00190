"""The few passages of a talk that say most of what it says, with their times."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from citewell.fetch.sites.captions import Cue, clock
from citewell.model.signals import Highlight
from citewell.text import tokens
from citewell.text.invisible import visible

_MOST = 5
_LEAST_CUES = 5  # a shorter talk is its own highlight
_WORDS = 22  # a passage without full stops is about a sentence long
_FEWEST = 6
_ALIKE = 0.5  # share of terms beyond which two passages say the same
_NUMBER = re.compile(r"\d")
_END = re.compile(r"[.!?…。！？][\"'”’)\]]*$")


def highlights(cues: Sequence[Cue], *, language: str | None = None) -> tuple[Highlight, ...]:
    """Up to five, best first; none for a talk of a few words."""
    if len(cues) < _LEAST_CUES:
        return ()
    passages = _passages(cues)
    bags = [tokens.terms(text, language=language) for _, text in passages]
    scores = _scores([text for _, text in passages], bags)
    chosen = _chosen(scores, bags)
    if not chosen:
        return ()
    best = scores[chosen[0]]
    return tuple(
        Highlight(
            text=passages[place][1],
            score=round(scores[place] / best, 3),
            start_time=clock(passages[place][0]),
        )
        for place in chosen
    )


def _passages(cues: Sequence[Cue]) -> list[tuple[float, str]]:
    """Cues joined until a sentence ends or is long enough."""
    found: list[tuple[float, str]] = []
    start = 0.0
    words: list[str] = []
    for cue in cues:
        start = start if words else cue.start
        words += visible(cue.text).split()
        if len(words) >= _WORDS or (len(words) >= _FEWEST and _END.search(cue.text)):
            found.append((start, " ".join(words)))
            words = []
    if words:
        found.append((start, " ".join(words)))
    return found


def _scores(texts: Sequence[str], bags: Sequence[frozenset[str]]) -> list[float]:
    """How much of the talk's own vocabulary a passage holds; numbers add a little."""
    spread = Counter(term for bag in bags for term in bag)
    most = math.log(1 + len(bags))
    weight = {term: math.log(1 + times) / most for term, times in spread.items() if times > 1}
    return [
        sum(weight.get(term, 0.1) for term in bag) / math.sqrt(len(bag) + 4)
        + (0.15 if _NUMBER.search(text) else 0.0)
        for text, bag in zip(texts, bags, strict=True)
    ]


def _chosen(scores: Sequence[float], bags: Sequence[frozenset[str]]) -> list[int]:
    chosen: list[int] = []
    for place in sorted(range(len(scores)), key=lambda at: (-scores[at], at)):
        if len(chosen) == _MOST:
            break
        if len(bags[place]) >= 3 and all(_fresh(bags[place], bags[other]) for other in chosen):
            chosen.append(place)
    return chosen


def _fresh(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) <= _ALIKE * min(len(one), len(other))
