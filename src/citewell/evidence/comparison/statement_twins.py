"""Finds the sentence of a source that says nearly the same as a statement, whatever its numbers are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest

from citewell.evidence.signs.claim_support import SourceText, list_context_terms
from citewell.evidence.signs.oppositions.compared_sentence import Certainty
from citewell.evidence.signs.oppositions.opposition import Opposition, find_opposition
from citewell.evidence.signs.sentence_features import SentenceFeatures, build_sentence_features

MIN_TWIN_TERMS = 3  # content words that a statement needs to be compared
_MIN_SHORT_TERMS = 2
_MAX_TWINS = 4
_MIN_TWIN_SHARE = 0.4  # of the statement's words without its numbers
# A sentence that begins so is about what the one before it names.
_PRONOUN_PATTERN = re.compile(
    r"\W{0,6}(?:it|its|they|their|this|these|he|she|er|sie|es|dies\w{0,2}|ihre?r?|il|elle|ils|elles|ce|cette|ces|son|sa|leurs?|este|esta|estos|estas|ella|ellos|su|sus)\b",
    re.IGNORECASE,
)
# Words between clauses that each say something of their own.
_CLAUSE_PATTERN = re.compile(
    r"[;:]\s|,?\s(?:because|since|but|whereas|although|weil|denn|aber|obwohl|während|parce que|car|mais|tandis que|porque|pero|aunque)\s",
    re.IGNORECASE,
)
_NEAR_SENTENCES = 1  # on each side of a sentence that shares words with the statement
_MIN_NEAR_SHARE = 0.34


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementTwin:
    """A sentence of the source, and the share of the statement's words that it has."""

    index: int
    features: SentenceFeatures
    start: int
    end: int
    # Of the statement's words, in the sentence, or in the one before if it goes on about that.
    share: float
    own_share: float  # of the statement's words, in the sentence alone
    shared_back: float  # of the sentence's words, in the statement


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinOpposition:
    """What opposes a statement, and the sentence of the source that it stands in."""

    opposition: Opposition
    twin: StatementTwin


def find_statement_twins(
    asked: SentenceFeatures, source: SourceText, *, min_share: float = _MIN_TWIN_SHARE
) -> tuple[StatementTwin, ...]:
    """The sentences with most of the statement's words, the best first; none for a short statement."""
    wanted = asked.word_terms
    if len(wanted) < MIN_TWIN_TERMS:
        if len(wanted) < _MIN_SHORT_TERMS:
            return ()
        min_share = 1.0  # of so few words, a sentence must have all
    shares = _measure_twins(wanted, source)
    best = nlargest(_MAX_TWINS, shares, key=lambda row: (row[1], row[2]))
    return tuple(
        StatementTwin(
            index=index,
            features=source.sentence_features[index],
            start=source.sentence_spans[index][0],
            end=source.sentence_spans[index][1],
            share=share,
            own_share=own_share,
            shared_back=shared_back,
        )
        for index, share, shared_back, own_share in best
        if share >= min_share
    )


def _measure_twins(
    wanted: frozenset[str], source: SourceText
) -> Iterator[tuple[int, float, float, float]]:
    """Of each sentence that shares a word: its place, `share`, `shared_back` and `own_share`."""
    every = source.sentence_features
    for index in source.count_shared_terms(wanted):
        sentence = every[index]
        known = wanted & sentence.word_terms
        shared = len(known)
        if shared:
            if index and _PRONOUN_PATTERN.match(sentence.text):
                known |= wanted & every[index - 1].terms
            yield (
                index,
                len(known) / len(wanted),
                shared / len(sentence.word_terms),
                shared / len(wanted),
            )


def find_twin_opposition(
    asked: SentenceFeatures, twins: Sequence[StatementTwin], source: SourceText
) -> TwinOpposition | None:
    """What one of the nearest sentences says to the contrary of the statement, or surely of a clause."""
    found = _find_opposed_twin(asked, twins, source)
    if found is not None and found.opposition.certainty is Certainty.SURE:
        return found
    for text in _CLAUSE_PATTERN.split(asked.text):
        clause = build_sentence_features(text, language=asked.language)
        if clause.text == asked.text or len(clause.word_terms) < MIN_TWIN_TERMS:
            continue
        opposed = _find_opposed_twin(clause, find_statement_twins(clause, source), source)
        if opposed is not None and opposed.opposition.certainty is Certainty.SURE:
            return opposed
    return found


def _find_opposed_twin(
    asked: SentenceFeatures, twins: Sequence[StatementTwin], source: SourceText
) -> TwinOpposition | None:
    found = find_opposition(
        asked.compared,
        [twin.features.compared for twin in twins],
        contexts=[list_context_terms(source, twin.index) for twin in twins],
    )
    return None if found is None else TwinOpposition(opposition=found, twin=twins[found.place])


def list_near_sentences(
    asked: SentenceFeatures, source: SourceText
) -> tuple[SentenceFeatures, ...]:
    """The sentences that share words with the statement, and those beside them."""
    wanted = asked.word_terms
    if not wanted:
        return source.sentence_features
    near: set[int] = set()
    for index, shared in source.count_shared_terms(wanted).items():
        if shared >= _MIN_NEAR_SHARE * len(wanted):
            near.update(range(index - _NEAR_SENTENCES, index + _NEAR_SENTENCES + 1))
    return tuple(
        source.sentence_features[at]
        for at in sorted(near)
        if 0 <= at < len(source.sentence_features)
    )
