from __future__ import annotations

import json
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.text.evidence import ranking
from citewell.text.evidence.ranking import RankedSentence, SentenceCorpus
from citewell.text.evidence.sentence_features import build_all_features, build_sentence_features

GOLD = Path(__file__).parent / "gold" / "answers.json"
SENTENCES = st.lists(st.text(alphabet="abc de.1é字", max_size=30), max_size=12)


def precision(order: list[int], wanted: set[int]) -> float:
    """Average precision of one ranking."""
    places = [at for at, place in enumerate(order, start=1) if place in wanted]
    return sum((number + 1) / at for number, at in enumerate(places)) / len(wanted)


def by_bm25(question: str, sentences: list[str]) -> list[int]:
    scores = (
        SentenceCorpus(build_all_features(sentences))
        .score_terms(build_sentence_features(question).terms)
        .bm25
    )
    return [one.index for one in ranking.order_by_score(scores, sentences)]


def test_answers_are_ranked_higher_than_by_bm25_alone() -> None:
    ours, theirs = [], []
    for case in json.loads(GOLD.read_text(encoding="utf-8")):
        sentences = [text for text, _ in case["sentences"]]
        wanted = {place for place, (_, right) in enumerate(case["sentences"]) if right}
        ours.append(
            precision(
                [one.index for one in ranking.rank_sentences(case["question"], sentences)], wanted
            )
        )
        theirs.append(precision(by_bm25(case["question"], sentences), wanted))

    assert sum(ours) / len(ours) >= 0.85
    assert sum(ours) > sum(theirs) + 1


def test_a_rare_word_of_the_question_weighs_more_than_a_common_one() -> None:
    sentences = [
        "The reef is large.",
        "The reef is old.",
        "The reef is blue.",
        "Bleaching harms it.",
    ]

    assert ranking.rank_sentences("reef bleaching", sentences)[0].index == 3


def test_scores_are_between_nothing_and_one() -> None:
    scores = SentenceCorpus(build_all_features(["alpha beta", "gamma", ""])).score_sentences(
        build_sentence_features("alpha beta").terms
    )

    assert scores[0] == max(scores) <= 1
    assert scores[1:] == (0.0, 0.0)


@settings(max_examples=100, deadline=None)
@given(SENTENCES, st.randoms(use_true_random=False))
def test_the_order_given_does_not_change_the_ranking(sentences: list[str], chance: Random) -> None:
    shuffled = sentences[:]
    chance.shuffle(shuffled)

    first = [
        (sentences[one.index], one.score) for one in ranking.rank_sentences("abc de 1", sentences)
    ]
    second = [
        (shuffled[one.index], one.score) for one in ranking.rank_sentences("abc de 1", shuffled)
    ]

    assert first == second


def test_what_repeats_the_chosen_comes_later() -> None:
    ranked = [
        RankedSentence(index=0, score=1.0),
        RankedSentence(index=1, score=0.95),
        RankedSentence(index=2, score=0.8),
    ]
    alike = {(1, 0): 1.0, (2, 0): 0.0, (1, 2): 0.0, (2, 1): 0.0}

    chosen = ranking.choose_diverse(ranked, lambda one, other: alike[one, other], count=2)

    assert [one.index for one in chosen] == [0, 2]


def test_choosing_from_nothing_is_nothing() -> None:
    assert ranking.choose_diverse([], lambda _one, _other: 0.0, count=3) == ()
    assert ranking.rank_sentences("anything", []) == ()
