"""Chooses the reader for each kind of document; parsers are imported only when needed."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from citewell.reading.content_kinds import detect_document_kind
from citewell.reading.documents.document_text import (
    OFFICE_IS_ENCRYPTED,
    DocumentLimits,
    DocumentRequest,
    DocumentText,
    EncryptedDocument,
    ScannedDocument,
    UnsupportedDocument,
)
from citewell.reading.file_containers import ENCRYPTED_OFFICE_KIND

# The function that reads each kind, with its module; it takes the request.
READERS = {
    "pdf": "citewell.reading.documents.pdf.pdf_reader:read_pdf",
    "docx": "citewell.reading.documents.office.word_documents:read_docx",
    "odt": "citewell.reading.documents.office.opendocument:read_odt",
    "rtf": "citewell.reading.documents.office.rich_text:read_rtf",
    "epub": "citewell.reading.documents.ebooks:read_epub",
    "pptx": "citewell.reading.documents.office.presentations:read_pptx",
    "odp": "citewell.reading.documents.office.opendocument:read_odp",
    "xlsx": "citewell.reading.documents.office.spreadsheets:read_xlsx",
    "xlsb": "citewell.reading.documents.office.spreadsheets:read_xlsb",
    "ods": "citewell.reading.documents.office.spreadsheets:read_ods",
    "doc": "citewell.reading.documents.office.legacy_word:read_doc",
    "ppt": "citewell.reading.documents.office.legacy_slides:read_ppt",
    "xls": "citewell.reading.documents.office.spreadsheets:read_xls",
    "msg": "citewell.reading.documents.email_messages:read_msg",
    "csv": "citewell.reading.documents.office.spreadsheets:read_csv",
    "tsv": "citewell.reading.documents.office.spreadsheets:read_tsv",
    "eml": "citewell.reading.documents.email_messages:read_email",
    "feed": "citewell.reading.documents.feed_listings:read_feed",
    "json": "citewell.reading.documents.text_documents:read_json_document",
    "xml": "citewell.reading.documents.text_documents:read_xml_document",
    "html": "citewell.reading.documents.text_documents:read_html_document",
    "markdown": "citewell.reading.documents.text_documents:read_markdown_document",
    "text": "citewell.reading.documents.text_documents:read_text_document",
}


def read_document_body(
    body: bytes, url: str, content_type: str, limits: DocumentLimits, pages: str | None
) -> DocumentText:
    """The document's text, as worker processes read it; raises as `read_document_request` does."""
    return read_document_request(DocumentRequest(body, url, content_type, limits, pages))


def read_document_request(job: DocumentRequest) -> DocumentText:
    """The document's text; raises UnreadableDocument or TookTooMuch with the reason."""
    kind = detect_document_kind(job.body, content_type=job.content_type, url=job.url)
    if kind == ENCRYPTED_OFFICE_KIND:
        raise EncryptedDocument(OFFICE_IS_ENCRYPTED)
    if kind not in READERS:
        raise UnsupportedDocument(f"Files of this kind ({kind}) cannot be read as text.")
    module, _, function = READERS[kind].partition(":")
    parsed: DocumentText = getattr(import_module(module), function)(job)
    limit = job.limits.max_text
    if len(parsed.markdown) > limit:
        note = f"Only the first {limit} characters are returned."
        parsed = replace(parsed, markdown=parsed.markdown[:limit], notes=(*parsed.notes, note))
    if not parsed.markdown.strip():
        raise ScannedDocument(f"The {kind} document holds no text.")
    return replace(parsed, kind=kind, created=parsed.created or parsed.published)
