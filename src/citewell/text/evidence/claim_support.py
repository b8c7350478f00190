"""Measures whether a source supports a claim: a score, the best snippet, and the relation.

The score is .4 × the share of the claim's words in the 24 sentences around the best place, plus
.3 × the share in the best three sentences, plus .3 × the share of its word pairs, minus .2 × the
share of its numbers that are missing. On labelled citations four in five are not supported below
.25, and four in five are supported from .8 on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from citewell.model.research import ClaimRelation
from citewell.text.evidence import negation, similarity
from citewell.text.evidence.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.language import detection, scripts, sentences
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.stated_quantities import StatedQuantity

BLOCK_COVERAGE_WEIGHT, WINDOW_COVERAGE_WEIGHT, STEM_PAIR_WEIGHT, MISSING_NUMBER_PENALTY = (
    0.4,
    0.3,
    0.3,
    0.2,
)
UNSUPPORTED_BELOW_SCORE, MIN_SUPPORTED_SCORE = 0.25, 0.5
# Two sentences that each contain this share of the other have the same subject.
MIN_MUTUAL_COVERAGE = 0.5
MIN_CLAIM_COVERAGE = 0.7  # a sentence that contains this share of the claim has its subject too
_WINDOW_SENTENCES, _BLOCK_SENTENCES = 3, 24  # sentences
# Fewer sentences of the window are enough for a snippet if they have this share of its words.
_MIN_SNIPPET_SHARE = 0.9
_MAX_SNIPPET_CHARS = 900  # length of a snippet


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSupport:
    score: float  # 0 to 1
    relation: ClaimRelation
    start: int
    end: int
    snippet: str
    # Numbers of the claim that the source does not have near the snippet.
    missing_numbers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """A source text, split into sentences once to be checked against many claims."""

    text: str
    language: str | None = None

    @cached_property
    def sentence_spans(self) -> tuple[tuple[int, int], ...]:
        return sentences.find_sentence_spans(self.text)

    @cached_property
    def sentence_features(self) -> tuple[SentenceFeatures, ...]:
        return tuple(
            build_sentence_features(self.text[start:end], language=self.language)
            for start, end in self.sentence_spans
        )


def assess_support(claim: str, source: SourceText) -> ClaimSupport:
    """How far the source supports the claim; the snippet is empty if they share no word."""
    asked = build_sentence_features(claim, language=source.language)
    shares = [asked.terms & one.terms for one in source.sentence_features]
    if not any(shares):
        return ClaimSupport(score=0.0, relation=ClaimRelation.MENTIONS, start=0, end=0, snippet="")
    window = _find_best_window(shares, _WINDOW_SENTENCES)
    block = _widen_to_block(window, len(shares))
    gone = _find_missing_numbers(asked, source.sentence_features[slice(*block)])
    score = _score_support(asked, source.sentence_features, window, block, len(gone))
    place = _narrow_to_snippet(shares, window)
    start, end = source.sentence_spans[place[0]][0], source.sentence_spans[place[1] - 1][1]
    end = min(end, start + _MAX_SNIPPET_CHARS)
    relation = classify_relation(
        asked, source.sentence_features[slice(*place)], score, number_missing=bool(gone)
    )
    return ClaimSupport(
        score=score,
        relation=relation,
        start=start,
        end=end,
        snippet=source.text[start:end],
        missing_numbers=tuple(one.text for one in gone),
    )


def can_share_language(claim: str, source: SourceText) -> bool:
    """Whether claim and source can be in the same language; otherwise a low score means nothing."""
    spoken = source.language or detection.detect_language(source.text)
    asked = detection.detect_language(claim)
    if spoken is None or asked is None:
        return (
            spoken is None
            or not scripts.has_distinctive_script(spoken)
            or scripts.can_be_written_in(claim, spoken)
        )
    return spoken[:2] == asked[:2]


def classify_relation(
    claim: SentenceFeatures,
    said: Sequence[SentenceFeatures],
    score: float,
    *,
    number_missing: bool = False,
) -> ClaimRelation:
    """The relation of the found sentences to the claim.

    CONTRADICTS is possible only for sentences with the same subject. With `number_missing`, a
    number of the claim is missing nearby: then the relation is never SUPPORTS.
    """
    near = [one for one in said if _has_claim_subject(claim, one)]
    if any(_is_opposed_to_claim(claim, one) for one in near):
        return ClaimRelation.CONTRADICTS
    if number_missing and any(
        stated_quantities.has_conflicting_values(claim.quantities, one.quantities) for one in near
    ):
        return ClaimRelation.QUALIFIES
    return (
        ClaimRelation.SUPPORTS
        if score >= MIN_SUPPORTED_SCORE and not number_missing
        else ClaimRelation.MENTIONS
    )


def _has_claim_subject(claim: SentenceFeatures, one: SentenceFeatures) -> bool:
    return (
        similarity.measure_stem_coverage(claim, one.terms) >= MIN_CLAIM_COVERAGE
        or similarity.measure_mutual_coverage(claim, one) >= MIN_MUTUAL_COVERAGE
    )


def _is_opposed_to_claim(claim: SentenceFeatures, one: SentenceFeatures) -> bool:
    denied = negation.has_negated_terms(claim.text, one.terms, language=claim.language)
    return denied != negation.has_negated_terms(one.text, claim.terms, language=one.language)


def _score_support(
    asked: SentenceFeatures,
    found: Sequence[SentenceFeatures],
    window: tuple[int, int],
    block: tuple[int, int],
    gone: int,
) -> float:
    near = frozenset().union(*(one.terms for one in found[slice(*window)]))
    wide = frozenset().union(*(one.terms for one in found[slice(*block)]))
    pairs = frozenset().union(*(one.stem_pairs for one in found[slice(*block)]))
    paired = len(asked.stem_pairs & pairs) / len(asked.stem_pairs) if asked.stem_pairs else 0.0
    if not asked.stem_pairs:
        paired = similarity.measure_stem_coverage(asked, near)
    told = asked.quantities
    lost = gone / len(told) if told else 0.0
    score = (
        BLOCK_COVERAGE_WEIGHT * similarity.measure_stem_coverage(asked, wide)
        + WINDOW_COVERAGE_WEIGHT * similarity.measure_stem_coverage(asked, near)
        + STEM_PAIR_WEIGHT * paired
        - MISSING_NUMBER_PENALTY * lost
    )
    return round(min(1.0, max(0.0, score)), 4)


def _find_missing_numbers(
    asked: SentenceFeatures, found: Sequence[SentenceFeatures]
) -> tuple[StatedQuantity, ...]:
    if not asked.quantities:
        return ()
    return stated_quantities.find_missing_quantities(
        asked.quantities, (one for each in found for one in each.quantities)
    )


def _find_best_window(shares: Sequence[frozenset[str]], width: int) -> tuple[int, int]:
    """The `width` consecutive sentences with most of the claim's words; the first of equals."""
    best, at = -1.0, 0
    for start in range(len(shares)):
        part = shares[start : start + width]
        # Of windows with the same words, the one that repeats them most is preferred.
        worth = len(frozenset().union(*part)) + 0.01 * min(9, sum(map(len, part)))
        if worth > best:
            best, at = worth, start
    return at, min(at + width, len(shares))


def _widen_to_block(window: tuple[int, int], count: int) -> tuple[int, int]:
    """The block of sentences around the window; a whole long page would contain any word."""
    start = max(0, min((window[0] + window[1] - _BLOCK_SENTENCES) // 2, count - _BLOCK_SENTENCES))
    return start, min(count, start + _BLOCK_SENTENCES)


def _narrow_to_snippet(
    shares: Sequence[frozenset[str]], window: tuple[int, int]
) -> tuple[int, int]:
    """The fewest consecutive sentences of the window with nearly all of its shared words."""
    start, end = window
    whole = len(frozenset().union(*shares[start:end]))
    for width in range(1, end - start + 1):
        for at in range(start, end - width + 1):
            if len(frozenset().union(*shares[at : at + width])) >= _MIN_SNIPPET_SHARE * whole:
                return at, at + width
    return window
