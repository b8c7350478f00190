"""Which sentences say most about a question: by the weight of its words that they hold.

The score is .5 coverage + .3 BM25 (as a share of the best) + .1 place + .1 prior. Coverage is the
share of the question's words, each weighed by how rare it is among the sentences. Measured on
answer sentences it finds more than BM25 alone, because a short sentence with every rare word
beats a long one that repeats a common one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log

from citewell.text.answers import expected
from citewell.text.bags import Bag, bag, bags

COVERAGE, BM25, PLACE, PRIOR = 0.5, 0.3, 0.1, 0.1
ANSWER = 0.1  # for a sentence that has what the question asks for: a number, a date, a name
K1, B = 0.9, 0.4
NEIGHBOUR = 0.25  # of the score of the sentences before and after, when evidence is looked for
LAMBDA = 0.75  # relevance against novelty
_DIGITS = 9  # scores that differ by less are equal, whatever the order they were summed in


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    place: int  # in what was given
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """One figure for each sentence."""

    coverage: tuple[float, ...]
    bm25: tuple[float, ...]


class Corpus:
    """Sentences with an index of their stems; built once, asked often."""

    def __init__(self, sentences: Sequence[Bag]) -> None:
        self.sentences = tuple(sentences)
        self._held: dict[str, list[tuple[int, int]]] = {}
        for place, sentence in enumerate(self.sentences):
            for term, count in Counter(sentence.stems).items():
                self._held.setdefault(term, []).append((place, count))
        words = sum(len(sentence.stems) for sentence in self.sentences)
        self._length = words / len(self.sentences) if words else 1.0
        self._weights = {term: self._weight(len(held)) for term, held in self._held.items()}
        self._rarest = self._weight(0)

    def weigh(self, term: str) -> float:
        """The rarer among the sentences, the more; never nothing."""
        return self._weights.get(term, self._rarest)

    def _weight(self, held: int) -> float:
        return log(1 + (len(self.sentences) - held + 0.5) / (held + 0.5))

    def count(self, term: str) -> int:
        """How many sentences hold a stem."""
        return len(self._held.get(term, ()))

    def scores(self, wanted: Iterable[str]) -> Scores:
        terms = sorted(set(wanted))
        weights = {term: self.weigh(term) for term in terms}
        total = sum(weights.values()) or 1.0
        covered, matched = [0.0] * len(self.sentences), [0.0] * len(self.sentences)
        for term in terms:
            for place, count in self._held.get(term, ()):
                covered[place] += weights[term] / total
                matched[place] += weights[term] * self._saturated(place, count)
        return Scores(coverage=tuple(covered), bm25=tuple(matched))

    def _saturated(self, place: int, count: int) -> float:
        length = len(self.sentences[place].stems) / self._length
        return count * (K1 + 1) / (count + K1 * (1 - B + B * length))

    def combined(self, wanted: Iterable[str]) -> tuple[float, ...]:
        """The score of each sentence, 0 to 1, where nothing but its words is known."""
        return combine(self.scores(wanted))


def combine(
    scores: Scores, *, places: Sequence[float] | None = None, priors: Sequence[float] | None = None
) -> tuple[float, ...]:
    """One score for each sentence, 0 to 1; `places` and `priors` are each 0 to 1."""
    best = max(scores.bm25, default=0.0) or 1.0
    none = (0.0,) * len(scores.bm25)
    return tuple(
        round(COVERAGE * covered + BM25 * matched / best + PLACE * place + PRIOR * prior, _DIGITS)
        for covered, matched, place, prior in zip(
            scores.coverage, scores.bm25, places or none, priors or none, strict=True
        )
    )


def rank(
    question: str, sentences: Sequence[str], *, language: str | None = None
) -> tuple[Ranked, ...]:
    """Every sentence, the best first; equal ones by their text, so that the order given is nothing."""
    corpus = Corpus(bags(sentences, language=language))
    scores = corpus.combined(bag(question, language=language).terms)
    return ordered(answering(question, sentences, scores), sentences)


def answering(
    question: str, sentences: Sequence[str], scores: Sequence[float]
) -> tuple[float, ...]:
    """The scores, higher where a sentence on the subject looks like an answer."""
    wanted = expected(question)
    if wanted is None:
        return tuple(scores)
    return tuple(
        round(score + ANSWER, _DIGITS) if score and wanted.search(sentence) else score
        for sentence, score in zip(sentences, scores, strict=True)
    )


def evidence(
    claim: str, sentences: Sequence[str], *, language: str | None = None
) -> tuple[Ranked, ...]:
    """The sentences of one text, in its order, by what they say on a claim; neighbours help."""
    corpus = Corpus(bags(sentences, language=language))
    found = corpus.scores(bag(claim, language=language).terms).bm25
    return ordered(smoothed(found), sentences)


def smoothed(scores: Sequence[float]) -> tuple[float, ...]:
    """Each score with a part of those beside it: evidence seldom stands alone."""
    padded = (0.0, *scores, 0.0)
    return tuple(
        round(padded[at] + NEIGHBOUR * (padded[at - 1] + padded[at + 1]), _DIGITS)
        for at in range(1, len(padded) - 1)
    )


def ordered(scores: Sequence[float], texts: Sequence[str]) -> tuple[Ranked, ...]:
    places = sorted(range(len(scores)), key=lambda place: (-scores[place], texts[place], place))
    return tuple(Ranked(place=place, score=scores[place]) for place in places)


def diverse(
    ranking: Sequence[Ranked],
    alike: Callable[[int, int], float],
    *,
    count: int,
    weight: float = LAMBDA,
) -> tuple[Ranked, ...]:
    """The best `count` that do not repeat one another (maximal marginal relevance)."""
    left = list(ranking)
    nearest = [0.0] * len(left)
    top = max((one.score for one in left), default=0.0) or 1.0
    chosen: list[Ranked] = []
    while left and len(chosen) < count:
        gains = [
            round(weight * one.score / top - (1 - weight) * near, _DIGITS)
            for one, near in zip(left, nearest, strict=True)
        ]
        best = gains.index(max(gains))
        taken = left.pop(best)
        nearest.pop(best)
        chosen.append(taken)
        nearest = [
            max(near, alike(one.place, taken.place))
            for one, near in zip(left, nearest, strict=True)
        ]
    return tuple(chosen)
