"""The words of one PDF page, with their position, style and visibility."""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from typing import Any, NamedTuple

from citewell.reading.documents.pdf import PDFIUM_API, bidi_words
from citewell.reading.documents.pdf.page_tables import PageBox, PageShapes
from citewell.reading.documents.pdf.text_lines import PdfWord, TextStyle

_HEADING_TAG_PATTERN = re.compile(r"H(?:eading)?[ _]?([1-6])", re.IGNORECASE)
_MAX_TAG_NODES = 20_000
_MAX_TAG_DEPTH = 40
_MAX_TAG_BYTES = 128


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


_MAX_FLOATING_LETTERS = 3
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
        words = self._read_all_words()
        seen = [word for word in words if self._is_visible_word(word, shapes)]
        links = collect_page_links(self._page, self._top)
        if links:
            seen = [add_word_link(word, links) for word in seen]
        return seen, len(words) - len(seen)

    def _read_all_words(self) -> list[PdfWord]:
        """All words; a word ends at white space or at a line-end hyphen marked by pdfium."""
        characters = self._read_characters()
        self._holds_rtl = bidi_words.RTL_LETTER_PATTERN.search(characters) is not None
        words = [
            FoundWord(self._build_word(match.start(), match.end(), match[0]), match.start())
            for match in _PDF_WORD_PATTERN.finditer(characters)
        ]
        if not self._holds_rtl:
            return [found.word for found in words]
        return self._read_bidi_words(words, rtl_page=bidi_words.is_right_to_left(characters))

    def _read_bidi_words(self, words: list[FoundWord], *, rtl_page: bool) -> list[PdfWord]:
        """The words with each line that holds right-to-left script read anew, letter by letter."""
        runs = group_line_words(words)
        letters = {
            place: self._collect_letters(run)
            for place, run in enumerate(runs)
            if any(bidi_words.RTL_LETTER_PATTERN.search(found.word.text) for found in run)
        }
        widths = bidi_words.measure_letter_widths(
            [letter for line in letters.values() for letter in line]
        )
        lines = {
            place: bidi_words.build_seen_line(
                bidi_words.restore_letter_widths(line, widths), rtl_page=rtl_page
            )
            for place, line in letters.items()
        }
        gains = {
            place: bidi_words.measure_mirroring_gain(
                [line.letters[n] for n in line.order], [line.levels[n] for n in line.order]
            )
            for place, line in lines.items()
        }
        usual = sum(gains.values()) > 0
        made: list[PdfWord] = []
        for place, run in enumerate(runs):
            if place in lines:
                mirror = gains[place] > 0 or (gains[place] == 0 and usual)
                for word in bidi_words.read_seen_line(lines[place], mirror=mirror):
                    style, y = self._look_up_style(word.number)
                    x0, x1, rtl = word.x0, word.x1, lines[place].rtl
                    made.append(PdfWord(word.text, x0, x1, y, style, rtl=rtl))
            else:
                made += [found.word for found in run]
        return made

    def _collect_letters(self, run: list[FoundWord]) -> list[bidi_words.PageLetter]:
        letters: list[bidi_words.PageLetter] = []
        for token, found in enumerate(run):
            for place, text in enumerate(found.word.text):
                index = found.start + place
                x0, x1 = self._measure_character_span(index)
                origin, _ = self._measure_character_origin(index)
                letters.append(
                    bidi_words.PageLetter(text, x0, x1, origin, found.word.style.size, token, index)
                )
        return letters

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
        codes = (unicode(raw, i) or ord(" ") for i in range(count))
        return "".join(
            "\ufffd" if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF else chr(code) for code in codes
        )

    def _build_word(self, start: int, end: int, text: str) -> PdfWord:
        wrapped = text[-1] in _SOFT_HYPHENS
        if wrapped:
            text = text[:-1] + "-"
        last = end - 1 - wrapped
        # A footnote mark before or after a word is smaller than the word.
        style, y = max(map(self._look_up_style, (start, last)), key=lambda found: found[0].size)
        if style.angle:
            # The word stands in coordinates that are rotated by its angle.
            x0, y = rotate_point(*self._measure_character_origin(start), style.angle)
            x1, _ = rotate_point(*self._measure_character_origin(last), style.angle)
            return PdfWord(text, min(x0, x1), max(x0, x1) + style.size / 2, -y, style)
        # Letters of a left-to-right word stand in order, so that its ends are enough.
        places = range(start, last + 1) if self._holds_rtl else {start, last}
        spans = [self._measure_character_span(place) for place in places]
        return PdfWord(text, min(x0 for x0, _ in spans), max(x1 for _, x1 in spans), y, style)

    def _measure_character_span(self, i: int) -> tuple[float, float]:
        left, right, bottom, top = self._numbers
        PDFIUM_API.FPDFText_GetCharBox(self._text.raw, i, left, right, bottom, top)
        return left.value - self._left, right.value - self._left

    def _measure_character_origin(self, i: int) -> tuple[float, float]:
        x, y, *_ = self._numbers
        PDFIUM_API.FPDFText_GetCharOrigin(self._text.raw, i, x, y)
        return x.value - self._left, y.value - self._bottom

    def _look_up_style(self, i: int) -> tuple[TextStyle, float]:
        """Style and baseline of a character; cached, since all characters of a text object share them."""
        handle = PDFIUM_API.FPDFText_GetTextObject(self._text.raw, i)
        if not handle:
            return _UNKNOWN_STYLE, 0.0
        key = ctypes.addressof(handle.contents)
        known = self._styles.get(key)
        if known is None:
            _, up = self._measure_character_origin(i)
            baseline = float(self._top - self._bottom - up)
            known = self._styles[key] = (self._read_style(i, handle), baseline)
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

    def _is_visible_word(self, word: PdfWord, shapes: PageShapes) -> bool:
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
            return shapes.is_scan  # text recognition puts unpainted text under a scanned image
        if size < _MIN_READABLE_POINTS:
            return False
        if not word.style.white:
            return True
        x, middle = (left + right) / 2, y - size / 3
        return any(box.contains_point(x, middle) for box in shapes.backgrounds)


