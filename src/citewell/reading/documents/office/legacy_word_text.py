"""Reads the piece table of an old Word document, and which of its text is hidden or in tables."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from citewell.reading.documents.document_text import OFFICE_IS_ENCRYPTED, Broken, EncryptedDocument
from citewell.reading.file_containers import CompoundFile
from citewell.reading.page_charset import guess_charset

_PAGE_BYTES = 512
_CHARACTER_PAGES_PLACE, _PARAGRAPH_PAGES_PLACE = 0x00FA, 0x0102
_MAX_PAGES = 50_000
_PARAGRAPH_RECORD_BYTES = 13
_HEADING_STYLES = range(1, 10)  # numbers of styles that Word reserves for headings
# Numbers of properties.
_IN_TABLE, _ENDS_ROW, _LIST_LEVEL, _LIST, _OUTLINE = 0x2416, 0x2417, 0x260A, 0x460B, 0x2640
_INNER_CELL, _INNER_ROW = 0x244B, 0x244C
_HIDDEN, _DELETED = 0x083C, 0x0800
_TABLE_DEFINITION, _TAB_STOPS = 0xD608, 0xC615
_SIZES_BY_KIND = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}

_WORD_97_VERSION = 0xC1
_ENCRYPTED_FLAG, _TABLE_FLAG, _COMPLEX_FLAG = 0x0100, 0x0200, 0x0004
_STORY_COUNTS_PLACE = (
    0x4C  # characters of text, footnotes, headers, macros, comments, endnotes, boxes
)
_PIECE_TABLE_PLACE, _OLD_PIECE_TABLE_PLACE = 0x01A2, 0x0160
_NOTE_PLACES = {"footnote": 0x00AA, "endnote": 0x020A}  # of the places of the references
_PARAGRAPH_ENDS = "\r\x07\x0c"
_MACINTOSH = 256
_CHARSET_SAMPLE_BYTES = 20_000
_MAX_TEXT_CHARS = 20_000_000


@dataclass(frozen=True, slots=True)
class LegacyParagraph:
    text: str
    heading_level: int
    in_list: bool
    list_level: int
    in_table: bool
    ends_cell: bool
    ends_row: bool


@dataclass(frozen=True, slots=True)
class _TextPiece:
    start: int  # place of its first character in the text
    count: int
    offset: int  # place of its first byte in the stream
    width: int  # bytes of a character


class LegacyWordFile:
    """The stories of a Word document: main text, notes and text boxes."""

    def __init__(self, container: CompoundFile) -> None:
        self._stream = container.find_stream("WordDocument") or b""
        try:
            _, version = struct.unpack_from("<2H", self._stream)
            (flags,) = struct.unpack_from("<H", self._stream, 10)
            if flags & _ENCRYPTED_FLAG:
                raise EncryptedDocument(OFFICE_IS_ENCRYPTED)
            self._is_modern = version >= _WORD_97_VERSION
            self._charset = "cp1252" if self._is_modern else _find_old_charset(self._stream)
            name = "1Table" if flags & _TABLE_FLAG else "0Table"
            self._table = container.find_stream(name) or b""
            self._pieces = self._read_pieces(is_complex=bool(flags & _COMPLEX_FLAG))
            self._counts: tuple[int, ...] = (
                struct.unpack_from("<8I", self._stream, _STORY_COUNTS_PLACE)
                if self._is_modern
                else (*struct.unpack_from("<3I", self._stream, 0x34), 0, 0, 0, 0, 0)
            )
        except struct.error as error:
            raise Broken("The Word document's text is damaged or cut off.") from error
        self._forms = read_paragraph_forms(self._stream, self._table) if self._is_modern else []
        self._hidden = read_hidden_ranges(self._stream, self._table) if self._is_modern else []
        self.hidden_count = 0

    def _read_pieces(self, *, is_complex: bool) -> list[_TextPiece]:
        if not self._is_modern:
            return self._read_old_pieces(is_complex=is_complex)
        place, size = struct.unpack_from("<2I", self._stream, _PIECE_TABLE_PLACE)
        pieces = _parse_piece_table(self._table[place : place + size])
        if not pieces:
            raise Broken("The Word document has no piece table; it is damaged.")
        return pieces

    def _read_old_pieces(self, *, is_complex: bool) -> list[_TextPiece]:
        """The pieces of Word 6 and 95, which have one byte for a character."""
        first, last = struct.unpack_from("<2I", self._stream, 0x18)
        if not is_complex:
            return [_TextPiece(0, max(last - first, 0), first, 1)]
        place, size = struct.unpack_from("<2I", self._stream, _OLD_PIECE_TABLE_PLACE)
        return [
            replace(piece, width=1)
            for piece in _parse_piece_table(self._stream[place : place + size])
        ]

    def read_story(self, number: int) -> list[LegacyParagraph]:
        """The paragraphs of one story: 0 is the main text, 6 that of text boxes."""
        start = sum(self._counts[:number])
        marks = self._note_marks if number == 0 else {}
        return list(self._iterate_paragraphs(start, start + self._counts[number], marks))

    def count_notes(self, kind: str) -> int:
        return len(self._find_note_places(kind))

    def read_notes(self, kind: str) -> Iterator[list[LegacyParagraph]]:
        """The paragraphs of each note; a note begins with the mark of its reference."""
        before = 1 if kind == "footnote" else 5
        start = sum(self._counts[:before])
        notes: list[list[LegacyParagraph]] = []
        for paragraph in self._iterate_paragraphs(start, start + self._counts[before], {}):
            if "\x02" in paragraph.text[:3] or not notes:
                notes.append([])
            notes[-1].append(paragraph)
        yield from notes[: self.count_notes(kind)]

    @cached_property
    def _note_marks(self) -> dict[int, int]:
        """The number of the note that each reference in the text points to."""
        first = self._find_note_places("footnote")
        second = self._find_note_places("endnote")
        return {place: number for number, place in enumerate([*first, *second], 1)}

    def _find_note_places(self, kind: str) -> list[int]:
        if not self._is_modern:
            return []
        try:
            place, size = struct.unpack_from("<2I", self._stream, _NOTE_PLACES[kind])
        except struct.error:
            return []
        raw = self._table[place : place + size]
        count = max((len(raw) - 4) // 6, 0)
        return list(struct.unpack_from(f"<{count}I", raw)) if count else []

    def _iterate_paragraphs(
        self, start: int, end: int, marks: dict[int, int]
    ) -> Iterator[LegacyParagraph]:
        """The paragraphs of the characters from `start` to `end`, without hidden text."""
        letters: list[str] = []
        total = 0
        for piece in self._pieces:
            first, last = max(start, piece.start), min(end, piece.start + piece.count)
            total += max(last - first, 0)
            if first >= last or total > _MAX_TEXT_CHARS:
                continue
            text = self._decode_piece(piece, first, last)
            for place, character in enumerate(text, first):
                offset = piece.offset + (place - piece.start) * piece.width
                if character in _PARAGRAPH_ENDS:
                    yield self._build_paragraph("".join(letters), offset, character)
                    letters.clear()
                elif character == "\x02" and place in marks:
                    letters.append(f"\ue000{marks[place]}\ue001")
                else:
                    letters.append(character)
        if letters:
            yield self._build_paragraph("".join(letters), -1, "\r")

    def _decode_piece(self, piece: _TextPiece, first: int, last: int) -> str:
        begin = piece.offset + (first - piece.start) * piece.width
        raw = self._stream[begin : begin + (last - first) * piece.width]
        text = raw.decode(self._charset if piece.width == 1 else "utf-16-le", "replace")
        if len(text) != len(raw) // piece.width:  # a character outside the first plane
            text = "".join(map(chr, struct.unpack(f"<{len(raw) // 2}H", raw[: len(raw) // 2 * 2])))
        return self._blank_hidden_text(text, begin, piece.width)

    def _blank_hidden_text(self, text: str, begin: int, width: int) -> str:
        """The text with hidden characters as zeros, which are dropped later; paragraph ends stay."""
        end = begin + len(text) * width
        place = max(bisect_right(self._hidden, (begin, 0)) - 1, 0)
        letters: list[str] | None = None
        for low, high in self._hidden[place:]:
            if low >= end:
                break
            for number in range(
                max((low - begin) // width, 0), min((high - begin) // width, len(text))
            ):
                letters = letters or list(text)
                if letters[number] not in _PARAGRAPH_ENDS:
                    letters[number] = "\x00"
            self.hidden_count += high > begin
        return "".join(letters) if letters is not None else text

    def _build_paragraph(self, text: str, offset: int, end: str) -> LegacyParagraph:
        place = bisect_right(self._forms, offset, key=lambda form: form.start) - 1
        form = self._forms[place] if place >= 0 and offset < self._forms[place].end else None
        if form is None:
            table = end == "\x07"
            row = table and not text  # without formats, two cell marks in a row end a row
            return LegacyParagraph(text, 0, False, 0, table, table, row)
        return LegacyParagraph(
            text=text,
            heading_level=form.heading_level,
            in_list=form.in_list,
            list_level=form.list_level,
            in_table=form.in_table or form.ends_row,
            ends_cell=end == "\x07",
            ends_row=form.ends_row,
        )


def _find_old_charset(stream: bytes) -> str:
    """The charset of a document of Word 6 or 95, by what it declares or else by its letters."""
    (charset,) = struct.unpack_from("<H", stream, 0x14)
    if charset == _MACINTOSH:
        return "mac-roman"
    first, last = struct.unpack_from("<2I", stream, 0x18)
    return guess_charset(stream[first:last][:_CHARSET_SAMPLE_BYTES])


def _parse_piece_table(raw: bytes) -> list[_TextPiece]:
    """The pieces in a piece table; formatting before it is skipped."""
    place = 0
    while place + 3 <= len(raw) and raw[place] == 1:
        place += 3 + struct.unpack_from("<H", raw, place + 1)[0]
    if place + 5 > len(raw) or raw[place] != 2:
        return []
    (size,) = struct.unpack_from("<I", raw, place + 1)
    table = raw[place + 5 : place + 5 + size]
    count = max((len(table) - 4) // 12, 0)
    starts = struct.unpack_from(f"<{count + 1}I", table)
    pieces: list[_TextPiece] = []
    for number in range(count):
        (offset,) = struct.unpack_from("<I", table, 4 * (count + 1) + 8 * number + 2)
        narrow = bool(offset & 0x40000000)
        offset &= 0x3FFFFFFF
        length = starts[number + 1] - starts[number]
        if length > 0:
            pieces.append(
                _TextPiece(
                    starts[number], length, offset // 2 if narrow else offset, 1 if narrow else 2
                )
            )
    return pieces


# Reads the formats of an old Word document's paragraphs and characters, page by page.


@dataclass(frozen=True, slots=True)
class ParagraphForm:
    """The format of the paragraph whose bytes lie from `start` to `end` in the stream."""

    start: int
    end: int
    heading_level: int = 0
    in_list: bool = False
    list_level: int = 0
    in_table: bool = False
    ends_row: bool = False


def read_paragraph_forms(stream: bytes, table: bytes) -> list[ParagraphForm]:
    """The formats of all paragraphs, in the order of their places; damaged pages are skipped."""
    found: list[ParagraphForm] = []
    for page in _iterate_format_pages(stream, table, _PARAGRAPH_PAGES_PLACE):
        count = page[-1]
        if 4 * (count + 1) + _PARAGRAPH_RECORD_BYTES * count >= _PAGE_BYTES:
            continue
        places = struct.unpack_from(f"<{count + 1}I", page)
        for number in range(count):
            at = page[4 * (count + 1) + _PARAGRAPH_RECORD_BYTES * number] * 2
            found.append(_parse_paragraph_form(page, at, places[number], places[number + 1]))
    return sorted(found, key=lambda form: form.start)


def _parse_paragraph_form(page: bytes, at: int, start: int, end: int) -> ParagraphForm:
    if not at or at + 2 > _PAGE_BYTES:
        return ParagraphForm(start, end)
    size, at = (page[at] * 2 - 1, at + 1) if page[at] else (page[at + 1] * 2, at + 2)
    raw = page[at : at + size]
    if len(raw) < 2:
        return ParagraphForm(start, end)
    (style,) = struct.unpack_from("<H", raw)
    values = dict(_iterate_properties(raw[2:]))
    outline = values.get(_OUTLINE, 9)
    level = style if style in _HEADING_STYLES else outline + 1 if outline < 9 else 0
    return ParagraphForm(
        start,
        end,
        heading_level=min(level, 6),
        in_list=bool(values.get(_LIST, 0)),
        list_level=min(values.get(_LIST_LEVEL, 0), 8),
        in_table=bool(values.get(_IN_TABLE, 0)),
        ends_row=bool(values.get(_ENDS_ROW, 0) or values.get(_INNER_ROW, 0)),
    )


def read_hidden_ranges(stream: bytes, table: bytes) -> list[tuple[int, int]]:
    """The ranges of bytes whose characters are hidden or were deleted with changes tracked."""
    found: list[tuple[int, int]] = []
    for page in _iterate_format_pages(stream, table, _CHARACTER_PAGES_PLACE):
        count = page[-1]
        if 5 * count + 4 >= _PAGE_BYTES:
            continue
        places = struct.unpack_from(f"<{count + 1}I", page)
        for number in range(count):
            at = page[4 * (count + 1) + number] * 2
            values = dict(_iterate_properties(page[at + 1 : at + 1 + page[at]])) if at else {}
            if values.get(_HIDDEN) == 1 or values.get(_DELETED) == 1:
                found.append((places[number], places[number + 1]))
    return sorted(found)


def _iterate_format_pages(stream: bytes, table: bytes, place: int) -> Iterator[bytes]:
    try:
        start, size = struct.unpack_from("<2I", stream, place)
    except struct.error:
        return
    raw = table[start : start + size]
    count = min(max((len(raw) - 4) // 8, 0), _MAX_PAGES)
    if not count:
        return
    for number in struct.unpack_from(f"<{count}I", raw, 4 * (count + 1)):
        begin = (number & 0x3FFFFF) * _PAGE_BYTES
        page = stream[begin : begin + _PAGE_BYTES]
        if len(page) == _PAGE_BYTES:
            yield page


def _iterate_properties(raw: bytes) -> Iterator[tuple[int, int]]:
    """The number and value of each property; those longer than four bytes have the value 0."""
    place = 0
    while place + 3 <= len(raw):
        (number,) = struct.unpack_from("<H", raw, place)
        place += 2
        kind = number >> 13
        if kind in _SIZES_BY_KIND:
            size = _SIZES_BY_KIND[kind]
            yield number, int.from_bytes(raw[place : place + size], "little")
        elif number == _TABLE_DEFINITION:
            size = int.from_bytes(raw[place : place + 2], "little") + 1
        elif number == _TAB_STOPS and raw[place] == 255:
            return
        else:
            size = raw[place] + 1
        place += size
