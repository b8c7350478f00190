"""The words of one PDF page, with their position, style and visibility."""

from __future__ import annotations

import ctypes
import math
import re
from typing import Any, NamedTuple

from citewell.fetch.documents.pdf.page_shapes import PageBox, PageShapes
from citewell.fetch.documents.pdf.pdfium import PDFIUM_API

_MONOSPACED_FONT_MARKS = (
    "mono",
    "courier",
    "consol",
    "cmtt",
    "menlo",
    "typewriter",
    "inconsolata",
    "lettergothic",
)
_BOLD_FONT_MARKS = ("bold", "black", "heavy", "cmbx", "semibold", "demi")
_FIXED_PITCH_FLAG = 1  # bit of the font descriptor's flags
_FORCED_BOLD_FLAG = 1 << 18
_INVISIBLE_RENDER_MODES = frozenset({3, 7})  # text render modes that paint nothing
_MIN_READABLE_POINTS = 1.5  # points; smaller text counts as hidden
_WHITE_TEXT_LEVEL = 248
_LAM_ALEF_PATTERN = re.compile("[\u0622\u0623\u0625\u0627]\u0644")
_SOFT_HYPHENS = frozenset({"\x02", "\ufffe", "\u00ad"})
_PDF_WORD_PATTERN = re.compile("[^\\s\x02\ufffe\u00ad]+[\x02\ufffe\u00ad]?")


class TextStyle(NamedTuple):
    size: float
    bold: bool
    mono: bool
    angle: int  # degrees, counter-clockwise
    painted: bool
    white: bool


class PdfWord(NamedTuple):
    text: str
    x0: float
    x1: float
    y: float  # baseline, downwards from the top of the page
    style: TextStyle
    link: str = ""


_UNKNOWN_STYLE = TextStyle(0.0, bold=False, mono=False, angle=0, painted=False, white=False)


