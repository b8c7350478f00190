from __future__ import annotations

from collections.abc import Iterable
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.evidence.signs import repeated_texts, sentence_clusters, sentence_features
from citewell.evidence.signs.sentence_clusters import SentenceCorpus
from citewell.evidence.signs.sentence_features import SentenceFeatures, build_sentence_features


def build_all_features(texts: Iterable[str]) -> tuple[SentenceFeatures, ...]:
    return tuple(build_sentence_features(text) for text in texts)


SAME = (
    "The reef lost half of its corals between 1995 and 2017.",
    "Between 1995 and 2017 the reef lost half of its corals.",
    "Half of the reef's corals were lost between 1995 and 2017.",
)
OTHER = "Tourism to the region brings in three billion dollars a year."


def grouped(texts: list[str], origins: list[object] | None = None) -> list[set[str]]:
    found = sentence_clusters.cluster_sentences(
        SentenceCorpus(build_all_features(texts)), origins or list(range(len(texts)))
    )
    return sorted(({texts[place] for place in group.members} for group in found), key=min)


def test_sentences_that_say_the_same_are_one_group() -> None:
    assert grouped([*SAME, OTHER]) == sorted([set(SAME), {OTHER}], key=min)


def test_sentences_of_one_document_stay_apart() -> None:
    assert len(grouped(list(SAME), ["a", "a", "a"])) == 3


def test_a_number_that_clashes_keeps_sentences_apart() -> None:
    assert len(grouped(["The bridge is 120 metres long.", "The bridge is 210 metres long."])) == 2


def test_a_statement_and_its_denial_stay_apart() -> None:
    pair = ["Vaccines cause autism in children.", "Vaccines do not cause autism in children."]

    assert len(grouped(pair)) == 2


def test_no_member_of_a_group_clashes_with_another() -> None:
    texts = [
        "The bridge is long.",
        "The bridge is 120 metres long.",
        "The bridge is 210 metres long.",
    ]

    for group in sentence_clusters.cluster_sentences(
        SentenceCorpus(build_all_features(texts)), [1, 2, 3], min_similarity=0.3
    ):
        members = [build_sentence_features(texts[place]) for place in group.members]
        assert all(
            sentence_clusters.can_state_same_fact(first, other)
            for first in members
            for other in members
        )


def test_the_first_of_a_group_is_the_one_nearest_to_the_others() -> None:
    texts = [
        "The reef lost half of its corals.",
        "Half of the corals of the reef were lost, it lost half.",
        "The reef lost half of its corals quickly.",
    ]
    group = max(
        sentence_clusters.cluster_sentences(
            SentenceCorpus(build_all_features(texts)), [1, 2, 3], min_similarity=0.4
        ),
        key=lambda cluster: len(cluster.members),
    )

    assert texts[group.members[0]] == texts[0]


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False))
def test_groups_do_not_depend_on_the_order_given(chance: Random) -> None:
    texts = [
        *SAME,
        OTHER,
        "The bridge is 120 metres long.",
        "The bridge is 120 metres long indeed.",
    ]
    shuffled = texts[:]
    chance.shuffle(shuffled)

    assert grouped(texts) == grouped(shuffled)


def test_thousands_of_equal_sentences_are_one_group_in_no_time() -> None:
    texts = ["All rights are reserved by the owner of the site."] * 3000

    assert (
        len(
            sentence_clusters.cluster_sentences(
                SentenceCorpus(build_all_features(texts)), list(range(3000))
            )
        )
        == 1
    )


def test_candidates_miss_no_pair_that_is_alike() -> None:
    chance = Random(3)
    words = [f"word{number}" for number in range(60)]
    texts = [" ".join(chance.choices(words, k=9)) for _ in range(80)]
    texts += [f"{text} indeed" for text in texts[:30]]
    held = build_all_features(texts)
    corpus = SentenceCorpus(held)

    found = set(sentence_clusters.find_candidate_pairs(corpus))

    alike = {
        (first, other)
        for other in range(len(held))
        for first in range(other)
        if sentence_features.measure_similarity(held[first], held[other], corpus.weigh_term)
        >= sentence_features.MIN_RELATED_SIMILARITY
    }
    assert alike <= found
    assert len(found) < len(texts) ** 2 / 8


def test_likeness_is_one_for_the_same_and_nothing_for_strangers() -> None:
    first, other = (
        build_sentence_features("The reef lost corals."),
        build_sentence_features("Quick wit, my dove."),
    )

    assert sentence_features.measure_similarity(first, first, lambda _: 1.0) == 1.0
    assert sentence_features.measure_similarity(first, other, lambda _: 1.0) == 0.0
    assert (
        sentence_features.measure_similarity(
            build_sentence_features(""), build_sentence_features(""), lambda _: 1.0
        )
        < 1
    )


def test_a_syndicated_copy_is_known_by_its_runs_of_words() -> None:
    story = " ".join(
        f"Sentence {number} tells of event {number * 7} in town {number * 3}."
        for number in range(30)
    )

    assert repeated_texts.find_copied_originals(
        [story, OTHER, f"By our staff. {story} Read more."]
    ) == (0, 1, 0)


def test_a_quotation_in_a_long_text_is_no_copy() -> None:
    long = " ".join(f"Fact {number} on matter {number * 13} stands here." for number in range(200))

    assert repeated_texts.find_copied_originals([long, long[:700]]) == (0, 1)
