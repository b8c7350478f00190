"""The words of one PDF page: where each stands, how it is set, and whether a reader can see it."""

from __future__ import annotations

import ctypes
import math
import re
from typing import Any, NamedTuple

from citewell.fetch.documents.pdf.engine import C
from citewell.fetch.documents.pdf.shapes import Box, Shapes

_MONO = ("mono", "courier", "consol", "cmtt", "menlo", "typewriter", "inconsolata", "lettergothic")
_BOLD = ("bold", "black", "heavy", "cmbx", "semibold", "demi")
_FIXED_PITCH = 1  # bit of the font descriptor's flags
_FORCED_BOLD = 1 << 18
_INVISIBLE = frozenset({3, 7})  # text render modes that paint nothing
_LEAST_SIZE = 1.5  # points; nobody reads less
_WHITE = 248
_LIGATURE = re.compile("[\u0622\u0623\u0625\u0627]\u0644")
_SOFT_HYPHENS = frozenset({"\x02", "\ufffe", "\u00ad"})
_WORD = re.compile("[^\\s\x02\ufffe\u00ad]+[\x02\ufffe\u00ad]?")


class Style(NamedTuple):
    size: float
    bold: bool
    mono: bool
    angle: int  # degrees, counter-clockwise
    painted: bool
    white: bool


class Word(NamedTuple):
    text: str
    x0: float
    x1: float
    y: float  # baseline, downwards from the top of the page
    style: Style
    link: str = ""


_NO_STYLE = Style(0.0, bold=False, mono=False, angle=0, painted=False, white=False)


class Glyphs:
    """Reads one text page through the C interface, asking for styles once per text object."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._text: Any = page.get_textpage()
        self._styles: dict[int, tuple[Style, float]] = {}
        self._numbers = tuple(ctypes.c_double() for _ in range(4))
        self._left, self._bottom, self._right, self._top = page.get_cropbox()
        self._matrix = C.FS_MATRIX()

    def words(self, shapes: Shapes) -> tuple[list[Word], int]:
        """All words a reader can see, in the file's order, and how many are hidden."""
        found = [word for word in self._all() if word.style.size > 0]
        covered = shapes.covered
        seen = [word for word in found if self._visible(word, shapes, scanned=covered)]
        links = _links(self._page, self._top)
        if links:
            seen = [_linked(word, links) for word in seen]
        return seen, len(found) - len(seen)

    def _all(self) -> list[Word]:
        """Words end at white space, and at a hyphen that pdfium knows to be a line's."""
        return [
            self._word(found.start(), found.end(), found.group())
            for found in _WORD.finditer(self._characters())
        ]

    def _characters(self) -> str:
        """The page's text with exactly one character for each index of the C interface."""
        raw = self._text.raw
        count = C.FPDFText_CountChars(raw)
        buffer = (ctypes.c_ushort * (count + 1))()
        written = C.FPDFText_GetText(raw, 0, count, buffer)
        text = bytes(buffer)[: 2 * count].decode("utf-16-le", "replace")
        if written == count + 1 and len(text) == count:
            return text.replace("\x00", " ")
        unicode = C.FPDFText_GetUnicode
        return "".join(_character(unicode(raw, i)) for i in range(count))

    def _word(self, start: int, end: int, text: str) -> Word:
        wrapped = text[-1] in _SOFT_HYPHENS
        if wrapped:
            text = text[:-1] + "-"
        if _LIGATURE.search(text):
            text = self._ligatures(start, text)
        style, y = self._style(start)
        last = end - 1 - wrapped
        if style.angle:
            return self._turned_word(text, start, last, style)
        x0, x1 = self._span(start)
        if last > start:
            other0, other1 = self._span(last)
            x0, x1 = min(x0, other0), max(x1, other1)
        return Word(text, x0, x1, y, style)

    def _turned_word(self, text: str, start: int, last: int, style: Style) -> Word:
        """A word that runs up, down or aslant, in coordinates that are turned with it."""
        x0, y = turn(*self._origin(start), style.angle)
        x1, _ = turn(*self._origin(last), style.angle)
        return Word(text, min(x0, x1), max(x0, x1) + style.size / 2, -y, style)

    def _ligatures(self, start: int, text: str) -> str:
        """Lam-alef is one glyph; its two letters come turned round with the rest of the word."""
        letters = list(text)
        for found in _LIGATURE.finditer(text):
            if self._span(start + found.start()) == self._span(start + found.start() + 1):
                letters[found.start() : found.end()] = found.group()[::-1]
        return "".join(letters)

    def _span(self, i: int) -> tuple[float, float]:
        left, right, bottom, top = self._numbers
        C.FPDFText_GetCharBox(self._text.raw, i, left, right, bottom, top)
        return left.value - self._left, right.value - self._left

    def _origin(self, i: int) -> tuple[float, float]:
        x, y, *_ = self._numbers
        C.FPDFText_GetCharOrigin(self._text.raw, i, x, y)
        return x.value - self._left, y.value - self._bottom

    def _baseline(self, i: int) -> float:
        return float(self._top - self._bottom - self._origin(i)[1])

    def _style(self, i: int) -> tuple[Style, float]:
        """How and on which baseline a character is set, which a text object's characters share."""
        handle = C.FPDFText_GetTextObject(self._text.raw, i)
        if not handle:
            return _NO_STYLE, 0.0
        key = ctypes.addressof(handle.contents)
        known = self._styles.get(key)
        if known is None:
            known = self._styles[key] = (self._ask_style(i, handle), self._baseline(i))
        return known

    def _ask_style(self, i: int, handle: Any) -> Style:
        raw, m = self._text.raw, self._matrix
        C.FPDFText_GetMatrix(raw, i, m)
        name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
        C.FPDFText_GetFontInfo(raw, i, name, 128, flags)
        font = name.value.decode("utf-8", "replace").lower()
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        C.FPDFText_GetFillColor(raw, i, red, green, blue, alpha)
        mode = C.FPDFTextObj_GetTextRenderMode(handle)
        return Style(
            size=round(C.FPDFText_GetFontSize(raw, i) * math.hypot(m.c, m.d), 1),
            bold=bool(flags.value & _FORCED_BOLD) or any(mark in font for mark in _BOLD),
            mono=bool(flags.value & _FIXED_PITCH) or any(mark in font for mark in _MONO),
            angle=round(math.degrees(math.atan2(m.b, m.a))),
            painted=mode not in _INVISIBLE and alpha.value > 0,
            white=min(red.value, green.value, blue.value) >= _WHITE,
        )

    def _visible(self, word: Word, shapes: Shapes, *, scanned: bool) -> bool:
        width, height = self._right - self._left, self._top - self._bottom
        left, right, y, size = word.x0, word.x1, word.y, word.style.size
        if word.style.angle:
            x, up = turn(word.x0, -word.y, -word.style.angle)
            left, right, y = x, x, height - up
        if right < 0 or left > width or not -size < y < height + size:
            return False
        if not word.style.painted:
            return scanned  # the recognised text under a scanned image
        if size < _LEAST_SIZE:
            return False
        return not word.style.white or shapes.behind((left + right) / 2, y - size / 3)


