"""Ranks sentences by how much they say about a question.

The score is .5 coverage + .3 BM25 (as a share of the best) + .1 place + .1 prior. Coverage is the
share of the question's words in the sentence, each weighted by its rarity among the sentences. On
labelled answer sentences it finds more than BM25 alone, because a short sentence with every rare
word beats a long one that repeats a common word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log

from citewell.text.evidence.sentence_features import (
    SentenceFeatures,
    build_all_features,
    build_sentence_features,
)
from citewell.text.questions.answer_patterns import find_answer_pattern

COVERAGE_WEIGHT, BM25_WEIGHT, PLACE_WEIGHT, PRIOR_WEIGHT = 0.5, 0.3, 0.1, 0.1
ANSWER_BONUS = 0.1  # added if a sentence has what the question asks for: a number, a date, a name
BM25_K1, BM25_B = 0.9, 0.4
DIVERSITY_RELEVANCE_WEIGHT = 0.75  # relevance against novelty
_SCORE_DIGITS = 9  # decimals kept, so that the order of summing does not matter


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSentence:
    index: int  # in the given sequence
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceScores:
    """Two scores for each sentence, in the order of the sentences."""

    coverage: tuple[float, ...]
    bm25: tuple[float, ...]


class SentenceCorpus:
    """Sentences with an index of their stems; build it once for many queries."""

    def __init__(self, sentences: Sequence[SentenceFeatures]) -> None:
        self.sentences = tuple(sentences)
        self._held: dict[str, list[tuple[int, int]]] = {}
        for place, sentence in enumerate(self.sentences):
            for term, count in Counter(sentence.stems).items():
                self._held.setdefault(term, []).append((place, count))
        words = sum(len(sentence.stems) for sentence in self.sentences)
        self._length = words / len(self.sentences) if words else 1.0
        self._weights = {
            term: self._measure_term_weight(len(held)) for term, held in self._held.items()
        }
        self._rarest = self._measure_term_weight(0)

    def weigh_term(self, term: str) -> float:
        """The weight of a stem: higher if rarer among the sentences, always above 0."""
        return self._weights.get(term, self._rarest)

    def _measure_term_weight(self, held: int) -> float:
        return log(1 + (len(self.sentences) - held + 0.5) / (held + 0.5))

    def count_sentences_with(self, term: str) -> int:
        """The number of sentences that contain the stem."""
        return len(self._held.get(term, ()))

    def score_terms(self, wanted: Iterable[str]) -> SentenceScores:
        terms = sorted(set(wanted))
        weights = {term: self.weigh_term(term) for term in terms}
        total = sum(weights.values()) or 1.0
        covered, matched = [0.0] * len(self.sentences), [0.0] * len(self.sentences)
        for term in terms:
            for place, count in self._held.get(term, ()):
                covered[place] += weights[term] / total
                matched[place] += weights[term] * self._measure_term_saturation(place, count)
        return SentenceScores(coverage=tuple(covered), bm25=tuple(matched))

    def _measure_term_saturation(self, place: int, count: int) -> float:
        length = len(self.sentences[place].stems) / self._length
        return count * (BM25_K1 + 1) / (count + BM25_K1 * (1 - BM25_B + BM25_B * length))

    def score_sentences(self, wanted: Iterable[str]) -> tuple[float, ...]:
        """The combined score of each sentence, 0 to 1, without place and prior."""
        return combine_scores(self.score_terms(wanted))


def combine_scores(
    scores: SentenceScores,
    *,
    place_scores: Sequence[float] | None = None,
    prior_scores: Sequence[float] | None = None,
) -> tuple[float, ...]:
    """One score for each sentence, 0 to 1; `place_scores` and `prior_scores` are 0 to 1 too."""
    best = max(scores.bm25, default=0.0) or 1.0
    none = (0.0,) * len(scores.bm25)
    return tuple(
        round(
            COVERAGE_WEIGHT * covered
            + BM25_WEIGHT * matched / best
            + PLACE_WEIGHT * place
            + PRIOR_WEIGHT * prior,
            _SCORE_DIGITS,
        )
        for covered, matched, place, prior in zip(
            scores.coverage, scores.bm25, place_scores or none, prior_scores or none, strict=True
        )
    )


def rank_sentences(
    question: str, sentences: Sequence[str], *, language: str | None = None
) -> tuple[RankedSentence, ...]:
    """All sentences, the best first; equal scores are ordered by text, independent of input order."""
    corpus = SentenceCorpus(build_all_features(sentences, language=language))
    scores = corpus.score_sentences(build_sentence_features(question, language=language).terms)
    return order_by_score(boost_answering_sentences(question, sentences, scores), sentences)


def boost_answering_sentences(
    question: str, sentences: Sequence[str], scores: Sequence[float]
) -> tuple[float, ...]:
    """The scores, with a bonus for sentences that have the form of an answer."""
    wanted = find_answer_pattern(question)
    if wanted is None:
        return tuple(scores)
    return tuple(
        round(score + ANSWER_BONUS, _SCORE_DIGITS) if score and wanted.search(sentence) else score
        for sentence, score in zip(sentences, scores, strict=True)
    )


def order_by_score(scores: Sequence[float], texts: Sequence[str]) -> tuple[RankedSentence, ...]:
    places = sorted(range(len(scores)), key=lambda place: (-scores[place], texts[place], place))
    return tuple(RankedSentence(index=place, score=scores[place]) for place in places)


def choose_diverse(
    ranking: Sequence[RankedSentence],
    similarity: Callable[[int, int], float],
    *,
    count: int,
    relevance_weight: float = DIVERSITY_RELEVANCE_WEIGHT,
) -> tuple[RankedSentence, ...]:
    """The best `count` sentences that do not repeat each other (maximal marginal relevance).

    `similarity` compares two sentences by their indexes.
    """
    left = list(ranking)
    nearest = [0.0] * len(left)
    top = max((one.score for one in left), default=0.0) or 1.0
    chosen: list[RankedSentence] = []
    while left and len(chosen) < count:
        gains = [
            round(relevance_weight * one.score / top - (1 - relevance_weight) * near, _SCORE_DIGITS)
            for one, near in zip(left, nearest, strict=True)
        ]
        best = gains.index(max(gains))
        taken = left.pop(best)
        nearest.pop(best)
        chosen.append(taken)
        nearest = [
            max(near, similarity(one.index, taken.index))
            for one, near in zip(left, nearest, strict=True)
        ]
    return tuple(chosen)
