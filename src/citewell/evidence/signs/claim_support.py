"""Measures whether a source supports a claim: a score, the best snippet, and the relation.

The overlap is .4 × the share of the claim's words in the 24 sentences around the best place, plus
.3 × the share in the best three sentences, plus .3 × the share of its word pairs, minus .2 × the
share of its numbers and .1 × the share of its names that are missing. `sentence_features` makes a
score of it that depends on the kind of source. A score of .5 or more and the relation SUPPORTS are
the same. On labelled citations four in five are not supported below .25, and four in five are
supported from .8 on.

Words alone confirm half of the false claims that use them. So a source supports a claim only if no
doubt is left about names, opposites, strength and order (`grounding_signs`), and if trees learned
from labelled claims (`grounding_trees`) find that it says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citewell.core.values.research import ClaimRelation
from citewell.evidence.signs import grounding_signs, sentence_features
from citewell.evidence.signs.claim_frames import find_frame_doubts
from citewell.evidence.signs.grounding_signs import ClaimPassage, GroundingDoubt, estimate_chance
from citewell.evidence.signs.nearest_sentences import has_negated_terms
from citewell.evidence.signs.oppositions import statement_clauses
from citewell.evidence.signs.oppositions.compared_sentence import NEGATION, Certainty
from citewell.evidence.signs.oppositions.contrary_words import OPPOSITION_LANGUAGES
from citewell.evidence.signs.oppositions.opposition import Opposition, find_opposition
from citewell.evidence.signs.sentence_features import (
    HEAD_LETTERS,
    MIN_SUPPORTED_SCORE,
    SentenceFeatures,
    SourceText,
    build_sentence_features,
    remove_citation_marks,
)
from citewell.text.language import detection, scripts, word_forms
from citewell.text.quantities import stated_quantities

BLOCK_COVERAGE_WEIGHT, WINDOW_COVERAGE_WEIGHT, STEM_PAIR_WEIGHT = 0.4, 0.3, 0.3
MISSING_NUMBER_PENALTY, MISSING_NAME_PENALTY = 0.2, 0.1
UNSUPPORTED_BELOW_SCORE = 0.25
MIN_GROUNDED_CHANCE = 0.45  # below it the trees doubt that a passage with the claim's words says it
# The score of a source that opposes the claim or has another number is never above this.
_MAX_UNSUPPORTED_SCORE = 0.49
# Two sentences that each contain this share of the other have the same subject.
MIN_MUTUAL_COVERAGE = 0.5
MIN_CLAIM_COVERAGE = 0.7  # a sentence that contains this share of the claim has its subject too
_WINDOW_SENTENCES, _BLOCK_SENTENCES = 3, 24  # sentences
_REPEATED_WORD_WORTH, _MAX_REPEATED_WORDS = 0.01, 9  # of words that a window has several times
# Sentences that are read closely for an opposition, and the share of the claim's words in each.
_MAX_CLOSE_SENTENCES, _MIN_CLOSE_SHARE = 6, 0.25
# Fewer sentences of the window are enough for a snippet if they have this share of its words.
_MIN_SNIPPET_SHARE = 0.9
_CONTEXT_SENTENCES = 2  # before a sentence, which may name what it speaks of
_MAX_SNIPPET_CHARS = 900  # length of a snippet
# Words of a claim that a source in its language has: their letters, number and share.
_MIN_SENTENCE_WORDS = 10
_KINDRED_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")  # with the same letters
_MIN_FUNCTION_WORD_SHARE = 0.25
_MIN_SHARED_LETTERS, _MIN_SHARED_WORDS, _MIN_SHARED_SHARE = 4, 3, 0.6
_LIST_NUMBER_PATTERN = re.compile(r"\A\s{0,9}\d{1,2}[.)] (?=\w)")

__all__ = [
    "HEAD_LETTERS",
    "MIN_CLAIM_COVERAGE",
    "MIN_MUTUAL_COVERAGE",
    "MIN_SUPPORTED_SCORE",
    "UNSUPPORTED_BELOW_SCORE",
    "ClaimSupport",
    "SourceText",
    "assess_support",
    "can_share_language",
    "find_source_opposition",
    "list_context_terms",
    "list_support_signs",
    "remove_citation_marks",
    "share_language",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSupport:
    score: float  # 0 to 1
    relation: ClaimRelation
    start: int
    end: int
    snippet: str
    # Numbers of the claim that the source does not have near the snippet.
    missing_numbers: tuple[str, ...] = ()
    # What shows that it contradicts or qualifies: "negation: …", "antonym: increases/lower", "number: …".
    ground: str = ""
    # Why a passage that has the words of the claim does not support it, and which words it lacks.
    doubts: tuple[GroundingDoubt, ...] = ()
    ungrounded_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClaimComparison:
    """A claim beside the sentences of a source that have most of its words."""

    asked: SentenceFeatures
    window: tuple[int, int]  # the best three sentences
    snippet: tuple[int, int]  # the fewest of them that are enough
    score: float
    gone: tuple[stated_quantities.StatedQuantity, ...]  # numbers of the claim that are not near
    close: tuple[SentenceFeatures, ...]
    against: Opposition | None


def assess_support(claim: str, source: SourceText) -> ClaimSupport:
    """How far the source supports the claim; the snippet is empty if they share no word."""
    found = _compare_claim(claim, source)
    if found is None:
        return ClaimSupport(score=0.0, relation=ClaimRelation.MENTIONS, start=0, end=0, snippet="")
    first, last = found.snippet
    start, end = source.sentence_spans[first][0], source.sentence_spans[last - 1][1]
    end = min(end, start + _MAX_SNIPPET_CHARS)
    relation = _find_relation(found, source)
    score = found.score
    doubts: tuple[GroundingDoubt, ...] = ()
    passage = _build_claim_passage(found, source)
    if relation is ClaimRelation.SUPPORTS:
        signs = grounding_signs.list_grounding_signs(found.asked, passage, against=found.against)
        doubts = tuple(
            dict.fromkeys(
                (*grounding_signs.list_doubts(signs), *find_frame_doubts(found.asked, passage))
            )
        )
        # The learned trees tell how likely the passage says the claim.
        if doubts or estimate_chance("grounding_trees", signs) < MIN_GROUNDED_CHANCE:
            relation = ClaimRelation.MENTIONS
    if relation is not ClaimRelation.SUPPORTS:
        score = min(score, _MAX_UNSUPPORTED_SCORE)
    return ClaimSupport(
        score=score,
        relation=relation,
        start=start,
        end=end,
        snippet=source.text[start:end],
        missing_numbers=tuple(number.text for number in found.gone),
        ground=_describe_ground(relation, found.against, found.gone[0].text if found.gone else ""),
        doubts=doubts,
        ungrounded_words=()
        if relation is ClaimRelation.SUPPORTS
        else grounding_signs.list_ungrounded_words(found.asked, passage),
    )


def list_support_signs(claim: str, source: SourceText) -> tuple[float, ...] | None:
    """The signs by which the trees judge whether the source says the claim; None without a shared word."""
    found = _compare_claim(claim, source)
    if found is None:
        return None
    passage = _build_claim_passage(found, source)
    return grounding_signs.list_grounding_signs(found.asked, passage, against=found.against)


def _compare_claim(claim: str, source: SourceText) -> _ClaimComparison | None:
    asked = build_sentence_features(
        _LIST_NUMBER_PATTERN.sub("", remove_citation_marks(claim)), language=source.language
    )
    shares = {
        at: asked.terms & source.sentence_features[at].terms
        for at in source.count_shared_terms(asked.terms)
    }
    if not shares:
        return None
    count = len(source.sentence_features)
    window = _find_best_window(shares, _WINDOW_SENTENCES, count)
    # The block of sentences around the window; a whole long page would contain any word.
    start = max(0, min((window[0] + window[1] - _BLOCK_SENTENCES) // 2, count - _BLOCK_SENTENCES))
    block = start, min(count, start + _BLOCK_SENTENCES)
    gone = sentence_features.find_missing_numbers(
        asked, source.sentence_features[slice(*block)], source.figures, source.all_terms
    )
    snippet = _narrow_to_snippet(shares, window)
    places = _select_close_places(asked, shares, snippet)
    close = tuple(source.sentence_features[at] for at in places)
    return _ClaimComparison(
        asked=asked,
        window=window,
        snippet=snippet,
        score=_score_support(asked, source, window, block, len(gone)),
        gone=gone,
        close=close,
        against=find_source_opposition(
            asked, close, contexts=[list_context_terms(source, at) for at in places]
        ),
    )


def _find_relation(found: _ClaimComparison, source: SourceText) -> ClaimRelation:
    relation = _choose_relation(
        found.asked,
        source.sentence_features[slice(*found.snippet)],
        found.score,
        against=found.against,
        number_missing=bool(found.gone),
    )
    if relation is not ClaimRelation.SUPPORTS:
        return relation
    is_opposed = found.against is not None and sentence_features.is_research_text(
        found.asked, source.sentence_features
    )
    clauses = [clause for sentence in found.close for clause in sentence.compared.clauses]
    if is_opposed or statement_clauses.lacks_denial(found.asked.compared.clauses, clauses):
        return ClaimRelation.MENTIONS
    return relation


def _build_claim_passage(found: _ClaimComparison, source: SourceText) -> ClaimPassage:
    return grounding_signs.build_passage(
        found.asked,
        source.sentence_features,
        found.window,
        source_terms=source.all_terms,
        known_terms=source.known_terms,
    )


def list_context_terms(source: SourceText, index: int) -> frozenset[str]:
    """The stems of the sentences just before one, and of the first of the source."""
    held = source.sentence_features
    before = (*held[max(0, index - _CONTEXT_SENTENCES) : index], *held[:1])
    return frozenset().union(*(sentence.terms for sentence in before))


def share_language(claim: str, source: SourceText) -> bool:
    """Whether claim and source are in the same language beyond doubt."""
    spoken = source.spoken_language
    asked = detection.detect_language(claim)
    if spoken is None or asked is not None:
        return spoken is not None and asked is not None and spoken[:2] == asked[:2]
    # A short sentence may have no function word at all, but none of another language either.
    words = set(word_forms.split_words(claim)) - word_forms.list_stopwords(spoken)
    others = (code for code in _KINDRED_LANGUAGES if code != spoken[:2])
    return all(words.isdisjoint(word_forms.list_stopwords(code)) for code in others)


def can_share_language(claim: str, source: SourceText) -> bool:
    """Whether claim and source can be in the same language; otherwise a low score means nothing."""
    spoken = source.spoken_language
    if spoken is None:
        return True
    asked = detection.detect_language(claim)
    if asked is not None and spoken[:2] == asked[:2]:
        return True
    words = list(word_forms.split_words(claim))
    function_words = word_forms.list_stopwords(spoken)
    if asked is None:
        # A whole sentence has function words of its language; shorter texts need none.
        is_long = bool(function_words) and len(words) >= _MIN_SENTENCE_WORDS
        return (
            not scripts.has_distinctive_script(spoken) or scripts.can_be_written_in(claim, spoken)
        ) and not (is_long and function_words.isdisjoint(words))
    # A kindred language may have been detected, the more easily the shorter the claim is.
    long_words = {word for word in words if len(word) >= _MIN_SHARED_LETTERS}
    shared = len(long_words & source.words)
    if len(long_words) >= _MIN_SHARED_WORDS and shared >= _MIN_SHARED_SHARE * len(long_words):
        return True
    return sum(word in function_words for word in words) >= _MIN_FUNCTION_WORD_SHARE * len(words)


def _choose_relation(
    claim: SentenceFeatures,
    sentences: Sequence[SentenceFeatures],
    score: float,
    *,
    against: Opposition | None,
    number_missing: bool,
) -> ClaimRelation:
    if against is not None and against.certainty >= Certainty.LIKELY:
        return ClaimRelation.CONTRADICTS
    if number_missing and any(
        stated_quantities.has_conflicting_values(claim.quantities, sentence.quantities)
        for sentence in sentences
        if _has_claim_subject(claim, sentence)
    ):
        return ClaimRelation.QUALIFIES
    return (
        ClaimRelation.SUPPORTS
        if score >= MIN_SUPPORTED_SCORE and not number_missing
        else ClaimRelation.MENTIONS
    )


def find_source_opposition(
    claim: SentenceFeatures,
    sentences: Sequence[SentenceFeatures],
    *,
    contexts: Sequence[frozenset[str]] = (),
) -> Opposition | None:
    """What shows that one of the sentences opposes the claim, if anything does.

    `contexts` are the stems before each sentence, as `find_opposition` takes them.
    """
    found = find_opposition(
        claim.compared, [sentence.compared for sentence in sentences], contexts=contexts
    )
    if found is not None and found.certainty > Certainty.UNSETTLED:
        return found
    code = claim.compared.code
    if code == "en" or (found is None and code in OPPOSITION_LANGUAGES):
        return None
    return _find_apart_negation(claim, sentences)


def _find_apart_negation(
    claim: SentenceFeatures, sentences: Sequence[SentenceFeatures]
) -> Opposition | None:
    """A sentence on the claim's subject that negates a word of it, or that the claim negates."""
    for place, sentence in enumerate(sentences):
        if not _has_claim_subject(claim, sentence):
            continue
        is_denying = has_negated_terms(claim.text, sentence.terms, language=claim.language)
        if is_denying != has_negated_terms(sentence.text, claim.terms, language=claim.language):
            return Opposition(certainty=Certainty.LIKELY, ground=NEGATION, place=place)
    return None


