"""Reads the requested pages of a PDF, or raises an error that says why it cannot be read."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

from citewell.fetch.documents.document_text import (
    Broken,
    DocumentLimits,
    EncryptedDocument,
    ParsedDocument,
    ScannedDocument,
)
from citewell.fetch.documents.page_ranges import choose_pages
from citewell.fetch.documents.pdf.page_shapes import read_page_shapes
from citewell.fetch.documents.pdf.page_tables import (
    PdfTable,
    find_ruled_tables,
    replace_aligned_tables,
)
from citewell.fetch.documents.pdf.page_words import PageText
from citewell.fetch.documents.pdf.pdf_blocks import PdfBlock, build_region_blocks, build_table_block
from citewell.fetch.documents.pdf.pdf_markdown import render_pdf_pages, strip_running_headers
from citewell.fetch.documents.pdf.pdf_word import PdfWord
from citewell.fetch.documents.pdf.pdfium import PdfiumDocument, PdfiumFailure
from citewell.fetch.documents.pdf.text_lines import TextLine, order_line_regions, split_into_lines

_PASSWORD_ERROR_CODE = 4  # pdfium's FPDF_ERR_PASSWORD
_PDF_DATE_PATTERN = re.compile(
    r"D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?"
)


class _PdfPage(NamedTuple):
    lines: list[TextLine]
    tables: list[PdfTable]
    height: float
    hidden: int
    images: int


def read_pdf(body: bytes, limits: DocumentLimits, pages: str | None) -> ParsedDocument:
    document = _open_pdf(body)
    try:
        return _read_pdf_document(document, limits, pages)
    finally:
        document.close()


def _open_pdf(body: bytes) -> Any:
    start = body.find(b"%PDF-", 0, 1024)
    try:
        return PdfiumDocument(body[start:] if start > 0 else body)
    except PdfiumFailure as error:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR_CODE:
            raise EncryptedDocument(
                "The PDF is encrypted and opens only with a password."
            ) from None
        raise Broken("The file begins like a PDF but is damaged and cannot be opened.") from None


def _read_pdf_document(document: Any, limits: DocumentLimits, pages: str | None) -> ParsedDocument:
    total = len(document)
    if total == 0:
        raise Broken("The PDF has no pages.")
    chosen = choose_pages(pages, total)
    notes: list[str] = []
    if len(chosen) > limits.max_pages:
        chosen = chosen[: limits.max_pages]
        notes.append(f"Only the first {limits.max_pages} pages were read.")
    read, damaged = _read_pdf_pages(document, chosen)
    if damaged:
        notes.append(f"Damaged pages were left out: {_format_page_numbers(damaged)}.")
    if not any(page.lines or page.tables for page in read):
        raise _build_no_text_error(read, total, damaged)
    hidden = sum(page.hidden for page in read)
    if hidden:
        notes.append(f"{hidden} words that are invisible on the page were left out.")
    blank = [n for n, page in zip(chosen, read, strict=False) if page.images and not page.lines]
    if blank and not damaged:
        notes.append(
            f"Pages with images but no text layer: {_format_page_numbers(n + 1 for n in blank)}."
        )
    about = document.get_metadata_dict()
    markdown = _render_pdf_markdown(read)
    heading = re.search(r"^# (.+)$", markdown, re.MULTILINE)
    return ParsedDocument(
        markdown=markdown,
        title=_clean_pdf_property(about.get("Title")) or (heading[1] if heading else None),
        author=_clean_pdf_property(about.get("Author")),
        created=parse_pdf_date(about.get("CreationDate") or ""),
        page_count=total,
        notes=tuple(notes),
    )


def _read_pdf_pages(document: Any, chosen: Sequence[int]) -> tuple[list[_PdfPage], list[int]]:
    read: list[_PdfPage] = []
    damaged: list[int] = []
    for number in chosen:
        try:
            page = document[number]
        except PdfiumFailure:
            damaged.append(number + 1)
            continue
        try:
            read.append(_read_pdf_page(page))
        finally:
            page.close()
    return read, damaged


def _build_no_text_error(read: list[_PdfPage], total: int, damaged: list[int]) -> Exception:
    if any(page.images for page in read):
        return ScannedDocument(
            f"The PDF is scanned: its {total} pages are images without a text layer, "
            "and text recognition (OCR) is not supported."
        )
    if damaged and not read:
        return Broken("The PDF is damaged: none of its pages can be opened.")
    return ScannedDocument("The PDF has no text layer: nothing on its pages is stored as text.")


def _read_pdf_page(page: Any) -> _PdfPage:
    shapes = read_page_shapes(page)
    words, hidden = PageText(page).read_visible_words(shapes)
    height = page.get_cropbox()[3] - page.get_cropbox()[1]
    words, shapes, height = _keep_main_direction(words, shapes, height)
    tables, rest = find_ruled_tables(words, shapes)
    return _PdfPage(split_into_lines(rest), tables, height, hidden, shapes.images)


def _keep_main_direction(
    words: list[PdfWord], shapes: Any, height: float
) -> tuple[list[PdfWord], Any, float]:
    """Only the words in the most common direction, without stamps and watermarks at an angle."""
    angles = Counter[int]()
    for word in words:
        angles[word.style.angle] += len(word.text)
    if not angles or set(angles) == {0}:
        return words, shapes, height
    main = angles.most_common(1)[0][0]
    kept = [word for word in words if abs(word.style.angle - main) <= 2]
    if main == 0:
        return kept, shapes, height
    # The edges of a rotated page are unknown, so no line on it can be a running header.
    return kept, shapes._replace(across=(), down=()), math.nan


def _render_pdf_markdown(pages: list[_PdfPage]) -> str:
    body = _measure_body_size(pages)
    stripped = strip_running_headers(
        [page.lines for page in pages], [page.height for page in pages], body
    )
    made = [
        _order_page_blocks(page, lines, body) for page, lines in zip(pages, stripped, strict=True)
    ]
    return render_pdf_pages(made, body=body)


def _measure_body_size(pages: list[_PdfPage]) -> float:
    sizes = Counter[float]()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += sum(len(word.text) for word in line.words if not word.style.mono)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def _order_page_blocks(page: _PdfPage, lines: list[TextLine], body: float) -> list[PdfBlock]:
    """The page's blocks in reading order, with each ruled table at its position."""
    waiting = sorted(page.tables, key=lambda table: table.box.y0)
    blocks: list[PdfBlock] = []
    for region in order_line_regions(lines):
        pending: list[TextLine] = []
        for line in region:
            while waiting and _is_before_line(waiting[0], line):
                blocks += build_region_blocks(replace_aligned_tables(pending), body=body)
                pending = []
                blocks.append(build_table_block(waiting.pop(0)))
            pending.append(line)
        blocks += build_region_blocks(replace_aligned_tables(pending), body=body)
    return blocks + [build_table_block(table) for table in waiting]


def _is_before_line(table: PdfTable, line: TextLine) -> bool:
    overlaps = table.box.x0 < line.x1 and line.x0 < table.box.x1
    return overlaps and table.box.y0 < line.y


def _clean_pdf_property(value: str | None) -> str | None:
    text = " ".join((value or "").replace("\x00", "").split())
    return (
        text
        if text and text.lower() not in {"untitled", "(unspecified)", "anonymous", "(anonymous)"}
        else None
    )


def _format_page_numbers(numbers: Iterable[int]) -> str:
    shown = list(numbers)
    return ", ".join(map(str, shown[:20])) + (" and more" if len(shown) > 20 else "")


def parse_pdf_date(text: str) -> str | None:
    """A PDF date as ISO 8601; None if the text is not a date."""
    match = _PDF_DATE_PATTERN.match(text.strip())
    if match is None:
        return None
    year, *rest = (int(part) if part else None for part in match.groups()[:6])
    month, day, hour, minute, second = rest
    try:
        made = datetime(
            year or 1,
            month or 1,
            day or 1,
            hour or 0,
            minute or 0,
            second or 0,
            tzinfo=_parse_pdf_timezone(match),
        )
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
