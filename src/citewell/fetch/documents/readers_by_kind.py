"""Chooses the reader for each kind of document; parsers are imported only when needed."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from citewell.fetch.decoding.container_kinds import ENCRYPTED_OFFICE_KIND
from citewell.fetch.decoding.content_kinds import (
    READABLE_KINDS,
    detect_document_kind,
)
from citewell.fetch.documents.document_text import (
    DocumentLimits,
    DocumentText,
    EncryptedDocument,
    ParsedDocument,
    ScannedDocument,
    UnsupportedDocument,
)


class DocumentRequest(NamedTuple):
    body: bytes
    url: str
    content_type: str
    limits: DocumentLimits
    pages: str | None


def read_document_request(job: DocumentRequest) -> DocumentText:
    """The document's text; raises UnreadableDocument or TookTooMuch with the reason."""
    kind = detect_document_kind(job.body, content_type=job.content_type, url=job.url)
    if kind == ENCRYPTED_OFFICE_KIND:
        raise EncryptedDocument("The Office document is encrypted and opens only with a password.")
    if kind not in READABLE_KINDS:
        raise UnsupportedDocument(f"Files of this kind ({kind}) cannot be read as text.")
    parsed = _trim_document_text(_read_by_kind(kind, job), job.limits)
    if not parsed.markdown.strip():
        raise ScannedDocument(f"The {kind} document holds no text.")
    return DocumentText(
        markdown=parsed.markdown,
        kind=kind,
        title=parsed.title,
        author=parsed.author,
        created=parsed.created or parsed.published,
        published=parsed.published,
        page_count=parsed.page_count,
        language=parsed.language,
        notes=parsed.notes,
        is_partial=parsed.is_partial,
    )


def _trim_document_text(parsed: ParsedDocument, limits: DocumentLimits) -> ParsedDocument:
    if len(parsed.markdown) <= limits.max_text:
        return parsed
    note = f"Only the first {limits.max_text} characters are returned."
    return replace(parsed, markdown=parsed.markdown[: limits.max_text], notes=(*parsed.notes, note))


def _read_by_kind(kind: str, job: DocumentRequest) -> ParsedDocument:
    if kind == "pdf":
        from citewell.fetch.documents.pdf.pdf_reader import read_pdf

        return read_pdf(job.body, job.limits, job.pages)
    if kind in {"docx", "odt", "rtf", "epub", "pptx", "odp", "xlsx", "ods", "xlsb"}:
        return _read_office_document(kind, job)
    if kind in {"doc", "ppt", "xls", "msg"}:
        return _read_legacy_document(kind, job)
    return _read_textual_document(kind, job)


def _read_office_document(kind: str, job: DocumentRequest) -> ParsedDocument:
    from citewell.fetch.documents import ebooks
    from citewell.fetch.documents.office import presentations, rich_text
    from citewell.fetch.documents.office.word import word_documents

    body, limits, pages = job.body, job.limits, job.pages
    match kind:
        case "docx":
            return word_documents.read_docx(body, limits)
        case "odt":
            return word_documents.read_odt(body, limits)
        case "rtf":
            return rich_text.read_rtf(body)
        case "epub":
            return ebooks.read_epub(body, limits, pages)
        case "pptx":
            return presentations.read_pptx(body, limits, pages)
        case "odp":
            return presentations.read_odp(body, limits)
        case _:
            return _read_workbook(kind, job)


def _read_workbook(kind: str, job: DocumentRequest) -> ParsedDocument:
    from citewell.fetch.documents.office.workbooks import binary_workbooks, spreadsheets

    match kind:
        case "xlsx":
            return spreadsheets.read_xlsx(job.body, job.limits, job.pages)
        case "xlsb":
            return binary_workbooks.read_xlsb(job.body, job.limits, job.pages)
        case _:
            return spreadsheets.read_ods(job.body, job.limits, job.pages)


def _read_legacy_document(kind: str, job: DocumentRequest) -> ParsedDocument:
    """A document in one of the containers that Office wrote before 2007."""
    from citewell.fetch.documents import outlook_messages
    from citewell.fetch.documents.office.legacy import legacy_slides, legacy_word, legacy_workbooks

    match kind:
        case "doc":
            return legacy_word.read_doc(job.body)
        case "ppt":
            return legacy_slides.read_ppt(job.body, job.pages)
        case "xls":
            return legacy_workbooks.read_xls(job.body, job.pages)
        case _:
            return outlook_messages.read_msg(job.body)


def _read_textual_document(kind: str, job: DocumentRequest) -> ParsedDocument:
    from citewell.fetch.documents import (
        data_documents,
        email_messages,
        feed_documents,
        html_fragments,
        plain_text,
    )
    from citewell.fetch.documents.office.workbooks import spreadsheets

    body, said = job.body, job.content_type
    match kind:
        case "csv" | "tsv":
            return spreadsheets.read_csv(body, said, tabs=kind == "tsv")
        case "eml":
            return email_messages.read_email(body)
        case "feed":
            return feed_documents.read_feed(body, url=job.url, content_type=said)
        case "json":
            return data_documents.read_json_document(body, said)
        case "xml":
            return data_documents.read_xml_document(body, said)
        case "html":
            return html_fragments.read_html_document(body, url=job.url, content_type=said)
        case "markdown":
            return plain_text.read_markdown_document(body, said)
        case _:
            return plain_text.read_text_document(body, said)
