"""Whether a source says what it is cited for: a score, the best snippet, and how the two relate.

The score is .4 of the claim's words found around the best place + .3 found within three sentences
+ .3 of its pairs of words, less .2 of the share of its numbers that are missing. Measured on cited
statements, under .25 four in five are not supported, and from .8 on four in five are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from citewell.model.research import Relation
from citewell.text import language, numbers, polarity, scripts, sentences, similar
from citewell.text.bags import Bag, bag
from citewell.text.numbers import Quantity

FULL, WINDOW, PAIRS, NUMBERS = 0.4, 0.3, 0.3, 0.2
UNSUPPORTED, SUPPORTED = 0.25, 0.5
TOPICAL = 0.5  # two sentences that hold half of each other are on the same subject
COVERED = 0.7  # so is a sentence that holds nearly all of a claim, however much more it says
_WINDOW, _BLOCK = 3, 24  # sentences
_NEARLY = 0.9  # of what three sentences hold, in one: then one is snippet enough
_CHARACTERS = 900  # of a snippet


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    score: float  # 0 to 1
    relation: Relation
    start: int
    end: int
    snippet: str
    missing: tuple[str, ...] = ()  # numbers of the claim that are not there

    @property
    def unsupported(self) -> bool:
        return self.score < UNSUPPORTED


@dataclass(frozen=True, kw_only=True)
class Text:
    """A source ready to be asked for many claims."""

    text: str
    language: str | None = None

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        return sentences.spans(self.text)

    @cached_property
    def bags(self) -> tuple[Bag, ...]:
        return tuple(bag(self.text[start:end], language=self.language) for start, end in self.spans)


def assess(claim: str, source: Text) -> Support:
    """How far the source supports the claim; an empty snippet when they share no word."""
    asked = bag(claim, language=source.language)
    shares = [asked.terms & one.terms for one in source.bags]
    if not any(shares):
        return Support(score=0.0, relation=Relation.MENTIONS, start=0, end=0, snippet="")
    window = _best(shares, _WINDOW)
    block = _around(window, len(shares))
    gone = _missing(asked, source.bags[slice(*block)])
    score = _score(asked, source.bags, window, block, len(gone))
    place = _snippet(shares, window)
    start, end = source.spans[place[0]][0], source.spans[place[1] - 1][1]
    end = min(end, start + _CHARACTERS)
    relation = relate(asked, source.bags[slice(*place)], score, lost=bool(gone))
    return Support(
        score=score,
        relation=relation,
        start=start,
        end=end,
        snippet=source.text[start:end],
        missing=tuple(one.text for one in gone),
    )


def comparable(claim: str, source: Text) -> bool:
    """Whether the two may be in one language; across languages a low score says nothing."""
    spoken = source.language or language.detect(source.text)
    asked = language.detect(claim)
    if spoken is None or asked is None:
        return spoken is None or not scripts.telling(spoken) or scripts.written_in(claim, spoken)
    return spoken[:2] == asked[:2]


def relate(claim: Bag, said: Sequence[Bag], score: float, *, lost: bool = False) -> Relation:
    """How the sentences found stand to the claim; opposite only where both are on one subject.

    With `lost` a number of the claim is nowhere near: then nothing there bears it out.
    """
    near = [one for one in said if _on_subject(claim, one)]
    if any(_opposed(claim, one) for one in near):
        return Relation.CONTRADICTS
    if lost and any(numbers.clash(claim.quantities, one.quantities) for one in near):
        return Relation.QUALIFIES
    return Relation.SUPPORTS if score >= SUPPORTED and not lost else Relation.MENTIONS


def _on_subject(claim: Bag, one: Bag) -> bool:
    return similar.coverage(claim, one.terms) >= COVERED or similar.both_ways(claim, one) >= TOPICAL


def _opposed(claim: Bag, one: Bag) -> bool:
    denied = polarity.about(claim.text, one.terms, language=claim.language)
    return denied != polarity.about(one.text, claim.terms, language=one.language)


def _score(
    asked: Bag,
    found: Sequence[Bag],
    window: tuple[int, int],
    block: tuple[int, int],
    gone: int,
) -> float:
    near = frozenset().union(*(one.terms for one in found[slice(*window)]))
    wide = frozenset().union(*(one.terms for one in found[slice(*block)]))
    pairs = frozenset().union(*(one.pairs for one in found[slice(*block)]))
    paired = len(asked.pairs & pairs) / len(asked.pairs) if asked.pairs else 0.0
    if not asked.pairs:
        paired = similar.coverage(asked, near)
    told = asked.quantities
    lost = gone / len(told) if told else 0.0
    score = (
        FULL * similar.coverage(asked, wide)
        + WINDOW * similar.coverage(asked, near)
        + PAIRS * paired
        - NUMBERS * lost
    )
    return round(min(1.0, max(0.0, score)), 4)


def _missing(asked: Bag, found: Sequence[Bag]) -> tuple[Quantity, ...]:
    if not asked.quantities:
        return ()
    return numbers.missing(asked.quantities, (one for each in found for one in each.quantities))


def _best(shares: Sequence[frozenset[str]], width: int) -> tuple[int, int]:
    """The sentences in a row that hold most of the claim's words, the earliest of equals."""
    best, at = -1.0, 0
    for start in range(len(shares)):
        part = shares[start : start + width]
        # Of windows that hold the same words, that which repeats them most is about them.
        worth = len(frozenset().union(*part)) + 0.01 * min(9, sum(map(len, part)))
        if worth > best:
            best, at = worth, start
    return at, min(at + width, len(shares))


def _around(window: tuple[int, int], count: int) -> tuple[int, int]:
    """A stretch of the text with the window in its middle: a long page holds any word somewhere."""
    start = max(0, min((window[0] + window[1] - _BLOCK) // 2, count - _BLOCK))
    return start, min(count, start + _BLOCK)


def _snippet(shares: Sequence[frozenset[str]], window: tuple[int, int]) -> tuple[int, int]:
    """The fewest sentences of the window that hold nearly all of it."""
    start, end = window
    whole = len(frozenset().union(*shares[start:end]))
    for width in range(1, end - start + 1):
        for at in range(start, end - width + 1):
            if len(frozenset().union(*shares[at : at + width])) >= _NEARLY * whole:
                return at, at + width
    return window
