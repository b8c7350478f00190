"""Reads the piece table of an old Word document, and which of its text is hidden or in tables."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from citewell.fetch.decoding.charset_statistics import guess_charset
from citewell.fetch.decoding.compound_file import CompoundFile
from citewell.fetch.documents.document_text import Broken, EncryptedDocument
from citewell.fetch.documents.office.legacy.legacy_word_formats import (
    ParagraphForm,
    read_hidden_ranges,
    read_paragraph_forms,
)

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
                raise EncryptedDocument(
                    "The Office document is encrypted and opens only with a password."
                )
            self._is_modern = version >= _WORD_97_VERSION
            self._charset = "cp1252" if self._is_modern else _find_old_charset(self._stream)
            name = "1Table" if flags & _TABLE_FLAG else "0Table"
            self._table = container.find_stream(name) or b""
            self._pieces = self._read_pieces(is_complex=bool(flags & _COMPLEX_FLAG))
            self._counts = self._read_story_counts()
        except struct.error as error:
            raise Broken("The Word document's text is damaged or cut off.") from error
        self._forms = self._read_forms()
        self._hidden = self._read_hidden()
        self.hidden_count = 0

    def _read_story_counts(self) -> tuple[int, ...]:
        if self._is_modern:
            return struct.unpack_from("<8I", self._stream, _STORY_COUNTS_PLACE)
        return (*struct.unpack_from("<3I", self._stream, 0x34), 0, 0, 0, 0, 0)

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

    def _read_forms(self) -> list[ParagraphForm]:
        if not self._is_modern:
            return []
        return read_paragraph_forms(self._stream, self._table)

    def _read_hidden(self) -> list[tuple[int, int]]:
        return read_hidden_ranges(self._stream, self._table) if self._is_modern else []

    def read_main_text(self) -> list[LegacyParagraph]:
        return list(self._iterate_paragraphs(0, self._counts[0], self._note_marks))

    def read_text_boxes(self) -> list[LegacyParagraph]:
        start = sum(self._counts[:6])
        return list(self._iterate_paragraphs(start, start + self._counts[6], {}))

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
