from __future__ import annotations

import json
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.text import rank
from citewell.text.bags import bag, bags
from citewell.text.rank import Corpus, Ranked

GOLD = Path(__file__).parent / "gold" / "answers.json"
SENTENCES = st.lists(st.text(alphabet="abc de.1é字", max_size=30), max_size=12)


def precision(order: list[int], wanted: set[int]) -> float:
    """Average precision of one ranking."""
    places = [at for at, place in enumerate(order, start=1) if place in wanted]
    return sum((number + 1) / at for number, at in enumerate(places)) / len(wanted)


def by_bm25(question: str, sentences: list[str]) -> list[int]:
    scores = Corpus(bags(sentences)).scores(bag(question).terms).bm25
    return [one.place for one in rank.ordered(scores, sentences)]


def test_answers_are_ranked_higher_than_by_bm25_alone():
    ours, theirs = [], []
    for case in json.loads(GOLD.read_text(encoding="utf-8")):
        sentences = [text for text, _ in case["sentences"]]
        wanted = {place for place, (_, right) in enumerate(case["sentences"]) if right}
        ours.append(
            precision([one.place for one in rank.rank(case["question"], sentences)], wanted)
        )
        theirs.append(precision(by_bm25(case["question"], sentences), wanted))

    assert sum(ours) / len(ours) >= 0.85
    assert sum(ours) > sum(theirs) + 1


def test_a_rare_word_of_the_question_weighs_more_than_a_common_one():
    sentences = [
        "The reef is large.",
        "The reef is old.",
        "The reef is blue.",
        "Bleaching harms it.",
    ]

    assert rank.rank("reef bleaching", sentences)[0].place == 3


def test_scores_are_between_nothing_and_one():
    scores = Corpus(bags(["alpha beta", "gamma", ""])).combined(bag("alpha beta").terms)

    assert scores[0] == max(scores) <= 1
    assert scores[1:] == (0.0, 0.0)


@settings(max_examples=100, deadline=None)
@given(SENTENCES, st.randoms(use_true_random=False))
def test_the_order_given_does_not_change_the_ranking(sentences: list[str], chance: Random):
    shuffled = sentences[:]
    chance.shuffle(shuffled)

    first = [(sentences[one.place], one.score) for one in rank.rank("abc de 1", sentences)]
    second = [(shuffled[one.place], one.score) for one in rank.rank("abc de 1", shuffled)]

    assert first == second


def test_neighbours_help_to_find_evidence():
    text = [
        "The tower was painted red.",
        "Its lifts were replaced in 1986 by faster ones.",
        "The old lifts of the tower had been slow.",
        "Nothing else is known.",
        "Lifts are common.",
    ]

    found = rank.evidence("lifts of the tower were replaced in 1986", text)

    assert {one.place for one in found[:2]} == {1, 2}
    assert rank.smoothed((0.0, 1.0, 0.0)) == (0.25, 1.0, 0.25)


def test_what_repeats_the_chosen_comes_later():
    ranking = [Ranked(place=0, score=1.0), Ranked(place=1, score=0.95), Ranked(place=2, score=0.8)]
    alike = {(1, 0): 1.0, (2, 0): 0.0, (1, 2): 0.0, (2, 1): 0.0}

    chosen = rank.diverse(ranking, lambda one, other: alike[one, other], count=2)

    assert [one.place for one in chosen] == [0, 2]


def test_choosing_from_nothing_is_nothing():
    assert rank.diverse([], lambda _one, _other: 0.0, count=3) == ()
    assert rank.rank("anything", []) == ()
