"""Words, stems and their other forms; one tokeniser for what is indexed and what is asked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.evidence.signs.nearest_sentences import extract_query_excerpt
from citewell.text.language import word_forms
from citewell.text.language.word_forms import (
    choose_telling_words,
    find_held_form,
    list_particles,
    list_term_variants,
    list_unspaced_characters,
    parse_query_terms,
    split_words,
    stem_index_word,
    stem_word,
)


@pytest.mark.parametrize(
    ("word", "other", "code"),
    [
        ("haushaltsdefizit", "defizit", "de"),
        ("gericht", "gerichtshof", "de"),
        ("aufzustocken", "aufstockung", "de"),
        ("schließung", "schlossen", "de"),
        ("geliehen", "leihen", "de"),
        ("prohibición", "prohibir", "es"),
    ],
)
def test_another_form_of_a_word_is_found(word: str, other: str, code: str) -> None:
    held = stem_word(other, code)

    assert find_held_form(stem_word(word, code), [held, "etwas"], code) == held


@pytest.mark.parametrize(
    ("word", "other", "code"),
    [
        ("unabhängig", "abhängig", "de"),
        ("gegenvorschlag", "vorschlag", "de"),
        ("norditalien", "süditalien", "de"),
        ("patinete", "peatonal", "es"),
    ],
)
def test_an_opposite_or_another_word_is_not_a_form(word: str, other: str, code: str) -> None:
    assert find_held_form(stem_word(word, code), [stem_word(other, code)], code) is None


def test_the_parts_of_a_separable_verb_are_one_word() -> None:
    joined, apart = stem_word("hervorgerufen", "de"), stem_word("rief", "de")
    particles = list_particles({"vertrag", "rief", "streit", "hervor"}, "de")

    assert particles == ("hervor",)
    assert find_held_form(apart, [joined], "de", particles=particles) == joined
    assert find_held_form(joined, [apart], "de", particles=particles) == apart


# Words of one meaning as one term.


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("organisation", "organization"),
        ("organising", "organizing"),
        ("authorised", "authorized"),
        ("summarise", "summarize"),
        ("analyse", "analyze"),
        ("colour", "color"),
    ],
)
def test_british_and_american_spellings_are_one_term(british: str, american: str) -> None:
    assert word_forms.extract_terms(british) == word_forms.extract_terms(american)


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ("rising", "rise"),
        ("raising", "raises"),
        ("raised", "raise"),
        ("advising", "advises"),
        ("promised", "promises"),
        ("surprising", "surprises"),
    ],
)
def test_words_in_ise_everywhere_keep_their_forms_together(form: str, word: str) -> None:
    assert word_forms.extract_terms(form) == word_forms.extract_terms(word)


@pytest.mark.parametrize(
    ("query", "language", "without"),
    [
        ("what is the capital of France", None, "capital France"),
        ("the the the", None, "the the the"),
        ("the capital", None, "the capital"),
        ('"to be or not to be" in the play', None, '"to be or not to be" play'),
        ("was ist das beste Brot", "de", "beste Brot"),
        ("what is it", "fi", "what is it"),
        ("量子 力学 とは", "ja", "量子 力学 とは"),
    ],
)
def test_stop_words_go_only_where_something_is_left(
    query: str, language: str | None, without: str
) -> None:
    assert word_forms.drop_query_stopwords(query, language=language) == without


def test_terms_keep_numbers_and_drop_short_words() -> None:
    assert word_forms.extract_terms("In 2019 an ox ran 5 km") >= {"2019", "5", "run"}
    assert "ox" not in word_forms.extract_terms("an ox")


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_finds_the_same_words(text: Any) -> None:
    assert list(split_words(text)) == list(word_forms._split_unicode_words(text))


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
    assert list(split_words("東京都 and Rome")) == ["東京", "京都", "and", "rome"]
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
