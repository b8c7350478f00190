""""""

from __future__ import annotations

import pytest

from tests.drafts.given_drafts import read_draft

BIBLIOGRAPHY = (
    "@article{ruiz20, author={Ruiz, Ana}, title={On tides}, year={2020}, doi={10.5555/t1}}\n"
    "@article{oba19, author={Oba, Kei and Lind, Eva}, title={On ice}, year={2019}}\n"
    "@article{mey18, author={Mey, A. and Roe, B. and Sun, C.}, title={On salt}, year={2018}}\n"
)


@pytest.mark.parametrize(
    ("form", "text", "statement_text"),
    [
        ("latex", r"\citet{ruiz20} shows that tides rise by 4 metres.", "Ruiz shows that tides rise by 4 metres."),
        ("latex", r"As \textcite[12]{oba19} argue, 45 percent of the ice is old.", "As Oba and Lind argue, 45 percent of the ice is old."),
        ("latex", r"Work by \citet{mey18} finds 20 percent more salt.", "Work by Mey finds 20 percent more salt."),
        ("markdown", "@ruiz20 shows that tides rise by 4 metres.", "Ruiz shows that tides rise by 4 metres."),
    ],
)  # fmt: skip
def test_a_key_that_is_a_word_of_its_sentence_is_read_as_its_authors(
    form: str, text: str, statement_text: str
) -> None:
    draft = read_draft(text, format=form, bibliography=BIBLIOGRAPHY)

    assert [statement.text for statement in draft.statements] == [statement_text]
