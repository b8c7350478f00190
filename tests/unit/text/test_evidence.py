from __future__ import annotations

from citewell.text.evidence import nearest_sentences

TEXT = (
    "Sleep after learning helps memory. The weather was fine. Students who sleep recall more words."
    " Sleep does not help memory of faces, one trial found. Tea is a drink."
)


def test_the_nearest_sentence_leads_and_the_others_keep_their_order() -> None:
    signal, found = nearest_sentences.find_nearest_sentences(
        nearest_sentences.build_claim_terms("sleep helps memory"), TEXT
    )

    assert signal == "Sleep does not help memory of faces, one trial found."
    assert found == ("Sleep after learning helps memory.", signal)


def test_no_sentence_in_common_is_no_evidence() -> None:
    assert nearest_sentences.find_nearest_sentences(
        nearest_sentences.build_claim_terms("quantum gravity"), TEXT
    ) == ("", ())


def test_at_most_five_sentences_are_given() -> None:
    text = " ".join(f"Sleep helps memory in case {number}." for number in range(20))

    _, found = nearest_sentences.find_nearest_sentences(
        nearest_sentences.build_claim_terms("sleep helps memory"), text
    )

    assert len(found) == 5


def test_a_sentence_said_twice_is_quoted_once() -> None:
    _, found = nearest_sentences.find_nearest_sentences(
        nearest_sentences.build_claim_terms("sleep helps memory"), "Sleep helps memory. " * 3
    )

    assert found == ("Sleep helps memory.",)
