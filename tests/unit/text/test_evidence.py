from __future__ import annotations

from citewell.text import claims

TEXT = (
    "Sleep after learning helps memory. The weather was fine. Students who sleep recall more words."
    " Sleep does not help memory of faces, one trial found. Tea is a drink."
)


def test_the_nearest_sentence_leads_and_the_others_keep_their_order():
    signal, found = claims.nearest(claims.claim("sleep helps memory"), TEXT)

    assert signal == "Sleep does not help memory of faces, one trial found."
    assert found == ("Sleep after learning helps memory.", signal)


def test_no_sentence_in_common_is_no_evidence():
    assert claims.nearest(claims.claim("quantum gravity"), TEXT) == ("", ())


def test_at_most_five_sentences_are_given():
    text = " ".join(f"Sleep helps memory in case {number}." for number in range(20))

    _, found = claims.nearest(claims.claim("sleep helps memory"), text)

    assert len(found) == 5


def test_a_sentence_said_twice_is_quoted_once():
    _, found = claims.nearest(claims.claim("sleep helps memory"), "Sleep helps memory. " * 3)

    assert found == ("Sleep helps memory.",)
