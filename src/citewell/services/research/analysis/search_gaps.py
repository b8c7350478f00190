"""Finds the sides of a question that a round left open, and builds queries for the next round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from citewell.services.research.analysis.sentence_scoring import (
    ADDRESSED_COVERAGE,
    ScoredSentences,
    score_sentences,
)
from citewell.services.research.step_values import PageReadings, ResearchPlan
from citewell.text.evidence.sentence_features import build_sentence_features
from citewell.text.language import stopwords, tokens

_LEADING_SENTENCES = 6  # best sentences whose words are added to a query
_MAX_ADDED_WORDS = 3  # words added to a query
_MAX_GAP_QUERY_CHARS = 300  # characters of a query


def find_gap_queries(
    plan: ResearchPlan, readings: PageReadings, *, searched: Iterable[str] = ()
) -> tuple[str, ...]:
    """Queries for the sides with fewer than two owners of sources; empty if there is no such side."""
    return build_gap_queries(score_sentences(plan, readings), searched=searched)


def build_gap_queries(done: ScoredSentences, *, searched: Iterable[str] = ()) -> tuple[str, ...]:
    """The same for sentences that are scored already; queries in `searched` are left out."""
    plan = done.plan
    asked = {query.lower() for query in searched}
    wanted = [_build_side_query(done, side) for side in list_open_sides(done)]
    wanted += [plan.sides[side].query for side in list_missing_sides(done)]
    fresh = dict.fromkeys(query for query in wanted if query and query.lower() not in asked)
    return tuple(fresh)[: plan.further]


def list_missing_sides(done: ScoredSentences) -> tuple[int, ...]:
    """Indexes of the sides that no sentence is about."""
    places = range(len(done.sentences))
    return tuple(
        side
        for side in range(len(done.plan.sides))
        if not any(done.is_about_side(side, place) for place in places)
    )


def list_open_sides(done: ScoredSentences) -> tuple[int, ...]:
    """Indexes of the sides with fewer than two owners of sources, fewest first."""
    owners = {side: len(_collect_side_owners(done, side)) for side in range(len(done.plan.sides))}
    return tuple(
        sorted((side for side in owners if owners[side] < 2), key=lambda side: (owners[side], side))
    )


def _collect_side_owners(done: ScoredSentences, side: int) -> set[str]:
    return {
        done.identify_sentence_owner(place)
        for place in range(len(done.sentences))
        if done.is_about_side(side, place)
    }


def _build_side_query(done: ScoredSentences, side: int) -> str:
    """The side's subject with the rarest new words of its best sentences."""
    about = done.plan.sides[side].about or done.plan.sides[side].query
    return " ".join([about, *_choose_new_words(done, side)])[:_MAX_GAP_QUERY_CHARS]


def _choose_new_words(done: ScoredSentences, side: int) -> list[str]:
    held = build_sentence_features(
        f"{done.plan.query} {done.plan.sides[side].query}", language=done.plan.language
    ).terms
    order = sorted(
        range(len(done.sentences)), key=lambda at: (-done.scores[side][at], done.sentences[at].text)
    )
    best = [
        at for at in order[:_LEADING_SENTENCES] if done.coverage[side][at] >= ADDRESSED_COVERAGE / 2
    ]
    counts: Counter[str] = Counter()
    for at in best:
        counts.update(done.sentences[at].bag.terms - held)
    weights = {
        stem: counts[stem] * done.corpus.weigh_term(stem)
        for stem in counts
        if not stem[0].isdigit()
    }
    stems = sorted(weights, key=lambda stem: (-round(weights[stem], 6), stem))[:_MAX_ADDED_WORDS]
    words = _collect_spellings(done, best)
    return [words[stem] for stem in stems if stem in words]


def _collect_spellings(done: ScoredSentences, best: list[int]) -> dict[str, str]:
    """Each stem with the first spelling that occurs in the sentences."""
    code = (done.plan.language or "en")[:2]
    plain = stopwords.list_stopwords(done.plan.language)
    spelt: dict[str, str] = {}
    for at in best:
        for word in tokens.split_words(done.sentences[at].text):
            if word not in plain:
                spelt.setdefault(tokens.stem_word(word, code), word)
    return spelt
