"""Other forms of a stem are found in German compounds and endings, opposites are not."""

from __future__ import annotations

import pytest

from citewell.text.language import word_forms
from citewell.text.language.word_forms import find_held_form, list_particles, stem_word


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
