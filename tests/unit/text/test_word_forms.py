"""Other forms of a stem are found in German compounds and endings, opposites are not."""

from __future__ import annotations

import pytest

from citewell.text.language.tokens import stem_word
from citewell.text.language.word_forms import find_held_form, list_particles


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
