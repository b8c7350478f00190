"""Reads the formats of an old Word document's paragraphs and characters, page by page."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

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
