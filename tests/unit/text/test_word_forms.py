"""Other forms of a stem are found in German compounds and endings, opposites are not."""

from __future__ import annotations

import pytest

from citewell.text.language.tokens import stem_word
from citewell.text.language.word_forms import find_held_form


@pytest.mark.parametrize(
    ("word", "other", "code"),
    [
        ("haushaltsdefizit", "defizit", "de"),
        ("gericht", "gerichtshof", "de"),
        ("aufzustocken", "aufstockung", "de"),
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
