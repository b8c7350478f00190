"""Reads the requested pages of a PDF, or draws one as a picture for text recognition."""

from __future__ import annotations

import math
import re
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

from citewell.core.values.counted_words import pluralize
from citewell.reading.documents.document_text import (
    Broken,
    DocumentLimits,
    DocumentRequest,
    DocumentText,
    EncryptedDocument,
    RecognitionNeeded,
    RecognizedText,
    ScannedDocument,
    choose_pages,
)
from citewell.reading.documents.pdf import PdfiumDocument, PdfiumFailure, pdf_headings, pdf_pages
from citewell.reading.documents.text_recognition import PagePicture

_PASSWORD_ERROR_CODE = 4  # pdfium's FPDF_ERR_PASSWORD

_PDF_DATE_PATTERN = re.compile(
    r"D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?"
)
_EMPTY_PROPERTIES = frozenset({"untitled", "(unspecified)", "anonymous", "(anonymous)"})

_OCR_ADVICE = (
    "Text recognition (OCR) reads such pages where tesseract is installed beside Citewell: "
    "`apt install tesseract-ocr` or `brew install tesseract`."
)
_MIN_TAGGED_LINES = 3  # lines tagged as headings from which the tags are believed complete

_WANTED_DOTS_PER_INCH = 300  # what recognition works best with
_MAX_DOTS = 12_000_000
_POINTS_PER_INCH = 72


def render_page_image(body: bytes, number: int) -> PagePicture:
    """The picture of one page, `number` from 0; a very large page gets a coarser one."""
    document = open_pdf(body)
    try:
        page = document[number]
        area = max(page.get_width() * page.get_height(), 1.0)
        scale = min(_WANTED_DOTS_PER_INCH / _POINTS_PER_INCH, math.sqrt(_MAX_DOTS / area))
        bitmap = page.render(scale=scale, grayscale=True)
        raw = bytes(bitmap.buffer)
        rows = b"".join(
            raw[row * bitmap.stride : row * bitmap.stride + bitmap.width]
            for row in range(bitmap.height)
        )
        dots = max(round(scale * _POINTS_PER_INCH), _POINTS_PER_INCH)
        packed = b64encode(zlib.compress(rows, 1)).decode("ascii")
        return PagePicture(bitmap.width, bitmap.height, dots, packed)
    finally:
        document.close()


# Reads the requested pages of a PDF, or raises an error that says why it cannot be read.


def read_pdf(job: DocumentRequest) -> DocumentText:
    document = open_pdf(job.body)
    try:
        return _read_pdf_document(document, job.limits, job.pages)
    finally:
        document.close()


def _read_pdf_document(document: Any, limits: DocumentLimits, pages: str | None) -> DocumentText:
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
    found = limits.recognized
    tables = {page.number: page.words for page in found.pages} if found else {}
    read = [page._replace(recognized=tables.get(page.number, "")) for page in read]
    if not any(page.has_text for page in read):
        raise _build_no_text_error(read, total, damaged, found)
    about = read_pdf_properties(document)
    notes += _build_page_notes(read, damaged, found)
    if about.unreadable:
        notes.append(f"Properties of the PDF could not be read: {', '.join(about.unreadable)}.")
    markdown = _render_pdf_markdown(read, pdf_headings.read_outline_titles(document))
    heading = re.search(r"^# (.+)$", markdown, re.MULTILINE)
    return DocumentText(
        markdown=markdown,
        title=about.title or (heading[1] if heading else None),
        author=about.author,
        created=about.created,
        page_count=total,
        notes=tuple(notes),
        is_partial=bool(damaged or pictures or len(chosen) < len(wanted)),
    )


def _read_pdf_pages(
    document: Any, chosen: Sequence[int]
) -> tuple[list[pdf_pages.PdfPage], list[int]]:
    read: list[pdf_pages.PdfPage] = []
    damaged: list[int] = []
    for number in chosen:
        try:
            page = document[number]
        except PdfiumFailure:
            damaged.append(number)
            continue
        try:
            read.append(pdf_pages.read_pdf_page(page, number))
        except PdfiumFailure:
            damaged.append(number)
        finally:
            page.close()
    return read, damaged