def turn(x: float, y: float, angle: int) -> tuple[float, float]:
    """How far a point is along a direction, and how far above it."""
    radians = math.radians(angle)
    cosine, sine = math.cos(radians), math.sin(radians)
    return x * cosine + y * sine, y * cosine - x * sine


def _character(code: int) -> str:
    if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return " " if code == 0 else "\ufffd"
    return chr(code)


def _links(page: Any, top: float) -> list[tuple[Box, str]]:
    """The page's link annotations that lead to an address."""
    found: list[tuple[Box, str]] = []
    position, link, rect = ctypes.c_int(0), C.FPDF_LINK(), C.FS_RECTF()
    while C.FPDFLink_Enumerate(page.raw, position, link) and len(found) < 5000:
        address = _address(page.pdf.raw, link)
        if address and C.FPDFLink_GetAnnotRect(link, rect):
            y0, y1 = sorted((top - rect.top, top - rect.bottom))
            found.append(
                (Box(min(rect.left, rect.right), y0, max(rect.left, rect.right), y1), address)
            )
    return found


def _address(document: Any, link: Any) -> str:
    action = C.FPDFLink_GetAction(link)
    if not action or C.FPDFAction_GetType(action) != C.PDFACTION_URI:
        return ""
    size = C.FPDFAction_GetURIPath(document, action, None, 0)
    if not 1 < size <= 4096:
        return ""
    buffer = ctypes.create_string_buffer(size)
    C.FPDFAction_GetURIPath(document, action, buffer, size)
    address = buffer.value.decode("utf-8", "replace").strip()
    return address if address.lower().startswith(("http://", "https://", "mailto:")) else ""


def _linked(word: Word, links: list[tuple[Box, str]]) -> Word:
    x, y = (word.x0 + word.x1) / 2, word.y - word.style.size / 4
    for box, address in links:
        if box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1:
            return word._replace(link=address)
    return word
