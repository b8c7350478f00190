""""""

from __future__ import annotations

import pytest

from tests.drafts.given_drafts import read_draft


@pytest.mark.parametrize("form", ["markdown", "plain"])
def test_an_ordered_list_at_the_end_is_the_list_that_numbers_cite(form: str) -> None:
    draft = read_draft(
        "Tides rise by 4 metres [1], and ice melts [2].\n\n"
        "1. Ruiz, A. On tides. https://example.org/tides\n2. Ice Office. Melting. https://example.org/ice\n",
        format=form,
    )

    assert [citation.reference_ids for citation in draft.citations] == [("r1",), ("r2",)]
    assert all(not citation.missing for citation in draft.citations)


def test_an_ordered_list_of_steps_is_no_list_of_references() -> None:
    draft = read_draft(
        "See [1].\n\n1. Open the valve in 2019.\n2. Close the lid.\n", format="markdown"
    )

    assert [
        reference.is_listed for reference in draft.references if reference.place is not None
    ] == []


@pytest.mark.parametrize("title", ["Note", "Notes", "Notas", "Sources"])
def test_a_title_that_could_head_a_list_heads_the_text(title: str) -> None:
    text = (
        f"# {title}\n\nThe flow of the river is known well enough for planning (Zhang & Liu, 2018). Many people"
        " live beside it.\n\n## References\n\n"
        "Zhang, H., & Liu, C. (2018). Quantized conductance. Nature, 556, 74-79.\n"
    )

    draft = read_draft(text)

    assert [citation.reference_ids for citation in draft.citations] == [("r1",)]
    assert len(draft.references) == 1