def _describe_ground(relation: ClaimRelation, against: Opposition | None, number: str) -> str:
    if relation is ClaimRelation.CONTRADICTS and against is not None:
        return against.ground
    return f"number: {number}" if relation is ClaimRelation.QUALIFIES else ""


def _has_claim_subject(claim: SentenceFeatures, sentence: SentenceFeatures) -> bool:
    return (
        sentence_features.measure_stem_coverage(claim, sentence.terms) >= MIN_CLAIM_COVERAGE
        or sentence_features.measure_mutual_coverage(claim, sentence) >= MIN_MUTUAL_COVERAGE
    )


def _score_support(
    asked: SentenceFeatures,
    source: SourceText,
    window: tuple[int, int],
    block: tuple[int, int],
    gone: int,
) -> float:
    found = source.sentence_features
    near = frozenset().union(*(row.terms for row in found[slice(*window)]))
    wide = frozenset().union(*(row.terms for row in found[slice(*block)]))
    pairs = frozenset().union(*(row.stem_pairs for row in found[slice(*block)]))
    paired = len(asked.stem_pairs & pairs) / len(asked.stem_pairs) if asked.stem_pairs else 0.0
    if not asked.stem_pairs:
        paired = sentence_features.measure_stem_coverage(asked, near)
    numbers = asked.quantities
    lost = gone / len(numbers) if numbers else 0.0
    overlap = (
        BLOCK_COVERAGE_WEIGHT * sentence_features.measure_stem_coverage(asked, wide)
        + WINDOW_COVERAGE_WEIGHT * sentence_features.measure_stem_coverage(asked, near)
        + STEM_PAIR_WEIGHT * paired
        - MISSING_NUMBER_PENALTY * lost
        - MISSING_NAME_PENALTY
        * sentence_features.measure_missing_names(
            asked, source.all_terms, source.sentences_by_head.keys()
        )
    )
    least = sentence_features.choose_least_overlap(asked, found)
    return round(sentence_features.scale_overlap(overlap, least), 4)


