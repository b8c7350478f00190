"""What makes an uncited statement one that a reader would want a source for."""

from __future__ import annotations

import pytest

from citewell.text.drafts.statements.statement_signs import find_statement_signs


@pytest.mark.parametrize(
    "text",
    [
        "يساعد النوم بعد التعلم الدماغ على حفظ ما تعلمه",
        "שינה אחרי למידה עוזרת למוח לשמור את מה שנלמד",
        "공부한 뒤의 수면은 배운 내용을 뇌에 오래 남게 합니다",
    ],
)
def test_scripts_without_capitals_have_no_names_that_could_be_told(text: str) -> None:
    assert find_statement_signs(text, "") == ()
