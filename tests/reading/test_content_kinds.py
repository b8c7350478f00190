from __future__ import annotations

import pytest

from citewell.reading.content_kinds import detect_document_kind, detect_page_kind


@pytest.mark.parametrize(
    ("body", "content_type", "name", "readable"),
    [
        (b"%PDF-1.7", "text/html", "pdf", False),
        (b"<!DOCTYPE html><p>x", "application/pdf", "html", True),
        (b"  <!-- note --><html><p>x", "text/plain", "html", True),
        (b"\x89PNG\r\n\x1a\n", "text/html", "image", False),
        (b'{"a": 1}', "application/activity+json", "json", True),
        (b"<feed/>", "application/atom+xml", "xml", True),
        (b"<svg/>", "image/svg+xml", "image/svg+xml", False),
        (b"a,b\n1,2\n", "text/csv", "text", True),
        (b"words", "", "text", True),
        (b"", "text/html", "html", True),
        (bytes(range(256)), "", "binary data", False),
        ("<p>wide</p>".encode("utf-16-le") * 20, "text/html", "html", True),
    ],
)
def test_a_body_is_known_by_its_content_first(
    body: bytes, content_type: str, name: str, *, readable: bool
) -> None:
    kind = detect_page_kind(body, content_type)

    assert (kind.name, kind.is_text) == (name, readable)


@pytest.mark.parametrize(
    ("body", "page", "document"),
    [
        (b"GIF89a is a format for pictures.", "text", "text"),
        (b"\x89PNG\r\n\x1a\n", "image", "image"),
        (b"A PDF file begins with %PDF-1.7.", "text", "pdf"),
        ("<p>" + "\u6f22\u5b57" * 400, "text", "text"),
        ("\ufeffwide text", "text", "text"),
    ],
)
def test_pages_and_documents_are_known_by_the_same_bytes(
    body: bytes | str, page: str, document: str
) -> None:
    raw = body if isinstance(body, bytes) else body.encode("utf-16-le")

    assert detect_page_kind(raw, "").name == page
    assert detect_document_kind(raw) == document
