"""Each kind of document is known by its content."""

from __future__ import annotations

import pytest

from citewell.reading.content_kinds import detect_document_kind
from citewell.reading.documents.document_text import (
    UnsupportedDocument,
)
from tests.documents import open_document, packed, sound

SOUND = sound()


@pytest.mark.parametrize("kind", SOUND)
def test_every_kind_is_known_by_its_content(kind: str) -> None:
    named = {"csv": "text/csv", "tsv": "text/tab-separated-values", "markdown": "text/markdown"}
    wrong = named.get(kind, "application/octet-stream")

    assert (
        detect_document_kind(SOUND[kind], content_type=wrong, url="https://example.org/file.html")
        == kind
    )


@pytest.mark.parametrize("kind", ["pdf", "docx", "xlsx", "html", "rtf", "feed"])
def test_a_wrong_name_changes_nothing(kind: str) -> None:
    assert (
        detect_document_kind(
            SOUND[kind], content_type="text/csv", url="https://example.org/file.csv"
        )
        == kind
    )


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 60, "image"),
        (b"\x1f\x8b\x08\x00" + bytes(range(60)), "gzip archive"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le") + b"\x00" * 60,
            "old Word document",
        ),
        (b"\x00\x00\x00\x20ftypisom" + b"\x00" * 60, "film"),
        (bytes(range(256)) * 4, "binary data"),
        (packed({"notes.txt": "hello"}), "ZIP archive"),
    ],
)
def test_what_holds_no_text_is_named_in_the_complaint(body: bytes, problem: str) -> None:
    with pytest.raises(UnsupportedDocument, match=problem):
        open_document(body)


def test_text_that_begins_like_a_bitmap_is_text() -> None:
    assert detect_document_kind(b"BM25 is a ranking function used by search engines.") == "text"
