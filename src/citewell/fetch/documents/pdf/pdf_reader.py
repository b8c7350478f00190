"""Reads the requested pages of a PDF, or raises an error that says why it cannot be read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from citewell.fetch.documents.document_text import (
    Broken,
    DocumentLimits,
    ParsedDocument,
    RecognitionNeeded,
    RecognizedText,
    ScannedDocument,
)
from citewell.fetch.documents.page_ranges import choose_pages
from citewell.fetch.documents.pdf.hyphen_habits import find_hyphen_habits
from citewell.fetch.documents.pdf.pdf_headings import PageClues
from citewell.fetch.documents.pdf.pdf_markdown import render_pdf_pages, strip_running_headers
from citewell.fetch.documents.pdf.pdf_opening import open_pdf
from citewell.fetch.documents.pdf.pdf_outline import read_outline_titles
from citewell.fetch.documents.pdf.pdf_page import PdfPage, order_page_blocks, read_pdf_page
from citewell.fetch.documents.pdf.pdf_properties import read_pdf_properties
from citewell.fetch.documents.pdf.pdfium import PdfiumFailure
from citewell.model.counted_words import pluralize

_OCR_ADVICE = (
    "Text recognition (OCR) reads such pages where tesseract is installed beside Citewell: "
    "`apt install tesseract-ocr` or `brew install tesseract`."
)
_MIN_TAGGED_LINES = 3  # lines tagged as headings from which the tags are believed complete


def read_pdf(body: bytes, limits: DocumentLimits, pages: str | None) -> ParsedDocument:
    document = open_pdf(body)
    try:
        return _read_pdf_document(document, limits, pages)
    finally:
        document.close()


def _read_pdf_document(document: Any, limits: DocumentLimits, pages: str | None) -> ParsedDocument:
    total = len(document)
    if total == 0:
        raise Broken("The PDF has no pages.")
    wanted = choose_pages(pages, total)
    chosen = wanted[: limits.max_pages]
    notes: list[str] = []
    if len(chosen) < len(wanted):
        notes.append(f"Only the first {limits.max_pages} pages were read.")
    read, damaged = _read_pdf_pages(document, chosen)
    pictures = [page.number for page in read if page.is_picture]
    if pictures and limits.can_recognize:
        raise RecognitionNeeded("Scanned pages.", detail=",".join(map(str, pictures)))
    read = _add_recognized_text(read, limits.recognized)
    if not any(page.has_text for page in read):
        raise _build_no_text_error(read, total, damaged, limits.recognized)
    about = read_pdf_properties(document)
    notes += _build_page_notes(read, damaged, limits.recognized)
    if about.unreadable:
        notes.append(f"Properties of the PDF could not be read: {', '.join(about.unreadable)}.")
    markdown = _render_pdf_markdown(read, read_outline_titles(document))
    heading = re.search(r"^# (.+)$", markdown, re.MULTILINE)
    return ParsedDocument(
        markdown=markdown,
        title=about.title or (heading[1] if heading else None),
        author=about.author,
        created=about.created,
        page_count=total,
        notes=tuple(notes),
        is_partial=bool(damaged or pictures or len(chosen) < len(wanted)),
    )


def _read_pdf_pages(document: Any, chosen: Sequence[int]) -> tuple[list[PdfPage], list[int]]:
    read: list[PdfPage] = []
    damaged: list[int] = []
    for number in chosen:
        try:
            page = document[number]
        except PdfiumFailure:
            damaged.append(number)
            continue
        try:
            read.append(read_pdf_page(page, number))
        except PdfiumFailure:
            damaged.append(number)
        finally:
            page.close()
    return read, damaged


def _add_recognized_text(read: list[PdfPage], found: RecognizedText | None) -> list[PdfPage]:
    tables = {page.number: page.words for page in found.pages} if found else {}
    return [page._replace(recognized=tables.get(page.number, "")) for page in read]


def _build_no_text_error(
    read: list[PdfPage], total: int, damaged: list[int], found: RecognizedText | None
) -> Exception:
    if found is not None:
        said = f" {found.left_out}" if found.left_out else ""
        return ScannedDocument(
            f"The PDF is scanned: its {total} {pluralize(total, 'page is an image', 'pages are images')}, on which text recognition (OCR) "
            f"found no text.{said}"
        )
    if any(page.is_picture for page in read):
        return ScannedDocument(
            f"The PDF is scanned: its {total} {pluralize(total, 'page is an image', 'pages are images')} without a text layer. {_OCR_ADVICE}",
            remedy="apt install tesseract-ocr",
        )
    if damaged and not read:
        return Broken("The PDF is damaged: none of its pages can be opened.")
    return ScannedDocument(
        "The PDF has no text layer: nothing on its pages is stored as text. Use the file that it was"
        " made from, or have its text recognized (OCR) first."
    )


def _build_page_notes(
    read: list[PdfPage], damaged: list[int], found: RecognizedText | None
) -> list[str]:
    """What was left out of the text, and where."""
    notes: list[str] = []
    if damaged:
        notes.append(f"Damaged pages were left out: {_format_page_numbers(damaged)}.")
    if hidden := sum(page.hidden for page in read):
        notes.append(
            f"{hidden} {pluralize(hidden, 'word that is invisible on the page was', 'words that are invisible on the page were')} left out."
        )
    if slanted := sum(page.slanted for page in read):
        notes.append(
            f"{slanted} {pluralize(slanted, 'word at an angle, such as a watermark, was', 'words at an angle, such as a watermark, were')} left out."
        )
    if scanned := [page.number for page in read if page.recognized]:
        notes.append(
            "Scanned pages were read by text recognition (tesseract), which makes mistakes: "
            f"{_format_page_numbers(scanned)}."
        )
    if blank := [page.number for page in read if page.images and not page.has_text]:
        advice = found.left_out if found else _OCR_ADVICE
        said = f"Pages with images but no text layer: {_format_page_numbers(blank)}. {advice}"
        notes.append(said.strip())
    return notes


def _render_pdf_markdown(pages: list[PdfPage], titles: dict[int, dict[str, int]]) -> str:
    body = _measure_body_size(pages)
    tagged = sum(
        any(word.style.tagged_level for word in line.words) for page in pages for line in page.lines
    )
    stripped = strip_running_headers(
        [page.lines for page in pages], [page.height for page in pages], body
    )
    clues = PageClues(
        body, tagged=tagged >= _MIN_TAGGED_LINES, hyphens=find_hyphen_habits(stripped)
    )
    made = [
        order_page_blocks(page, lines, clues._replace(titles=titles.get(page.number, {})))
        for page, lines in zip(pages, stripped, strict=True)
    ]
    return render_pdf_pages(made, body=body)


def _measure_body_size(pages: list[PdfPage]) -> float:
    """The size that most letters have; those of tables count only where there are no others."""
    sizes = Counter[float]()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += sum(len(word.text) for word in line.words if not word.style.mono)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def _format_page_numbers(numbers: Iterable[int]) -> str:
    """Page numbers as people count them, from 1."""
    shown = [number + 1 for number in numbers]
    return ", ".join(map(str, shown[:20])) + (" and more" if len(shown) > 20 else "")