def _build_no_text_error(
    read: list[pdf_pages.PdfPage], total: int, damaged: list[int], found: RecognizedText | None
) -> Exception:
    images = f"its {total} {pluralize(total, 'page is an image', 'pages are images')}"
    if found is not None:
        more = f" {found.left_out}" if found.left_out else ""
        return ScannedDocument(
            f"The PDF is scanned: {images}, on which text recognition (OCR) found no text.{more}"
        )
    if any(page.is_picture for page in read):
        return ScannedDocument(
            f"The PDF is scanned: {images} without a text layer. {_OCR_ADVICE}",
            remedy="apt install tesseract-ocr",
        )
    if damaged and not read:
        return Broken("The PDF is damaged: none of its pages can be opened.")
    return ScannedDocument(
        "The PDF has no text layer: nothing on its pages is stored as text. Use the file that it was"
        " made from, or have its text recognized (OCR) first."
    )


def _build_page_notes(
    read: list[pdf_pages.PdfPage], damaged: list[int], found: RecognizedText | None
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
        note = f"Pages with images but no text layer: {_format_page_numbers(blank)}. {advice}"
        notes.append(note.strip())
    return notes


def _render_pdf_markdown(pages: list[pdf_pages.PdfPage], titles: dict[int, dict[str, int]]) -> str:
    body = _measure_body_size(pages)
    tagged = sum(
        any(word.style.tagged_level for word in line.words) for page in pages for line in page.lines
    )
    stripped = pdf_pages.strip_running_headers(
        [page.lines for page in pages], [page.height for page in pages], body
    )
    clues = pdf_headings.PageClues(
        body, tagged=tagged >= _MIN_TAGGED_LINES, hyphens=pdf_headings.find_hyphen_habits(stripped)
    )
    made = [
        pdf_pages.order_page_blocks(page, lines, clues._replace(titles=titles.get(page.number, {})))
        for page, lines in zip(pages, stripped, strict=True)
    ]
    return pdf_pages.render_pdf_pages(made, body=body)


def _measure_body_size(pages: list[pdf_pages.PdfPage]) -> float:
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


# Title, author and date that a PDF states about itself.


class PdfProperties(NamedTuple):
    title: str | None = None
    author: str | None = None
    created: str | None = None
    unreadable: tuple[str, ...] = ()  # the names of properties that are stored but not legible


def read_pdf_properties(document: Any) -> PdfProperties:
    """What can be read of the properties; a property that cannot be is no reason to refuse the file."""
    values: dict[str, str] = {}
    unreadable: list[str] = []
    for name in ("Title", "Author", "CreationDate"):
        try:
            values[name] = document.get_metadata_value(name)
        except (PdfiumFailure, ValueError):
            unreadable.append(name)
    return PdfProperties(
        _clean_pdf_property(values.get("Title")),
        _clean_pdf_property(values.get("Author")),
        parse_pdf_date(values.get("CreationDate") or ""),
        tuple(unreadable),
    )


def _clean_pdf_property(value: str | None) -> str | None:
    text = " ".join((value or "").replace("\x00", "").replace("\ufffd", "").split())
    return text if text and text.lower() not in _EMPTY_PROPERTIES else None


def parse_pdf_date(text: str) -> str | None:
    """A PDF date as ISO 8601; None if the text is not a date."""
    match = _PDF_DATE_PATTERN.match(text.strip())
    if match is None:
        return None
    year, *rest = (int(part) if part else None for part in match.groups()[:6])
    month, day, hour, minute, second = rest
    try:
        zone = _parse_pdf_timezone(match)
        date = (year or 1, month or 1, day or 1)
        made = datetime(*date, hour or 0, minute or 0, second or 0, tzinfo=zone)
    except ValueError:
        return None
    return made.isoformat() if hour is not None else made.date().isoformat()


def _parse_pdf_timezone(match: re.Match[str]) -> timezone:
    if not match[8]:
        return UTC
    offset = timedelta(hours=int(match[9]), minutes=int(match[10] or 0))
    if offset >= timedelta(hours=24):
        return UTC
    return timezone(offset if match[8] == "+" else -offset)


# Opens the bytes of a PDF, or says why they cannot be opened.


def open_pdf(body: bytes) -> Any:
    """The document; junk before its header is passed over. Raises EncryptedDocument or Broken."""
    start = body.find(b"%PDF-", 0, 1024)
    try:
        return PdfiumDocument(body[start:] if start > 0 else body)
    except PdfiumFailure as error:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR_CODE:
            raise EncryptedDocument(
                "The PDF is encrypted and opens only with a password."
            ) from None
        raise Broken("The file begins like a PDF but is damaged and cannot be opened.") from None
