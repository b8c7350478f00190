"""The words of one PDF page, with their position, style and visibility."""

from __future__ import annotations

import ctypes
import math
import re
from typing import Any

from citewell.fetch.documents.pdf.page_shapes import PageShapes
from citewell.fetch.documents.pdf.pdfium import PDFIUM_API
from citewell.fetch.documents.pdf.words.bidi_words import (
    LetterWord,
    PageLetter,
    build_seen_line,
    measure_letter_widths,
    measure_line_mirroring,
    read_seen_line,
    restore_letter_widths,
)
from citewell.fetch.documents.pdf.words.page_links import add_word_link, collect_page_links
from citewell.fetch.documents.pdf.words.page_tags import read_heading_tags
from citewell.fetch.documents.pdf.words.pdf_word import PdfWord, TextStyle
from citewell.fetch.documents.pdf.words.word_rows import FoundWord, group_line_words
from citewell.fetch.documents.pdf.words.writing_direction import (
    RTL_LETTER_PATTERN,
    is_right_to_left,
)

_MONOSPACED_FONT_PATTERN = re.compile(
    "mono|courier|consol|(?:cm|sf|ec|lm)tt|menlo|typewriter|inconsolata|lettergothic"
)
_BOLD_FONT_PATTERN = re.compile("bold|black|heavy|demi|(?:cm|sf|ec|la)b[xl]|medi(?:ital)?$")
_ITALIC_FONT_PATTERN = re.compile("ital|obli|slant|(?:cm|sf|ec)(?:ti|sl)|[-,]it$")
_FIXED_PITCH_FLAG = 1  # bit of the font descriptor's flags
_ITALIC_FLAG = 1 << 6
_FORCED_BOLD_FLAG = 1 << 18
_FILL_AND_STROKE_MODE = 2  # text render mode that thickens letters
_INVISIBLE_RENDER_MODES = frozenset({3, 7})  # text render modes that paint nothing
_MIN_READABLE_POINTS = 1.5  # points; smaller text counts as hidden
_WHITE_TEXT_LEVEL = 248
_SOFT_HYPHENS = frozenset({"\x02", "\ufffe", "\u00ad"})
_PDF_WORD_PATTERN = re.compile("[^\\s\x02\ufffe\u00ad]+[\x02\ufffe\u00ad]?")


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
        self._holds_rtl = False
        self._tags = read_heading_tags(page)

    def read_visible_words(self, shapes: PageShapes) -> tuple[list[PdfWord], int]:
        """The visible words in file order, and the number of hidden ones."""
        found = self._read_all_words()
        covered = shapes.is_scan
        seen = [word for word in found if self._is_visible_word(word, shapes, scanned=covered)]
        links = collect_page_links(self._page, self._top)
        if links:
            seen = [add_word_link(word, links) for word in seen]
        return seen, len(found) - len(seen)

    def _read_all_words(self) -> list[PdfWord]:
        """All words; a word ends at white space or at a line-end hyphen marked by pdfium."""
        characters = self._read_characters()
        self._holds_rtl = RTL_LETTER_PATTERN.search(characters) is not None
        words = [
            FoundWord(self._build_word(found.start(), found.end(), found.group()), found.start())
            for found in _PDF_WORD_PATTERN.finditer(characters)
        ]
        if not self._holds_rtl:
            return [found.word for found in words]
        return self._read_bidi_words(words, rtl_page=is_right_to_left(characters))

    def _read_bidi_words(self, words: list[FoundWord], *, rtl_page: bool) -> list[PdfWord]:
        """The words with each line that holds right-to-left script read anew, letter by letter."""
        runs = group_line_words(words)
        letters = {
            place: self._collect_letters(run)
            for place, run in enumerate(runs)
            if any(RTL_LETTER_PATTERN.search(found.word.text) for found in run)
        }
        widths = measure_letter_widths([one for line in letters.values() for one in line])
        lines = {
            place: build_seen_line(restore_letter_widths(line, widths), rtl_page=rtl_page)
            for place, line in letters.items()
        }
        gains = {place: measure_line_mirroring(line) for place, line in lines.items()}
        usual = sum(gains.values()) > 0
        made: list[PdfWord] = []
        for place, run in enumerate(runs):
            if place in lines:
                mirror = gains[place] > 0 or (gains[place] == 0 and usual)
                found = read_seen_line(lines[place], mirror=mirror)
                made += [self._place_word(word, rtl=lines[place].rtl) for word in found]
            else:
                made += [found.word for found in run]
        return made

    def _collect_letters(self, run: list[FoundWord]) -> list[PageLetter]:
        letters: list[PageLetter] = []
        for token, found in enumerate(run):
            for place, text in enumerate(found.word.text):
                index = found.start + place
                x0, x1 = self._measure_character_span(index)
                origin, _ = self._measure_character_origin(index)
                letters.append(
                    PageLetter(text, x0, x1, origin, found.word.style.size, token, index)
                )
        return letters

    def _place_word(self, word: LetterWord, *, rtl: bool) -> PdfWord:
        style, y = self._look_up_style(word.number)
        return PdfWord(word.text, word.x0, word.x1, y, style, rtl=rtl)

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
        last = end - 1 - wrapped
        # A footnote mark before or after a word is smaller than the word.
        style, y = max(self._look_up_style(start), self._look_up_style(last), key=_get_style_size)
        if style.angle:
            return self._build_rotated_word(text, start, last, style)
        # Letters of a left-to-right word stand in order, so that its ends are enough.
        places = range(start, last + 1) if self._holds_rtl else {start, last}
        spans = [self._measure_character_span(place) for place in places]
        return PdfWord(text, min(x0 for x0, _ in spans), max(x1 for _, x1 in spans), y, style)

    def _build_rotated_word(self, text: str, start: int, last: int, style: TextStyle) -> PdfWord:
        """A word on a rotated baseline, in coordinates rotated by its angle."""
        x0, y = rotate_point(*self._measure_character_origin(start), style.angle)
        x1, _ = rotate_point(*self._measure_character_origin(last), style.angle)
        return PdfWord(text, min(x0, x1), max(x0, x1) + style.size / 2, -y, style)

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
        points = PDFIUM_API.FPDFText_GetFontSize(raw, i)
        return TextStyle(
            size=round(abs(points) * math.hypot(m.c, m.d), 1),
            bold=bool(flags.value & _FORCED_BOLD_FLAG)
            or mode == _FILL_AND_STROKE_MODE
            or _BOLD_FONT_PATTERN.search(font) is not None,
            mono=bool(flags.value & _FIXED_PITCH_FLAG)
            or _MONOSPACED_FONT_PATTERN.search(font) is not None,
            # A negative size turns letters around, mostly to undo a matrix that does.
            angle=round(math.degrees(math.atan2(*((-m.b, -m.a) if points < 0 else (m.b, m.a))))),
            painted=mode not in _INVISIBLE_RENDER_MODES and alpha.value > 0,
            white=min(red.value, green.value, blue.value) >= _WHITE_TEXT_LEVEL,
            italic=bool(flags.value & _ITALIC_FLAG)
            or _ITALIC_FONT_PATTERN.search(font) is not None,
            tagged_level=self._tags.get(PDFIUM_API.FPDFPageObj_GetMarkedContentID(handle), 0)
            if self._tags
            else 0,
        )

    def _is_visible_word(self, word: PdfWord, shapes: PageShapes, *, scanned: bool) -> bool:
        width, height = self._right - self._left, self._top - self._bottom
        left, right, y, size = word.x0, word.x1, word.y, word.style.size
        if word.style.angle:
            x, up = rotate_point(word.x0, -word.y, -word.style.angle)
            left, right, y = x, x, height - up
        if right < 0 or left > width or not -size < y < height + size:
            return False
        if size <= 0:
            return False
        if not word.style.painted:
            return scanned  # text recognition puts unpainted text under a scanned image
        if size < _MIN_READABLE_POINTS:
            return False
        return not word.style.white or shapes.has_background((left + right) / 2, y - size / 3)


def _get_style_size(found: tuple[TextStyle, float]) -> float:
    return found[0].size


def rotate_point(x: float, y: float, angle: int) -> tuple[float, float]:
    """The point in rotated coordinates: its distance along the direction, and above it."""
    radians = math.radians(angle)
    cosine, sine = math.cos(radians), math.sin(radians)
    return x * cosine + y * sine, y * cosine - x * sine


def _decode_character(code: int) -> str:
    if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return " " if code == 0 else "\ufffd"
    return chr(code)
