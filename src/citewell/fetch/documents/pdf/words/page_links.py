"""The addresses that words of a PDF page link to."""

from __future__ import annotations

import ctypes
from typing import Any

from citewell.fetch.documents.pdf.page_shapes import PageBox
from citewell.fetch.documents.pdf.pdfium import PDFIUM_API
from citewell.fetch.documents.pdf.words.pdf_word import PdfWord


def collect_page_links(page: Any, top: float) -> list[tuple[PageBox, str]]:
    """The boxes and addresses of the page's link annotations."""
    found: list[tuple[PageBox, str]] = []
    position, link, rect = ctypes.c_int(0), PDFIUM_API.FPDF_LINK(), PDFIUM_API.FS_RECTF()
    while PDFIUM_API.FPDFLink_Enumerate(page.raw, position, link) and len(found) < 5000:
        address = _read_link_address(page.pdf.raw, link)
        if address and PDFIUM_API.FPDFLink_GetAnnotRect(link, rect):
            y0, y1 = sorted((top - rect.top, top - rect.bottom))
            found.append(
                (PageBox(min(rect.left, rect.right), y0, max(rect.left, rect.right), y1), address)
            )
    return found


def _read_link_address(document: Any, link: Any) -> str:
    action = PDFIUM_API.FPDFLink_GetAction(link)
    if not action or PDFIUM_API.FPDFAction_GetType(action) != PDFIUM_API.PDFACTION_URI:
        return ""
    size = PDFIUM_API.FPDFAction_GetURIPath(document, action, None, 0)
    if not 1 < size <= 4096:
        return ""
    buffer = ctypes.create_string_buffer(size)
    PDFIUM_API.FPDFAction_GetURIPath(document, action, buffer, size)
    address = buffer.value.decode("utf-8", "replace").strip()
    return address if address.lower().startswith(("http://", "https://", "mailto:")) else ""


def add_word_link(word: PdfWord, links: list[tuple[PageBox, str]]) -> PdfWord:
    x, y = (word.x0 + word.x1) / 2, word.y - word.style.size / 4
    for box, address in links:
        if box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1:
            return word._replace(link=address)
    return word
