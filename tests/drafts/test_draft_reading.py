""""""

from __future__ import annotations

import pytest

from citewell.core.errors import InvalidInput
from citewell.drafts.draft_reading import MAX_DRAFT_CHARS
from tests.drafts.given_drafts import read_draft


@pytest.mark.parametrize(
    ("text", "form", "word"),
    [
        ("", "auto", "empty"),
        ("a text", "odd", "Unknown format"),
        ("a " * (MAX_DRAFT_CHARS // 2 + 1), "plain", "in parts"),
    ],
)
def test_a_text_that_cannot_be_read_is_refused_with_a_clear_word(
    text: str, form: str, word: str
) -> None:
    with pytest.raises(InvalidInput, match=word):
        read_draft(text, format=form)


def test_a_remark_in_a_footnote_is_no_part_of_its_sentence() -> None:
    draft = read_draft(
        "The constant is 67.4 km/s.\\footnote{The Paris group prefers 70 km/s in 2019.} It has an error of 0.5~\\cite{planck}.",
        format="latex",
        bibliography="@article{planck, author={Aghanim, N.}, title={Planck results}, year={2020}}",
    )

    assert [statement.text for statement in draft.statements] == [
        "The constant is 67.4 km/s.",
        "The Paris group prefers 70 km/s in 2019.",
        "It has an error of 0.5.",
    ]


def test_a_thousand_copies_of_a_citation_are_one_reference() -> None:
    entry = "1. Smith J, Doe A. On the growth of things. Nature. 2019;1:2-3."

    draft = read_draft(f"{'Things grow by 5% in spring [1]. ' * 1000}\n\n# References\n\n{entry}\n")

    assert len(draft.citations) == len(draft.statements) == 1000
    assert [citation.reference_ids for citation in draft.citations] == [("r1",)] * 1000
    assert len(draft.references) == 1