class PageText:
    """One page's text, read through the C interface; styles are read once per text object."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._text: Any = page.get_textpage()
        self._styles: dict[int, tuple[TextStyle, float]] = {}
        self._numbers = tuple(ctypes.c_double() for _ in range(4))
        self._left, self._bottom, self._right, self._top = page.get_cropbox()
        self._matrix = PDFIUM_API.FS_MATRIX()

    def read_visible_words(self, shapes: PageShapes) -> tuple[list[PdfWord], int]:
        """The visible words in file order, and the number of hidden ones."""
        found = [word for word in self._read_all_words() if word.style.size > 0]
        covered = shapes.is_scan
        seen = [word for word in found if self._is_visible_word(word, shapes, scanned=covered)]
        links = _collect_page_links(self._page, self._top)
        if links:
            seen = [_add_word_link(word, links) for word in seen]
        return seen, len(found) - len(seen)

    def _read_all_words(self) -> list[PdfWord]:
        """All words; a word ends at white space or at a line-end hyphen marked by pdfium."""
        return [
            self._build_word(found.start(), found.end(), found.group())
            for found in _PDF_WORD_PATTERN.finditer(self._read_characters())
        ]

    def _read_characters(self) -> str:
        """The page's text with exactly one character for each index of the C interface."""
        raw = self._text.raw
        count = PDFIUM_API.FPDFText_CountChars(raw)
        buffer = (ctypes.c_ushort * (count + 1))()
        written = PDFIUM_API.FPDFText_GetText(raw, 0, count, buffer)
        text = bytes(buffer)[: 2 * count].decode("utf-16-le", "replace")
        if written == count + 1 and len(text) == count:
            return text.replace("\x00", " ")
        unicode = PDFIUM_API.FPDFText_GetUnicode
        return "".join(_decode_character(unicode(raw, i)) for i in range(count))

    def _build_word(self, start: int, end: int, text: str) -> PdfWord:
        wrapped = text[-1] in _SOFT_HYPHENS
        if wrapped:
            text = text[:-1] + "-"
        if _LAM_ALEF_PATTERN.search(text):
            text = self._reorder_ligatures(start, text)
        style, y = self._look_up_style(start)
        last = end - 1 - wrapped
        if style.angle:
            return self._build_rotated_word(text, start, last, style)
        x0, x1 = self._measure_character_span(start)
        if last > start:
            other0, other1 = self._measure_character_span(last)
            x0, x1 = min(x0, other0), max(x1, other1)
        return PdfWord(text, x0, x1, y, style)

    def _build_rotated_word(self, text: str, start: int, last: int, style: TextStyle) -> PdfWord:
        """A word on a rotated baseline, in coordinates rotated by its angle."""
        x0, y = rotate_point(*self._measure_character_origin(start), style.angle)
        x1, _ = rotate_point(*self._measure_character_origin(last), style.angle)
        return PdfWord(text, min(x0, x1), max(x0, x1) + style.size / 2, -y, style)

    def _reorder_ligatures(self, start: int, text: str) -> str:
        """The word with lam-alef in logical order; pdfium reverses the two letters of this one glyph."""
        letters = list(text)
        for found in _LAM_ALEF_PATTERN.finditer(text):
            if self._measure_character_span(start + found.start()) == self._measure_character_span(
                start + found.start() + 1
            ):
                letters[found.start() : found.end()] = found.group()[::-1]
        return "".join(letters)

    def _measure_character_span(self, i: int) -> tuple[float, float]:
        left, right, bottom, top = self._numbers
        PDFIUM_API.FPDFText_GetCharBox(self._text.raw, i, left, right, bottom, top)
        return left.value - self._left, right.value - self._left

    def _measure_character_origin(self, i: int) -> tuple[float, float]:
        x, y, *_ = self._numbers
        PDFIUM_API.FPDFText_GetCharOrigin(self._text.raw, i, x, y)
        return x.value - self._left, y.value - self._bottom

    def _measure_baseline(self, i: int) -> float:
        return float(self._top - self._bottom - self._measure_character_origin(i)[1])

    def _look_up_style(self, i: int) -> tuple[TextStyle, float]:
        """Style and baseline of a character; cached, since all characters of a text object share them."""
        handle = PDFIUM_API.FPDFText_GetTextObject(self._text.raw, i)
        if not handle:
            return _UNKNOWN_STYLE, 0.0
        key = ctypes.addressof(handle.contents)
        known = self._styles.get(key)
        if known is None:
            known = self._styles[key] = (self._read_style(i, handle), self._measure_baseline(i))
        return known

    def _read_style(self, i: int, handle: Any) -> TextStyle:
        raw, m = self._text.raw, self._matrix
        PDFIUM_API.FPDFText_GetMatrix(raw, i, m)
        name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
        PDFIUM_API.FPDFText_GetFontInfo(raw, i, name, 128, flags)
        font = name.value.decode("utf-8", "replace").lower()
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        PDFIUM_API.FPDFText_GetFillColor(raw, i, red, green, blue, alpha)
        mode = PDFIUM_API.FPDFTextObj_GetTextRenderMode(handle)
        return TextStyle(
            size=round(PDFIUM_API.FPDFText_GetFontSize(raw, i) * math.hypot(m.c, m.d), 1),
            bold=bool(flags.value & _FORCED_BOLD_FLAG)
            or any(mark in font for mark in _BOLD_FONT_MARKS),
            mono=bool(flags.value & _FIXED_PITCH_FLAG)
            or any(mark in font for mark in _MONOSPACED_FONT_MARKS),
            angle=round(math.degrees(math.atan2(m.b, m.a))),
            painted=mode not in _INVISIBLE_RENDER_MODES and alpha.value > 0,
            white=min(red.value, green.value, blue.value) >= _WHITE_TEXT_LEVEL,
        )

    def _is_visible_word(self, word: PdfWord, shapes: PageShapes, *, scanned: bool) -> bool:
        width, height = self._right - self._left, self._top - self._bottom
        left, right, y, size = word.x0, word.x1, word.y, word.style.size
        if word.style.angle:
            x, up = rotate_point(word.x0, -word.y, -word.style.angle)
            left, right, y = x, x, height - up
        if right < 0 or left > width or not -size < y < height + size:
            return False
        if not word.style.painted:
            return scanned  # text recognition puts unpainted text under a scanned image
        if size < _MIN_READABLE_POINTS:
            return False
        return not word.style.white or shapes.has_background((left + right) / 2, y - size / 3)


def rotate_point(x: float, y: float, angle: int) -> tuple[float, float]:
    """The point in rotated coordinates: its distance along the direction, and above it."""
    radians = math.radians(angle)
    cosine, sine = math.cos(radians), math.sin(radians)
    return x * cosine + y * sine, y * cosine - x * sine


def _decode_character(code: int) -> str:
    if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return " " if code == 0 else "\ufffd"
    return chr(code)


def _collect_page_links(page: Any, top: float) -> list[tuple[PageBox, str]]:
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


def _add_word_link(word: PdfWord, links: list[tuple[PageBox, str]]) -> PdfWord:
    x, y = (word.x0 + word.x1) / 2, word.y - word.style.size / 4
    for box, address in links:
        if box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1:
            return word._replace(link=address)
    return word
