"""The stems of many sentences: how many sentences have a stem, and how much it weighs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from citewell.text.evidence.sentence_features import SentenceFeatures


class SentenceCorpus:
    """Sentences with the counts of their stems; built once for many comparisons."""

    def __init__(self, sentences: Sequence[SentenceFeatures]) -> None:
        self.sentences = tuple(sentences)
        self._counts = Counter(term for sentence in self.sentences for term in sentence.terms)
        self._weights = {
            term: self._measure_term_weight(count) for term, count in self._counts.items()
        }
        self._rarest = self._measure_term_weight(0)

    def weigh_term(self, term: str) -> float:
        """The weight of a stem: higher if rarer among the sentences, always above 0."""
        return self._weights.get(term, self._rarest)

    def _measure_term_weight(self, held: int) -> float:
        return log(1 + (len(self.sentences) - held + 0.5) / (held + 0.5))

    def count_sentences_with(self, term: str) -> int:
        """The number of sentences that contain the stem."""
        return self._counts[term]
