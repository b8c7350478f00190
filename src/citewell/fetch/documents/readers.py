"""Which reader takes which kind of document; each loads only what it needs."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from citewell.fetch.documents.document import (
    DocumentText,
    Encrypted,
    Limits,
    Parsed,
    Scanned,
    Unsupported,
)
from citewell.fetch.documents.sniff import READABLE, sniff


class Job(NamedTuple):
    body: bytes
    url: str
    content_type: str
    limits: Limits
    pages: str | None


def read(job: Job) -> DocumentText:
    """The document's text, or an error that says what is the matter with it."""
    kind = sniff(job.body, content_type=job.content_type, url=job.url)
    if kind == "encrypted Office document":
        raise Encrypted("The Office document is encrypted and opens only with a password.")
    if kind not in READABLE:
        raise Unsupported(f"Files of this kind ({kind}) hold no text that can be read here.")
    parsed = _bounded(_read(kind, job), job.limits)
    if not parsed.markdown.strip():
        raise Scanned(f"The {kind} document holds no text.")
    return DocumentText(
        markdown=parsed.markdown,
        kind=kind,
        title=parsed.title,
        author=parsed.author,
        created=parsed.created,
        page_count=parsed.page_count,
        language=parsed.language,
        notes=parsed.notes,
    )


def _bounded(parsed: Parsed, limits: Limits) -> Parsed:
    if len(parsed.markdown) <= limits.max_text:
        return parsed
    note = f"Only the first {limits.max_text} characters are given."
    return replace(parsed, markdown=parsed.markdown[: limits.max_text], notes=(*parsed.notes, note))


def _read(kind: str, job: Job) -> Parsed:
    if kind == "pdf":
        from citewell.fetch.documents.pdf.read import read_pdf

        return read_pdf(job.body, job.limits, job.pages)
    if kind in {"docx", "odt", "rtf", "epub", "pptx", "odp", "xlsx", "ods"}:
        return _read_office(kind, job)
    return _read_textual(kind, job)


def _read_office(kind: str, job: Job) -> Parsed:
    from citewell.fetch.documents import epub, rtf, sheets, slides, word

    body, limits, pages = job.body, job.limits, job.pages
    match kind:
        case "docx":
            return word.read_docx(body, limits)
        case "odt":
            return word.read_odt(body, limits)
        case "rtf":
            return rtf.read_rtf(body)
        case "epub":
            return epub.read_epub(body, limits, pages)
        case "pptx":
            return slides.read_pptx(body, limits, pages)
        case "odp":
            return slides.read_odp(body, limits)
        case "xlsx":
            return sheets.read_xlsx(body, limits, pages)
        case _:
            return sheets.read_ods(body, limits, pages)


def _read_textual(kind: str, job: Job) -> Parsed:
    from citewell.fetch.documents import data, email, feeds, markup, plain, sheets

    body, said = job.body, job.content_type
    match kind:
        case "csv" | "tsv":
            return sheets.read_csv(body, said, tabs=kind == "tsv")
        case "eml":
            return email.read_email(body)
        case "feed":
            return feeds.read_feed(body, url=job.url, content_type=said)
        case "json":
            return data.read_json(body, said)
        case "xml":
            return data.read_xml(body, said)
        case "html":
            return markup.read_html(body, url=job.url, content_type=said)
        case "markdown":
            return plain.read_markdown(body, said)
        case _:
            return plain.read_text(body, said)
