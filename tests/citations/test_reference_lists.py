"""References are found, and taken out of markdown when a caller does not want them."""

from __future__ import annotations

import pytest

from citewell.citations.references.reference_lists import drop_references, find_reference_list

ARTICLE = """# Tide

Tides rise and fall.[^1] They are long waves.[^note2]

## Causes

The moon.[^1]

## References

[^1]: Reddy, M. *A long reference*. 2001.

    A second paragraph of the note.

[^note2]: Tomczak, M.

### Further reading

- A book

## External links

- A link"""


def test_reference_lists_notes_and_their_marks_are_dropped_and_nothing_else() -> None:
    assert drop_references(ARTICLE) == (
        "# Tide\n\nTides rise and fall. They are long waves.\n\n## Causes\n\nThe moon.\n\n"
        "## External links\n\n- A link"
    )


def test_notes_without_a_heading_are_dropped_too() -> None:
    text = "One.[^a]\n\n[^a]: The note.\n\nTwo."

    assert drop_references(text) == "One.\n\nTwo."


@pytest.mark.parametrize("text", ["", "# Title\n\nNo references [1] here.", "References are good."])
def test_a_text_without_references_stays_as_it_is(text: str) -> None:
    assert drop_references(text) == text


@pytest.mark.parametrize(
    "heading", ["## References", "**Literatur**", "7. Références", "参考文献", "Works cited:"]
)
def test_the_heading_of_a_reference_list_is_found(heading: str) -> None:
    text = f"Some text.\n\n{heading}\n\n1. A work."

    assert find_reference_list(text) == text.index(heading)
