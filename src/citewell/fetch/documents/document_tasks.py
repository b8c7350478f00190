"""What worker processes do with documents."""

from __future__ import annotations

from citewell.fetch.documents.document_text import DocumentLimits, DocumentText
from citewell.fetch.documents.readers_by_kind import DocumentRequest, read_document_request


def read_document_body(
    body: bytes, url: str, content_type: str, limits: DocumentLimits, pages: str | None
) -> DocumentText:
    """The document's text; raises UnreadableDocument or TookTooMuch with the reason."""
    return read_document_request(DocumentRequest(body, url, content_type, limits, pages))
