"""Clusters of sentences from different documents that say the same, without comparing all pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum, log

from citewell.evidence.signs import sentence_features
from citewell.evidence.signs.sentence_features import SentenceFeatures
from citewell.text.quantities import stated_quantities

_MAX_INDEX_STEMS = 8  # rarest stems of a sentence that are indexed
_MAX_SENTENCES_PER_STEM = 128  # sentences; a stem found in more of them is not indexed
_MIN_RARE_STEM_SHARE = 0.3  # of the weight of the indexed stems must be shared
# The share of all stems that two sentences must have in common before trigrams are compared.
_MIN_SHARED_STEM_RATIO = 0.25
# Members of a cluster that are compared: boilerplate makes clusters of thousands.
_MAX_COMPARED_MEMBERS = 40
_SIMILARITY_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceCluster:
    """Indexes of sentences; the first is the one most similar to all others."""

    members: tuple[int, ...]


class _ClusterForest:
    """A union-find of sentences; clusters whose members contradict each other are not joined."""

    def __init__(self, sentences: Sequence[SentenceFeatures]) -> None:
        self._sentences = sentences
        self._root = list(range(len(sentences)))
        self.members = {place: [place] for place in range(len(sentences))}

    def find_root(self, place: int) -> int:
        while self._root[place] != place:
            self._root[place] = self._root[self._root[place]]
            place = self._root[place]
        return place

    def join_clusters(self, first: int, second: int) -> None:
        root, other = sorted((self.find_root(first), self.find_root(second)))
        if root != other and self._has_agreeing_members(root, other):
            self._root[other] = root
            self.members[root] += self.members.pop(other)

    def _has_agreeing_members(self, root: int, other: int) -> bool:
        return all(
            can_state_same_fact(self._sentences[left], self._sentences[right])
            for left in self.members[root][:_MAX_COMPARED_MEMBERS]
            for right in self.members[other][:_MAX_COMPARED_MEMBERS]
        )


def can_state_same_fact(first: SentenceFeatures, second: SentenceFeatures) -> bool:
    """Whether two sentences can state the same fact: no number differs, and both affirm or deny."""
    return first.is_negated == second.is_negated and not stated_quantities.has_conflicting_values(
        first.quantities, second.quantities
    )


def cluster_sentences(
    corpus: SentenceCorpus,
    documents: Sequence[Hashable],
    *,
    min_similarity: float = sentence_features.MIN_RELATED_SIMILARITY,
    interest_scores: Sequence[float] | None = None,
) -> tuple[SentenceCluster, ...]:
    """Every sentence in exactly one cluster, with those of other documents that say the same.

    `documents` names the document of each sentence. `interest_scores` decides which of several
    equally central members comes first.
    """
    sentences = corpus.sentences
    forest = _ClusterForest(sentences)
    for _, _, _, first, second in sorted(_find_similar_pairs(corpus, documents, min_similarity)):
        forest.join_clusters(first, second)
    wanted = interest_scores or (0.0,) * len(sentences)
    found = [_order_cluster_members(corpus, members, wanted) for members in forest.members.values()]
    return tuple(sorted(found, key=lambda group: min(group.members)))


def _find_similar_pairs(
    corpus: SentenceCorpus, documents: Sequence[Hashable], least: float
) -> Iterator[tuple[float, str, str, int, int]]:
    """Pairs of similar sentences; sorting them puts the most similar first, in a stable order."""
    sentences = corpus.sentences
    for first, second in find_candidate_pairs(corpus):
        left, other = sentences[first], sentences[second]
        shared = len(left.terms & other.terms)
        most = _MIN_SHARED_STEM_RATIO * (len(left.terms) + len(other.terms) - shared)
        if documents[first] == documents[second] or shared < most:
            continue
        alike = sentence_features.measure_similarity(left, other, corpus.weigh_term)
        if alike >= least and can_state_same_fact(left, other):
            low, high = sorted((left.text, other.text))
            yield -round(alike, _SIMILARITY_DIGITS), low, high, first, second


def find_candidate_pairs(corpus: SentenceCorpus) -> Iterator[tuple[int, int]]:
    """Pairs that share enough rare stems or have identical stems; each once, lower index first."""
    twins: dict[tuple[str, ...], int] = {}
    index: dict[str, list[int]] = {}
    weights: list[float] = []
    for place, sentence in enumerate(corpus.sentences):
        held = {term: corpus.count_sentences_with(term) for term in sentence.terms}
        known = [term for term, count in held.items() if 1 < count <= _MAX_SENTENCES_PER_STEM]
        rare = sorted(known, key=lambda term: (held[term], term))[:_MAX_INDEX_STEMS]
        weights.append(fsum(map(corpus.weigh_term, rare)))
        if sentence.stems in twins:
            yield twins[sentence.stems], place
            continue
        if sentence.stems:
            twins[sentence.stems] = place
        yield from _find_earlier_sharers(corpus, place, rare, index, weights)


def _find_earlier_sharers(
    corpus: SentenceCorpus,
    place: int,
    rare: list[str],
    index: dict[str, list[int]],
    weights: list[float],
) -> Iterator[tuple[int, int]]:
    """Pairs with earlier sentences that share enough of these stems; adds this one to the index."""
    shared: dict[int, float] = {}
    for term in rare:
        weight = corpus.weigh_term(term)
        for other in index.setdefault(term, []):
            shared[other] = shared.get(other, 0.0) + weight
        index[term].append(place)
    own = weights[place]
    for other in sorted(shared):
        if shared[other] >= _MIN_RARE_STEM_SHARE * max(own, weights[other]):
            yield other, place


def _order_cluster_members(
    corpus: SentenceCorpus, members: list[int], interest: Sequence[float]
) -> SentenceCluster:
    sentences = corpus.sentences
    order = sorted(members, key=lambda place: (-interest[place], sentences[place].text, place))
    if len(order) < 2:
        return SentenceCluster(members=tuple(order))
    compared = order[:_MAX_COMPARED_MEMBERS]

    def apart(place: int) -> float:
        alike = (
            sentence_features.measure_similarity(
                sentences[place], sentences[other], corpus.weigh_term
            )
            for other in compared
            if other != place
        )
        return -round(fsum(alike), 6)

    middle = min(compared, key=apart)  # ties: the first has the highest interest score
    return SentenceCluster(members=(middle, *(place for place in order if place != middle)))


# The stems of many sentences: how many sentences have a stem, and how much it weighs.


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
