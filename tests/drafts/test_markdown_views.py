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
    ("note", "reference"),
    [
        ("Ruiz, A. (2020). On tides. *Journal of Sea* 3, 1-9. https://doi.org/10.5555/t1", "On tides"),
        ("See [the page](https://example.org/ice) for more.", "https://example.org/ice"),
        ("@oba19, p. 3", "On ice"),
    ],
)  # fmt: skip
def test_a_note_that_is_written_in_place_stands_for_its_sentence(note: str, reference: str) -> None:
    draft = read_draft(
        f"Tides rise by 4 metres.^[{note}] Ships wait.",
        format="markdown",
        bibliography=BIBLIOGRAPHY,
    )

    [citation] = draft.citations
    [cited] = [
        reference for reference in draft.references if reference.id in citation.reference_ids
    ]
    assert reference in {cited.reference.title, cited.reference.url}
    assert [statement.text for statement in draft.statements if statement.citation_ids] == [
        "Tides rise by 4 metres."
    ]


def test_a_remark_that_is_written_in_place_cites_nothing() -> None:
    draft = read_draft("Salt makes up 3 percent.^[Of the open sea, that is.]", format="markdown")

    assert draft.citations == ()
    assert [statement.text for statement in draft.statements] == ["Salt makes up 3 percent."]
