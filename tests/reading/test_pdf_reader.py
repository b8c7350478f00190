"""PDFs that cannot be read say why; others keep what they state about themselves."""

from __future__ import annotations

import pytest

from citewell.reading.documents.document_text import (
    Broken,
    DocumentLimits,
    DocumentRequest,
    EncryptedDocument,
    ScannedDocument,
)
from citewell.reading.documents.readers_by_kind import read_document_request
from tests.documents import FILLER, Pdf, open_document, pdf


def test_an_encrypted_pdf_says_so() -> None:
    with pytest.raises(EncryptedDocument, match="password"):
        open_document(Pdf().text(60, 80, "x").build(encrypted=True))


def test_a_scanned_pdf_says_so() -> None:
    with pytest.raises(ScannedDocument, match="scanned"):
        open_document(Pdf().image().build())


def test_a_pdf_without_anything_says_so() -> None:
    with pytest.raises(ScannedDocument, match="no text layer"):
        open_document(Pdf().build())


@pytest.mark.parametrize("body", [b"%PDF-1.7\n", b"%PDF-1.7\n" + b"garbage " * 500, pdf()[:200]])
def test_a_broken_pdf_says_so(body: bytes) -> None:
    with pytest.raises(Broken, match="damaged"):
        open_document(body)


def test_junk_before_the_header_is_passed_over() -> None:
    assert open_document(b"junk\r\n" * 20 + pdf("Some text.")).markdown == "Some text."


def test_no_more_pages_are_read_than_the_limit_allows() -> None:
    made = Pdf().text(60, 80, "one.").page().text(60, 80, "two.").page().text(60, 80, "three.")

    found = read_document_request(
        DocumentRequest(made.build(), "", "", DocumentLimits(max_pages=2), None)
    )

    assert found.markdown == "one.\n\ntwo."
    assert found.notes == ("Only the first 2 pages were read.",)


def test_a_title_that_cannot_be_read_is_left_out_and_mentioned() -> None:
    made = Pdf(info="/Title <FEFFD800> /Author (An author)").lines(60, 60, [FILLER])

    found = open_document(made.build())

    assert found.markdown == FILLER
    assert (found.title, found.author) == (None, "An author")
    assert found.notes == ("Properties of the PDF could not be read: Title.",)
