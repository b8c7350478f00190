"""E-books are read chapter by chapter."""

from __future__ import annotations

import pytest

from citewell.reading.documents.document_text import EncryptedDocument
from tests.documents import epub, open_document


def test_chapters_come_in_reading_order() -> None:
    book = epub("<h1>One</h1><p>First.</p>", "<h1>Two</h1><p>Second.</p>")

    found = open_document(book)

    assert found.markdown.index("First.") < found.markdown.index("Second.")
    assert found.page_count == 2


def test_only_the_wanted_chapters_are_read() -> None:
    found = open_document(epub("<p>First.</p>", "<p>Second.</p>"), pages="2")

    assert found.markdown == "Second."


def test_an_empty_element_does_not_swallow_the_text_after_it() -> None:
    assert open_document(
        epub('<p><a id="x"/>Text.</p><script src="s.js"/><p>More.</p>')
    ).markdown == ("Text.\n\nMore.")


def test_a_protected_book_says_so() -> None:
    with pytest.raises(EncryptedDocument, match="protected"):
        open_document(epub("<p>Locked.</p>", locked=True))
