"""Words of one meaning as one term."""

from __future__ import annotations

import pytest

from citewell.text.language import tokens


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
    assert tokens.extract_terms(british) == tokens.extract_terms(american)


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
    assert tokens.extract_terms(form) == tokens.extract_terms(word)
