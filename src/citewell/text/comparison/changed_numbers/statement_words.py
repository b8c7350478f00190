"""Measures how much of a statement stands in each sentence of its source, and in what is near it.

A word of near meaning stands for a word in part, and rare words weigh more: a paraphrase shares few
words with its source, but those that tell what it speaks of stand close to each other there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from citewell.text.comparison.statement_twins import list_word_terms
from citewell.text.evidence.claim_support import HEAD_LETTERS, SourceText
from citewell.text.evidence.sentence_features import SentenceFeatures
from citewell.text.passages.related_words import find_related_stems
from citewell.text.passages.term_weights import weigh_term

# What a word counts in the sentences after the one that has it, and in those before it.
_LATER_SHARES = (1.0, 0.75, 0.6, 0.5, 0.42, 0.36, 0.3)
_EARLIER_SHARES = (1.0, 0.55, 0.35)
_HEAD_NEARNESS = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementWords:
    """For each sentence of a source, the share of the statement's words by weight."""

    within: Sequence[float]  # in the sentence itself
    around: Sequence[float]  # in it or near it; less, the further away


def measure_statement_words(asked: SentenceFeatures, source: SourceText) -> StatementWords:
    count = len(source.sentence_features)
    within, around = [0.0] * count, [0.0] * count
    total = 0.0
    for term in list_word_terms(asked):
        weight = weigh_source_term(term, source)
        total += weight
        nearness = _find_term_sentences(term, source)
        for index, near in nearness.items():
            within[index] += weight * near
        for index, near in _spread_nearness(nearness, count).items():
            around[index] += weight * near
    if total:
        within = [one / total for one in within]
        around = [one / total for one in around]
    return StatementWords(within=within, around=around)


def measure_term_share(wanted: Iterable[str], held: AbstractSet[str], source: SourceText) -> float:
    """The share of some words, by weight, that others contain or come near to."""
    total = found = 0.0
    heads = {term[:HEAD_LETTERS] for term in held if len(term) >= HEAD_LETTERS}
    for term in wanted:
        weight = weigh_source_term(term, source)
        total += weight
        if term in held:
            found += weight
            continue
        related = find_related_stems(term, language=source.language)
        near = max((share for word, share in related.items() if word in held), default=0.0)
        if len(term) >= HEAD_LETTERS and term[:HEAD_LETTERS] in heads:
            near = max(near, _HEAD_NEARNESS)
        found += weight * near
    return found / total if total else 0.0


def weigh_source_term(term: str, source: SourceText) -> float:
    held = len(source.sentences_by_term.get(term, ()))
    return weigh_term(
        term, held=held, total=len(source.sentence_features), language=source.language
    )


def _find_term_sentences(term: str, source: SourceText) -> Mapping[int, float]:
    """The sentences that have the word or one like it, each with how near its word comes."""
    found: dict[int, float] = {}
    related = {**find_related_stems(term, language=source.language), term: 1.0}
    for word, near in related.items():
        for index in source.sentences_by_term.get(word, ()):
            found[index] = max(found.get(index, 0.0), near)
    if len(term) >= HEAD_LETTERS:
        for index in source.sentences_by_head.get(term[:HEAD_LETTERS], ()):
            found[index] = max(found.get(index, 0.0), _HEAD_NEARNESS)
    return found


def _spread_nearness(nearness: Mapping[int, float], count: int) -> Mapping[int, float]:
    spread: dict[int, float] = {}
    for index, near in nearness.items():
        steps = (
            *enumerate(_LATER_SHARES),
            *((-step, share) for step, share in enumerate(_EARLIER_SHARES)),
        )
        for step, share in steps:
            if 0 <= index + step < count:
                spread[index + step] = max(spread.get(index + step, 0.0), near * share)
    return spread
