"""Reads a document that stands where a page was asked for, as a page."""

from __future__ import annotations

from citewell.errors import CitewellError
from citewell.fetch.documents.document_reader import add_address_to_error, check_document_size
from citewell.fetch.documents.document_text import (
    Broken,
    DocumentLimits,
    DocumentText,
    TookTooMuch,
    UnreadableDocument,
)
from citewell.fetch.documents.readers_by_kind import DocumentRequest, read_document_request
from citewell.fetch.extracted_page import ExtractedPage, PageResponse
from citewell.fetch.metadata.page_metadata import ExtractedMetadata


def extract_document_page(
    body: bytes, response: PageResponse, limits: DocumentLimits
) -> ExtractedPage:
    """The document's text and metadata; raises the errors of documents, with the address in them."""
    check_document_size(body, response.url, limits)
    job = DocumentRequest(body, response.url, response.content_type, limits, None)
    try:
        found = _read_without_bugs(job)
    except (UnreadableDocument, TookTooMuch) as error:
        raise add_address_to_error(error, response.url) from None
    return _build_document_page(found, response, size=len(body))


def _read_without_bugs(job: DocumentRequest) -> DocumentText:
    try:
        return read_document_request(job)
    except (CitewellError, MemoryError, RecursionError):
        raise
    except Exception as error:
        kind = type(error).__name__
        said = f"The document is damaged or malformed: reading it failed ({kind})."
        raise Broken(said) from error


def _build_document_page(
    found: DocumentText, response: PageResponse, *, size: int
) -> ExtractedPage:
    about = ExtractedMetadata(
        title=found.title or "",
        author=found.author,
        language=found.language,
        published=found.published,
        published_basis="document" if found.published else None,
    )
    return ExtractedPage(
        final_url=response.final_url,
        content=found.markdown,
        content_type=found.kind,
        metadata=about,
        page_count=found.page_count,
        file_size=size,
        created=found.created,
        notes=found.notes,
        quality="partial" if found.is_partial else "complete",
    )
