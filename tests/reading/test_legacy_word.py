"""Old Word documents."""

from __future__ import annotations

import pytest

from tests.documents import open_document
from tests.old_documents import doc


@pytest.mark.parametrize("wide", [False, True])
def test_an_old_word_document_has_paragraphs_tables_and_no_field_codes(wide: bool) -> None:
    text = 'First.\rA\x07B\x07\x071\x072\x07\x07See \x13 HYPERLINK "https://example.org/" \x14the page\x15, \x13 PAGE \x147\x15.\rLast\x0bline.\r'

    found = open_document(doc(text, wide=wide))

    assert found.markdown == (
        "First.\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n"
        "See [the page](https://example.org/), 7.\n\nLast line."
    )
    assert found.kind == "doc"


def test_an_old_word_document_in_pieces_of_both_widths_is_read() -> None:
    found = open_document(doc("Größe ≤ 5 µm.\r", wide=True))

    assert found.markdown == "Größe ≤ 5 µm."
