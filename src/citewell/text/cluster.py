"""Sentences of different documents that make the same statement, found without comparing all."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum

from citewell.text import numbers, similar
from citewell.text.bags import Bag
from citewell.text.rank import Corpus

_RAREST = 8  # stems of a sentence by which others are looked up
_COMMON = 128  # sentences; a stem in more of them tells nothing
_SHARED = 0.3  # of the weight of those stems must be in both
_WORTH = 0.25  # of all stems of two sentences must be shared before letters are compared
_COMPARED = 40  # members of a group that are compared: boilerplate makes groups of thousands
_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Places of sentences; the first is the one nearest to all the others."""

    members: tuple[int, ...]

    @property
    def medoid(self) -> int:
        return self.members[0]


class _Forest:
    """Groups that grow together, unless their members contradict one another."""

    def __init__(self, sentences: Sequence[Bag]) -> None:
        self._sentences = sentences
        self._root = list(range(len(sentences)))
        self.members = {place: [place] for place in range(len(sentences))}

    def find(self, place: int) -> int:
        while self._root[place] != place:
            self._root[place] = self._root[self._root[place]]
            place = self._root[place]
        return place

    def join(self, first: int, second: int) -> None:
        one, other = sorted((self.find(first), self.find(second)))
        if one != other and self._agree(one, other):
            self._root[other] = one
            self.members[one] += self.members.pop(other)

    def _agree(self, one: int, other: int) -> bool:
        return all(
            agree(self._sentences[left], self._sentences[right])
            for left in self.members[one][:_COMPARED]
            for right in self.members[other][:_COMPARED]
        )


def agree(first: Bag, second: Bag) -> bool:
    """Whether two sentences can be one statement: no number clashes, and both affirm or deny."""
    return first.negated == second.negated and not numbers.clash(
        first.quantities, second.quantities
    )


def groups(
    corpus: Corpus,
    documents: Sequence[Hashable],
    *,
    least: float = similar.RELATED,
    interest: Sequence[float] | None = None,
) -> tuple[Group, ...]:
    """Every sentence in one group, alone or with those of other documents that say the same.

    `interest` decides between members that are equally in the middle.
    """
    sentences = corpus.sentences
    forest = _Forest(sentences)
    for _, _, _, first, second in sorted(_edges(corpus, documents, least)):
        forest.join(first, second)
    wanted = interest or (0.0,) * len(sentences)
    found = [_group(corpus, members, wanted) for members in forest.members.values()]
    return tuple(sorted(found, key=lambda group: min(group.members)))


def _edges(
    corpus: Corpus, documents: Sequence[Hashable], least: float
) -> Iterator[tuple[float, str, str, int, int]]:
    """Pairs that are alike enough, the most alike first when sorted, in any order of sentences."""
    sentences = corpus.sentences
    for first, second in candidates(corpus):
        one, other = sentences[first], sentences[second]
        if documents[first] == documents[second] or _apart(one, other):
            continue
        alike = similar.likeness(one, other, corpus.weigh)
        if alike >= least and agree(one, other):
            low, high = sorted((one.text, other.text))
            yield -round(alike, _DIGITS), low, high, first, second


def _apart(one: Bag, other: Bag) -> bool:
    shared = len(one.terms & other.terms)
    return shared < _WORTH * (len(one.terms) + len(other.terms) - shared)


def candidates(corpus: Corpus) -> Iterator[tuple[int, int]]:
    """Pairs that share enough of their rare stems, or all of them; each once, the earlier first."""
    twins: dict[tuple[str, ...], int] = {}
    index: dict[str, list[int]] = {}
    weights: list[float] = []
    for place, sentence in enumerate(corpus.sentences):
        rare = _rarest(corpus, sentence)
        weights.append(fsum(map(corpus.weigh, rare)))
        if sentence.stems in twins:
            yield twins[sentence.stems], place
            continue
        if sentence.stems:
            twins[sentence.stems] = place
        yield from _met(corpus, place, rare, index, weights)


def _rarest(corpus: Corpus, sentence: Bag) -> list[str]:
    held = {term: corpus.count(term) for term in sentence.terms}
    known = [term for term, count in held.items() if 1 < count <= _COMMON]
    return sorted(known, key=lambda term: (held[term], term))[:_RAREST]


def _met(
    corpus: Corpus, place: int, rare: list[str], index: dict[str, list[int]], weights: list[float]
) -> Iterator[tuple[int, int]]:
    """Earlier sentences with enough of these stems; this one is then known by them too."""
    shared: dict[int, float] = {}
    for term in rare:
        weight = corpus.weigh(term)
        for other in index.setdefault(term, []):
            shared[other] = shared.get(other, 0.0) + weight
        index[term].append(place)
    own = weights[place]
    for other in sorted(shared):
        if shared[other] >= _SHARED * max(own, weights[other]):
            yield other, place


def _group(corpus: Corpus, members: list[int], interest: Sequence[float]) -> Group:
    sentences = corpus.sentences
    order = sorted(members, key=lambda place: (-interest[place], sentences[place].text, place))
    if len(order) < 2:
        return Group(members=tuple(order))
    compared = order[:_COMPARED]

    def apart(place: int) -> float:
        alike = (
            similar.likeness(sentences[place], sentences[other], corpus.weigh)
            for other in compared
            if other != place
        )
        return -round(fsum(alike), 6)

    middle = min(compared, key=apart)  # of equals the most interesting, which comes first
    return Group(members=(middle, *(place for place in order if place != middle)))