def _select_close_places(
    asked: SentenceFeatures, shares: Mapping[int, frozenset[str]], place: tuple[int, int]
) -> list[int]:
    """The places of the sentences with most of the claim's words, in which an opposition is looked for."""
    if (asked.language or "en")[:2] != "en":
        return list(range(*place))
    least = _MIN_CLOSE_SHARE * len(asked.terms)
    rows = [at for at, shared in shares.items() if len(shared) >= least]
    rows.sort(key=lambda at: -len(shares[at]))
    return rows[:_MAX_CLOSE_SENTENCES]


def _find_best_window(
    shares: Mapping[int, frozenset[str]], width: int, count: int
) -> tuple[int, int]:
    """The `width` consecutive sentences of `count` with most of the claim's words; the first of equals."""
    best, found = -1.0, 0
    for start in sorted({max(0, at - step) for at in shares for step in range(width)}):
        part = _list_shared(shares, start, start + width)
        total = sum(map(len, part))
        if total + _REPEATED_WORD_WORTH * _MAX_REPEATED_WORDS <= best:
            continue
        # Of windows with the same words, the one that repeats them most is preferred.
        repeated = _REPEATED_WORD_WORTH * min(_MAX_REPEATED_WORDS, total)
        worth = len(frozenset().union(*part)) + repeated
        if worth > best:
            best, found = worth, start
    return found, min(found + width, count)


def _list_shared(
    shares: Mapping[int, frozenset[str]], start: int, end: int
) -> list[frozenset[str]]:
    return [shares[at] for at in range(start, end) if at in shares]


def _narrow_to_snippet(
    shares: Mapping[int, frozenset[str]], window: tuple[int, int]
) -> tuple[int, int]:
    """The fewest consecutive sentences of the window with nearly all of its shared words."""
    start, end = window
    whole = len(frozenset().union(*_list_shared(shares, start, end)))
    for width in range(1, end - start + 1):
        for at in range(start, end - width + 1):
            part = _list_shared(shares, at, at + width)
            if len(frozenset().union(*part)) >= _MIN_SNIPPET_SHARE * whole:
                return at, at + width
    return window
