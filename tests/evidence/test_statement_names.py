"""Which words of a statement are names that a source may lack."""

from __future__ import annotations

import pytest

from citewell.evidence.comparison.statement_names import list_statement_names


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("Pfizer funded the study.", ["Pfizer"]),
        ("Miele makes kettles.", ["Miele"]),
        ("Eruptions of this size occur once in ten years.", []),
        ("Doorstep sales can be exempted.", []),
        ("Postnatal depression is common among mothers.", []),
        ("The payment takes ten seconds on Sundays too.", []),
        ("The water cools by half a degree Celsius.", []),
    ],
)
def test_a_rare_ordinary_word_is_no_name(statement: str, names: list[str]) -> None:
    assert [name.text for name in list_statement_names(statement, language="en")] == names
