"""What makes an uncited statement one that a reader would want a source for."""

from __future__ import annotations

import pytest

from citewell.drafts.statement_parts import clean_statement, find_statement_signs


@pytest.mark.parametrize(
    "text",
    [
        "يساعد النوم بعد التعلم الدماغ على حفظ ما تعلمه",
        "שינה אחרי למידה עוזרת למוח לשמור את מה שנלמד",
        "공부한 뒤의 수면은 배운 내용을 뇌에 오래 남게 합니다",
    ],
)
def test_scripts_without_capitals_have_no_names_that_could_be_told(text: str) -> None:
    assert tuple(find_statement_signs(text, "")) == ()


# The text of a statement has nothing left of the marks of its citations.


@pytest.mark.parametrize(
    ("spoken", "text"),
    [
        ("The mill was sold (Harbour News,  ).", "The mill was sold."),
        ("The mill was sold (see Port of Leith Gazette, ) in May.", "The mill was sold in May."),
        ("The mill (which burned in 1912, ) was sold.", "The mill (which burned in 1912,) was sold."),
        ("The mill was sold (Leith).", "The mill was sold (Leith)."),
    ],
)  # fmt: skip
def test_a_bracket_that_named_its_citation_is_left_out(spoken: str, text: str) -> None:
    assert clean_statement(spoken, "markdown") == text
