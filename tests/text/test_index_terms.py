"""One tokeniser for what is indexed and what is asked, and the excerpt that shows a match."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.evidence.signs.nearest_sentences import extract_query_excerpt
from citewell.text.language.index_terms import (
    list_term_variants,
    list_unspaced_characters,
    parse_query_terms,
    split_index_words,
    stem_index_word,
)
from citewell.text.language.word_forms import choose_telling_words, split_words


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_finds_the_same_words(text: Any) -> None:
    assert list(split_index_words(text)) == list(split_words(text))


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
def test_forms_of_a_word_share_a_stem(language: str, forms: Any) -> None:
    assert len({stem_index_word(form, language) for form in forms}) == 1


def test_accents_stay_where_they_make_another_letter() -> None:
    assert stem_index_word("й", "xx") != stem_index_word("и", "xx")


def test_unspaced_script_becomes_pairs_and_single_characters() -> None:
    assert list(split_index_words("東京都 and Rome")) == ["東京", "京都", "and", "rome"]
    assert list(list_unspaced_characters("東京 and Rome")) == ["東", "京"]


def test_a_query_loses_its_stop_words_and_keeps_its_phrases() -> None:
    told = parse_query_terms('how does "the quick fox" jump over the fence')

    assert told.phrases == (("the", "quick", "fox"),)
    assert told.words == ("jump", "fence")


def test_a_query_of_stop_words_alone_keeps_them() -> None:
    assert parse_query_terms("to be or not to be").words == ("to", "be", "or", "not")


def test_a_word_is_looked_for_under_every_language_once() -> None:
    assert list_term_variants("houses", ["en", "xx", "en"]) == ("hous", "houses")


@given(st.text(), st.lists(st.text(max_size=8), max_size=4), st.integers(20, 400))
def test_an_excerpt_is_short_and_never_fails(text: Any, wanted: Any, width: Any) -> None:
    assert len(extract_query_excerpt(text, wanted, width=width)) <= width + 4


def test_an_excerpt_shows_where_most_of_the_words_are() -> None:
    text = "apple " + "x " * 500 + "apple and pear together " + "y " * 500 + "pear"

    assert "apple and pear" in extract_query_excerpt(text, ["apples", "pear"])


def test_an_excerpt_of_unspaced_script_shows_the_match() -> None:
    text = "あ" * 900 + "東京都の水" + "い" * 900

    assert "東京都の水" in extract_query_excerpt(text, ["東京", "京都"])


def test_an_excerpt_without_a_match_is_the_beginning() -> None:
    assert extract_query_excerpt("first words " * 100, ["absent"]).startswith("first words")


def test_telling_words_leave_out_stop_words_unless_there_are_no_others() -> None:
    assert choose_telling_words(["The", "D", "vitamin", "vitamin", "of", "bone"], count=2) == [
        "D",
        "vitamin",
    ]
    assert choose_telling_words(["The", "D", "bone"], count=5, min_chars=2) == ["bone"]
    assert choose_telling_words(["To", "be", "or"], count=2) == ["To", "be"]
