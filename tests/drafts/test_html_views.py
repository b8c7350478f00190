""""""

from __future__ import annotations

from tests.drafts.given_drafts import read_draft


def test_a_cite_element_without_a_link_is_a_reference_if_it_is_one() -> None:
    draft = read_draft(
        "<p>Tides rise by 4 metres <cite>Ruiz, A. (2020). On tides. Journal of Sea 3, 1-9.</cite>."
        " In <cite>The Ice Book</cite> there are 40 pictures.</p>",
        format="html",
    )

    assert [reference.reference.title for reference in draft.references] == ["On tides"]
    assert [statement.text for statement in draft.statements if statement.citation_ids] == [
        "Tides rise by 4 metres."
    ]
