"""One tokeniser for what is indexed and what is asked, and the excerpt that shows a match."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.text.excerpt import excerpt
from citewell.text.terms import asked, sequence, singles, stem, variants
from citewell.text.tokens import words


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_finds_the_same_words(text):
    assert list(sequence(text)) == list(words(text))


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", ["fox", "foxes"]),
        ("de", ["haus", "häuser", "hauses"]),
        ("fr", ["fatigué", "fatiguée", "fatigués"]),
        ("ru", ["книга", "книги", "книгу"]),
        ("xx", ["café", "cafe"]),
    ],
)
def test_forms_of_a_word_share_a_stem(language, forms):
    assert len({stem(form, language) for form in forms}) == 1


def test_accents_stay_where_they_make_another_letter():
    assert stem("й", "xx") != stem("и", "xx")


def test_unspaced_script_becomes_pairs_and_single_characters():
    assert list(sequence("東京都 and Rome")) == ["東京", "京都", "and", "rome"]
    assert list(singles("東京 and Rome")) == ["東", "京"]


def test_a_query_loses_its_stop_words_and_keeps_its_phrases():
    told = asked('how does "the quick fox" jump over the fence')

    assert told.phrases == (("the", "quick", "fox"),)
    assert told.words == ("jump", "fence")


def test_a_query_of_stop_words_alone_keeps_them():
    assert asked("to be or not to be").words == ("to", "be", "or", "not")


def test_a_word_is_looked_for_under_every_language_once():
    assert variants("houses", ["en", "xx", "en"]) == ("hous", "houses")


@given(st.text(), st.lists(st.text(max_size=8), max_size=4), st.integers(20, 400))
def test_an_excerpt_is_short_and_never_fails(text, wanted, width):
    assert len(excerpt(text, wanted, width=width)) <= width + 4


def test_an_excerpt_shows_where_most_of_the_words_are():
    text = "apple " + "x " * 500 + "apple and pear together " + "y " * 500 + "pear"

    assert "apple and pear" in excerpt(text, ["apples", "pear"])


def test_an_excerpt_of_unspaced_script_shows_the_match():
    text = "あ" * 900 + "東京都の水" + "い" * 900

    assert "東京都の水" in excerpt(text, ["東京", "京都"])


def test_an_excerpt_without_a_match_is_the_beginning():
    assert excerpt("first words " * 100, ["absent"]).startswith("first words")
