"""Scores the sentences of all pages for every side of the question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from citewell.services.research.analysis.quotable_sentences import (
    QuotableSentence,
    collect_quotable_sentences,
)
from citewell.services.research.collecting import source_kinds
from citewell.services.research.step_values import PageReading, PageReadings, ResearchPlan
from citewell.text.evidence import copied_texts, similarity
from citewell.text.evidence.ranking import SentenceCorpus, boost_answering_sentences, combine_scores
from citewell.text.evidence.sentence_features import SentenceFeatures, build_sentence_features

ADDRESSED_COVERAGE = (
    0.5  # share of a side's words, by weight, in a sentence that addresses all of it
)
_MIN_SUBJECT_COVERAGE = 0.5  # share of a side's words, weighted by rarity among pages
_CONTEXT_WEIGHT = 0.5  # weight of words that occur only in the title or the heading
_ANSWER_BONUS, _CUE_BONUS, _CONTEXT_PENALTY = (
    0.1,
    0.1,
    0.05,
)  # bonus for a fitting answer, for the side's cue; penalty for needing context
_SCORE_DIGITS = 6
_BEST_SHARE, _MAX_BAR, _MIN_BAR = 0.75, 0.4, 0.25  # share of the best coverage, and its limits
_SideScores = tuple[tuple[float, ...], tuple[float, ...], tuple[bool, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSentences:
    """For each side of the plan, the score and the coverage of each sentence."""

    plan: ResearchPlan
    pages: tuple[PageReading, ...]  # that were read
    copy_origins: tuple[int, ...]  # for each page, the index of the page it repeats, or its own
    sentences: tuple[QuotableSentence, ...]
    corpus: SentenceCorpus
    scores: tuple[tuple[float, ...], ...]
    coverage: tuple[tuple[float, ...], ...]
    cue_matches: tuple[tuple[bool, ...], ...]
    min_coverage: tuple[float, ...]  # the coverage that a sentence needs, for each side

    def identify_sentence_owner(self, candidate: int) -> str:
        return source_kinds.identify_source_owner(
            self.pages[self.sentences[candidate].page_index].url
        )

    def is_about_side(self, side: int, candidate: int) -> bool:
        """Whether a sentence is about this side, compared with the best one found."""
        return (
            self.cue_matches[side][candidate]
            and self.coverage[side][candidate] >= self.min_coverage[side]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ScoringContext:
    """What the scoring of every side needs."""

    sentences: Sequence[QuotableSentence]
    source_priors: Sequence[float]
    title_bags: Sequence[SentenceFeatures]  # of the pages
    headings: frozenset[str]
    page_corpus: (
        SentenceCorpus  # each page as one bag of words; words rare among pages tell the subject
    )


def score_sentences(plan: ResearchPlan, readings: PageReadings) -> ScoredSentences:
    pages = tuple(page for page in readings.pages if page.is_read)
    copies = copied_texts.find_copied_originals([page.text for page in pages])
    originals = [place for place, first in enumerate(copies) if place == first]
    found = collect_quotable_sentences(pages, page_indexes=originals)
    corpus = SentenceCorpus([_add_preceding_terms(one, pages) for one in found])
    known = _ScoringContext(
        sentences=found,
        source_priors=_score_source_priors(plan, pages, found),
        title_bags=[build_sentence_features(page.title, language=page.language) for page in pages],
        headings=frozenset(one.heading for one in found),
        page_corpus=_build_page_corpus(pages, found),
    )
    sides = [_score_side(plan, number, corpus, known) for number in range(len(plan.sides))]
    return ScoredSentences(
        plan=plan,
        pages=pages,
        copy_origins=copies,
        sentences=found,
        corpus=corpus,
        scores=tuple(scores for scores, _, _ in sides),
        coverage=tuple(covered for _, covered, _ in sides),
        cue_matches=tuple(cued for _, _, cued in sides),
        min_coverage=tuple(_choose_min_coverage(covered) for _, covered, _ in sides),
    )


def _choose_min_coverage(covered: Sequence[float]) -> float:
    return max(_MIN_BAR, min(_MAX_BAR, _BEST_SHARE * max(covered, default=0.0)))


def _add_preceding_terms(one: QuotableSentence, pages: Sequence[PageReading]) -> SentenceFeatures:
    """The words a sentence is ranked by, with those of the sentence it refers back to."""
    if one.context_span is None:
        return one.bag
    start, end = one.context_span
    context = build_sentence_features(
        pages[one.page_index].text[start:end], language=one.bag.language
    )
    return replace(one.bag, stems=(*one.bag.stems, *context.stems))


def _score_side(
    plan: ResearchPlan, number: int, corpus: SentenceCorpus, known: _ScoringContext
) -> _SideScores:
    side = plan.sides[number]
    wanted = build_sentence_features(side.about or side.query, language=plan.language)
    wanted = wanted if wanted.terms else build_sentence_features(plan.query, language=plan.language)
    found = known.sentences
    heads = {
        heading: build_sentence_features(heading, language=plan.language).terms
        for heading in known.headings
    }
    places = [
        _score_position(one, similarity.measure_stem_coverage(wanted, heads[one.heading]))
        for one in found
    ]
    alone = corpus.score_terms(wanted.terms)
    covered = _blend_coverage(alone.coverage, wanted, corpus, known, heads)
    plain = combine_scores(
        replace(alone, coverage=covered), place_scores=places, prior_scores=known.source_priors
    )
    cue = re.compile(rf"\b(?:{side.cue})", re.IGNORECASE) if side.cue else None
    cued = tuple(
        (cue is None or cue.search(one.text) is not None)
        and _has_subject(
            wanted, leant.terms | known.title_bags[one.page_index].terms | heads[one.heading], known
        )
        for one, leant in zip(found, corpus.sentences, strict=True)
    )
    fitting = boost_answering_sentences(plan.query, [one.text for one in found], plain)
    scores = tuple(
        round(score + _score_bonus(one, cued=cue is not None and hit), _SCORE_DIGITS)
        for score, one, hit in zip(fitting, found, cued, strict=True)
    )
    return scores, covered, cued


def _has_subject(wanted: SentenceFeatures, held: frozenset[str], known: _ScoringContext) -> bool:
    """Whether these words name the subject, and not only common words of the side."""
    return (
        similarity.measure_stem_coverage(wanted, held, known.page_corpus.weigh_term)
        >= _MIN_SUBJECT_COVERAGE
    )


def _build_page_corpus(
    pages: Sequence[PageReading], found: Sequence[QuotableSentence]
) -> SentenceCorpus:
    held: list[set[str]] = [set() for _ in pages]
    for one in found:
        held[one.page_index] |= one.bag.terms
    return SentenceCorpus([SentenceFeatures(text="", stems=tuple(sorted(terms))) for terms in held])


def _blend_coverage(
    alone: Sequence[float],
    wanted: SentenceFeatures,
    corpus: SentenceCorpus,
    known: _ScoringContext,
    heads: Mapping[str, frozenset[str]],
) -> tuple[float, ...]:
    """Coverage with title and heading in part: a page need not name its subject in every sentence."""
    blended = []
    for share, one in zip(alone, known.sentences, strict=True):
        context = known.title_bags[one.page_index].terms | heads[one.heading]
        more = share
        if share and context & wanted.terms:
            more = similarity.measure_stem_coverage(
                wanted, one.bag.terms | context, corpus.weigh_term
            )
        blended.append(round(share + _CONTEXT_WEIGHT * max(0.0, more - share), _SCORE_DIGITS))
    return tuple(blended)


def _score_position(one: QuotableSentence, headed: float) -> float:
    """Higher for early sentences, which often summarize, and under a heading on the subject."""
    return 0.5 / (1 + one.sentence_index / 20) + 0.5 * headed


def _score_bonus(one: QuotableSentence, *, cued: bool) -> float:
    return (_CUE_BONUS if cued else 0.0) - (
        _CONTEXT_PENALTY if one.context_span is not None else 0.0
    )


def _score_source_priors(
    plan: ResearchPlan, pages: Sequence[PageReading], found: Sequence[QuotableSentence]
) -> list[float]:
    """The weight of each sentence's source, 0 to 1; for questions on news, also how recent it is."""
    worths = [
        source_kinds.weigh_source(
            source_kinds.classify_source(page.url, page_kind=page.page_kind), page.reputation
        )
        / 0.6
        for page in pages
    ]
    if plan.kind == "latest":
        days = sorted({page.published[:10] for page in pages if page.published})
        order = {day: (place + 1) / len(days) for place, day in enumerate(days)}
        fresh = [order[page.published[:10]] if page.published else 0.0 for page in pages]
        worths = [0.4 * old + 0.6 * new for old, new in zip(worths, fresh, strict=True)]
    return [min(1.0, worths[one.page_index]) for one in found]
