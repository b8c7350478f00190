"""The text of a statement has nothing left of the marks of its citations."""

from __future__ import annotations

import pytest

from citewell.text.drafts.statements.statement_texts import clean_statement


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("The mill was sold (Harbour News,  ).", "The mill was sold."),
        ("The mill was sold (see Port of Leith Gazette, ) in May.", "The mill was sold in May."),
        ("The mill (which burned in 1912, ) was sold.", "The mill (which burned in 1912,) was sold."),
        ("The mill was sold (Leith).", "The mill was sold (Leith)."),
    ],
)  # fmt: skip
def test_a_bracket_that_named_its_citation_is_left_out(said: str, text: str) -> None:
    assert clean_statement(said, "markdown") == text