def rotate_point(x: float, y: float, angle: int) -> tuple[float, float]:
    """The point in rotated coordinates: its distance along the direction, and above it."""
    radians = math.radians(angle)
    cosine, sine = math.cos(radians), math.sin(radians)
    return x * cosine + y * sine, y * cosine - x * sine


# The addresses that words of a PDF page link to.


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
    addresses = (address for box, address in links if box.contains_point(x, y))
    return word._replace(link=next(addresses, word.link))


# Which text of a tagged PDF page its author marked as a heading.


def read_heading_tags(page: Any) -> dict[int, int]:
    """The heading level of each piece of marked content that stands in a heading."""
    tree = PDFIUM_API.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        return {}
    try:
        count = PDFIUM_API.FPDF_StructTree_CountChildren(tree)
        tops = [PDFIUM_API.FPDF_StructTree_GetChildAtIndex(tree, n) for n in range(count)]
        return _collect_heading_levels(tops)
    finally:
        PDFIUM_API.FPDF_StructTree_Close(tree)


def _collect_heading_levels(tops: list[Any]) -> dict[int, int]:
    levels: dict[int, int] = {}
    waiting = [(element, 0, 0) for element in reversed(tops) if element]
    seen = 0
    while waiting and seen < _MAX_TAG_NODES:
        element, level, depth = waiting.pop()
        seen += 1
        level = level or _read_heading_level(element)
        for n in range(PDFIUM_API.FPDF_StructElement_CountChildren(element)):
            child = PDFIUM_API.FPDF_StructElement_GetChildAtIndex(element, n)
            if child and depth < _MAX_TAG_DEPTH:
                waiting.append((child, level, depth + 1))
            elif level:
                content = PDFIUM_API.FPDF_StructElement_GetChildMarkedContentID(element, n)
                if content >= 0:
                    levels[content] = level
    return levels


def _read_heading_level(element: Any) -> int:
    buffer = ctypes.create_string_buffer(_MAX_TAG_BYTES)
    size = PDFIUM_API.FPDF_StructElement_GetType(element, buffer, _MAX_TAG_BYTES)
    if not 2 < size <= _MAX_TAG_BYTES:
        return 0
    name = buffer.raw[: size - 2].decode("utf-16-le", "replace")
    if name == "Title":
        return 1
    match = _HEADING_TAG_PATTERN.fullmatch(name)
    return int(match[1]) if match else 0


# Groups words into runs that stand on one line, wherever the file has them.


class FoundWord(NamedTuple):
    word: PdfWord
    start: int  # in pdfium's list of characters


def group_line_words(words: list[FoundWord]) -> list[list[FoundWord]]:
    """Words that stand on one line with no wide gap between them, wherever the file has them."""
    made = [
        sorted(run, key=lambda found: found.start)
        for row in _group_by_baseline([w for w in words if not _is_marks_only(w.word.text)])
        for run in _split_at_gaps(row)
    ]
    # Alone on its baseline, a letter with a mark is one that the file puts above its line.
    runs = [run for run in made if not all(_is_floating(found.word.text) for found in run)]
    loose = [found for run in made if run not in runs for found in run]
    for found in [*loose, *(word for word in words if _is_marks_only(word.word.text))]:
        _add_to_nearest_run(runs, found)
    return sorted(runs, key=lambda run: min(found.start for found in run))


def _add_to_nearest_run(runs: list[list[FoundWord]], mark: FoundWord) -> None:
    below = [run for run in runs if any(_is_over_word(mark.word, w.word) for w in run)]
    if below:
        min(below, key=lambda run: abs(run[0].word.y - mark.word.y)).append(mark)
    else:
        runs.append([mark])


def _group_by_baseline(words: list[FoundWord]) -> list[list[FoundWord]]:
    rows: list[list[FoundWord]] = []
    for found in sorted(words, key=lambda found: (found.word.style.angle, found.word.y)):
        first = rows[-1][0].word if rows else None
        if (
            first is not None
            and first.style.angle == found.word.style.angle == 0
            and found.word.y - first.y <= 0.3 * max(first.style.size, found.word.style.size)
        ):
            rows[-1].append(found)
        else:
            rows.append([found])
    return rows


def _split_at_gaps(row: list[FoundWord]) -> list[list[FoundWord]]:
    runs: list[list[FoundWord]] = []
    edge = 0.0
    for found in sorted(row, key=lambda found: found.word.x0):
        if runs and found.word.x0 - edge <= found.word.style.size:
            runs[-1].append(found)
            edge = max(edge, found.word.x1)
        else:
            runs.append([found])
            edge = found.word.x1
    return runs


def _is_marks_only(text: str) -> bool:
    return all(unicodedata.category(letter) == "Mn" for letter in text)


def _is_floating(text: str) -> bool:
    """Whether this is a mark with its letter, or a part of a word that short."""
    return len(text) <= _MAX_FLOATING_LETTERS and any(
        unicodedata.category(letter) == "Mn" for letter in text
    )


def _is_over_word(mark: PdfWord, word: PdfWord) -> bool:
    size = word.style.size
    inside = word.x0 - size / 2 <= (mark.x0 + mark.x1) / 2 <= word.x1 + size / 2
    return inside and abs(mark.y - word.y) < 0.8 * size
