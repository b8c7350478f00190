"""Reads old PowerPoint presentations (PPT): the text of each slide, in order, and its notes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from citewell.reading.documents import document_text
from citewell.reading.documents.document_markdown import format_markdown_cell, render_markdown_table
from citewell.reading.documents.document_packages import open_ole_document, read_ole_properties
from citewell.reading.file_containers import CompoundFile
from citewell.reading.markdown.markdown_text import (
    escape_line_starts,
    escape_markdown,
    squeeze_spaces,
)

_HEADER = struct.Struct("<HHI")
_ENCRYPTED_TOKEN = 0xF3D1C4DF
_MAX_EDITS = 1000
_MAX_RECORD_DEPTH = 24
_MAX_RECORDS = 500_000
_MAX_TABLE_SIDE = 200
# Numbers of records.
_DOCUMENT, _SLIDE, _SLIDE_ATOM, _NOTES, _SLIDE_LIST = 0x03E8, 0x03EE, 0x03EF, 0x03F0, 0x0FF0
_SLIDE_ENTRY, _SHOW_INFO, _EDIT, _DIRECTORY = 0x03F3, 0x03F9, 0x0FF5, 0x1772
_TEXT_KIND, _WIDE_TEXT, _NARROW_TEXT, _OUTLINE_TEXT = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E
_GROUP, _SHAPE, _TEXT_BOX, _ANCHOR, _CHILD_ANCHOR, _GROUP_EXTRAS = (
    0xF003, 0xF004, 0xF00D, 0xF010, 0xF00F, 0xF122,
)  # fmt: skip
_TABLE_PROPERTY = 0x039F
_NOTES_TEXT_KIND, _OTHER_TEXT_KIND = 2, 4

_TITLE_KINDS = frozenset({0, 6})
_BODY_KINDS = frozenset({1, 5, 7, 8})
_FIELD_PLACEHOLDERS = frozenset({"*", "\u2039#\u203a"})  # a date, footer or number filled in later


def read_ppt(job: document_text.DocumentRequest) -> document_text.DocumentText:
    container = open_ole_document(job.body)
    slides = SlideRecords(container).read_slides()
    if not slides:
        raise document_text.Broken("The PowerPoint document has no slides that can be read.")
    shown = [slide for slide in slides if not slide.is_hidden]
    chosen = document_text.choose_pages(job.pages, len(shown))
    about = read_ole_properties(container)
    return replace(
        about,
        markdown="\n\n".join(_render_legacy_slide(shown[place], place + 1) for place in chosen),
        page_count=len(shown),
        notes=document_text.describe_hidden_slides(len(slides) - len(shown)),
    )


def _render_legacy_slide(slide: LegacySlide, number: int) -> str:
    title = ""
    blocks: list[str] = []
    for shape in sorted(slide.shapes, key=lambda shape: shape.place):
        if shape.rows:
            rows = [[format_markdown_cell(_join_lines(cell)) for cell in row] for row in shape.rows]
            blocks.append(render_markdown_table(rows))
        elif shape.text_kind in _TITLE_KINDS and not title:
            title = _join_lines(shape.text)
        else:
            lines = _split_lines(shape.text)
            if shape.text_kind in _BODY_KINDS and len(lines) > 1:
                blocks.append("\n".join(f"- {line}" for line in lines))
            else:
                blocks += map(escape_line_starts, lines)
    heading = f"## Slide {number}: {title}" if title else f"## Slide {number}"
    notes = _join_lines(slide.notes)
    return "\n\n".join([heading, *filter(None, blocks), *([f"> Notes: {notes}"] if notes else [])])


def _split_lines(text: str) -> list[str]:
    lines = (squeeze_spaces(line.replace("\x0b", " ")).strip() for line in text.split("\r"))
    return [escape_markdown(line) for line in lines if line and line not in _FIELD_PLACEHOLDERS]


def _join_lines(text: str) -> str:
    return " ".join(_split_lines(text))


# Reads the records of an old PowerPoint presentation: slides, their shapes and their notes.


class _SlideRecord(NamedTuple):
    number: int
    instance: int
    start: int  # of its content
    end: int
    has_children: bool


@dataclass(slots=True)
class LegacyShape:
    text: str = ""
    text_kind: int = _OTHER_TEXT_KIND
    place: tuple[int, int] = (-1, 0)
    rows: list[list[str]] = field(default_factory=list)


@dataclass(slots=True)
class LegacySlide:
    shapes: list[LegacyShape] = field(default_factory=list)
    notes: str = ""
    is_hidden: bool = False


class SlideRecords:
    def __init__(self, container: CompoundFile) -> None:
        self._stream = container.find_stream("PowerPoint Document") or b""
        self._count = 0
        user = container.find_stream("Current User") or b""
        token, edit = struct.unpack_from("<2I", user, 12) if len(user) >= 20 else (0, 0)
        self._places, self._document = self._read_edits(edit)
        if token == _ENCRYPTED_TOKEN:
            raise document_text.EncryptedDocument(document_text.OFFICE_IS_ENCRYPTED)

    def read_slides(self) -> list[LegacySlide]:
        """The slides in the order in which they are shown; in file order if the list is damaged."""
        listed = list(self._iterate_listed_slides())
        if listed:
            return listed
        return [
            self._read_slide(record, [], {})
            for record in self._iterate_children(0, len(self._stream))
            if record.number == _SLIDE
        ]

    def _iterate_listed_slides(self) -> Iterator[LegacySlide]:
        document = self._find_record(self._places.get(self._document), _DOCUMENT)
        if document is None:
            return
        lists = [
            record
            for record in self._iterate_children(document.start, document.end)
            if record.number == _SLIDE_LIST
        ]
        notes = self._collect_notes([record for record in lists if record.instance == 2])
        for record in lists:
            if record.instance != 0:
                continue
            for key, texts in self._iterate_slide_entries(record):
                slide = self._find_record(self._places.get(key), _SLIDE)
                if slide is not None:
                    yield self._read_slide(slide, texts, notes)

    def _iterate_slide_entries(
        self, listing: _SlideRecord
    ) -> Iterator[tuple[int, list[tuple[int, str]]]]:
        """Each slide's persist id, and the kinds and texts of its placeholders in the outline."""
        key: int | None = None
        texts: list[tuple[int, str]] = []
        kind = _OTHER_TEXT_KIND
        for record in self._iterate_children(listing.start, listing.end):
            if record.number == _SLIDE_ENTRY and record.end - record.start >= 4:
                if key is not None:
                    yield key, texts
                (key,) = struct.unpack_from("<I", self._stream, record.start)
                texts = []
            elif record.number == _TEXT_KIND:
                kind = self._read_number(record, _OTHER_TEXT_KIND)
                texts.append((kind, ""))
            elif record.number in {_WIDE_TEXT, _NARROW_TEXT} and texts:
                texts[-1] = (texts[-1][0], self._read_text(record))
        if key is not None:
            yield key, texts

    def _collect_notes(self, listings: list[_SlideRecord]) -> dict[int, str]:
        """The text of each page of notes by its id."""
        found: dict[int, str] = {}
        for listing in listings:
            for record in self._iterate_children(listing.start, listing.end):
                if record.number != _SLIDE_ENTRY or record.end - record.start < 16:
                    continue
                (key,) = struct.unpack_from("<I", self._stream, record.start)
                (number,) = struct.unpack_from("<I", self._stream, record.start + 12)
                page = self._find_record(self._places.get(key), _NOTES)
                if page is not None:
                    shapes = self._read_shapes(page, [])
                    found[number] = "\r".join(
                        shape.text for shape in shapes if shape.text_kind == _NOTES_TEXT_KIND
                    )
        return found

    def _read_slide(
        self, slide: _SlideRecord, texts: list[tuple[int, str]], notes: dict[int, str]
    ) -> LegacySlide:
        made = LegacySlide(shapes=self._read_shapes(slide, texts))
        for record in self._iterate_children(slide.start, slide.end):
            size = record.end - record.start
            if record.number == _SLIDE_ATOM and size >= 20:
                (number,) = struct.unpack_from("<I", self._stream, record.start + 16)
                made.notes = notes.get(number, "") if number else ""
            elif record.number == _SHOW_INFO and size >= 12:
                (flags,) = struct.unpack_from("<H", self._stream, record.start + 10)
                made.is_hidden = bool(flags & 4)
        return made

    def _read_shapes(self, slide: _SlideRecord, texts: list[tuple[int, str]]) -> list[LegacyShape]:
        made: list[LegacyShape] = []
        self._collect_shapes(slide, texts, made, 0)
        shown = {shape.text for shape in made}
        missing = [LegacyShape(text, kind) for kind, text in texts if text and text not in shown]
        return missing + made

    def _collect_shapes(
        self,
        parent: _SlideRecord,
        texts: list[tuple[int, str]],
        made: list[LegacyShape],
        depth: int,
    ) -> None:
        if depth > _MAX_RECORD_DEPTH:
            return
        for record in self._iterate_children(parent.start, parent.end):
            if record.number == _SHAPE:
                shape = self._read_shape(record, texts)
                if shape.text:
                    made.append(shape)
            elif record.number == _GROUP and depth > 2:
                made += self._read_group(record, texts, depth)
            elif record.has_children and record.number not in {_SLIDE_LIST, _TEXT_BOX}:
                self._collect_shapes(record, texts, made, depth + 1)

    def _read_group(
        self, group: _SlideRecord, texts: list[tuple[int, str]], depth: int
    ) -> list[LegacyShape]:
        """The shapes of a group at the place of the group; those of a table as one table."""
        inner: list[LegacyShape] = []
        self._collect_shapes(group, texts, inner, depth + 1)
        first = next(
            (
                record
                for record in self._iterate_children(group.start, group.end)
                if record.number == _SHAPE
            ),
            None,
        )
        place = self._read_shape(first, texts).place if first is not None else (-1, 0)
        if first is not None and self._is_table(first):
            rows = _arrange_table_cells(inner)
            if rows:
                return [LegacyShape(place=place, rows=rows)]
        for shape in inner:
            shape.place = place
        return inner

    def _is_table(self, shape: _SlideRecord) -> bool:
        for record in self._iterate_children(shape.start, shape.end):
            if record.number == _GROUP_EXTRAS:
                for at in range(
                    record.start, min(record.end, record.start + 6 * record.instance) - 5, 6
                ):
                    (name,) = struct.unpack_from("<H", self._stream, at)
                    if name & 0x3FFF == _TABLE_PROPERTY:
                        return True
        return False

    def _read_shape(self, shape: _SlideRecord, texts: list[tuple[int, str]]) -> LegacyShape:
        made = LegacyShape()
        for record in self._iterate_children(shape.start, shape.end):
            size = record.end - record.start
            if record.number == _ANCHOR and size >= 8:
                top, left = struct.unpack_from("<2h", self._stream, record.start)
                made.place = (top // 60, left)  # 576 units are an inch; a line is about 60
            elif record.number == _CHILD_ANCHOR and size >= 16:
                left, top = struct.unpack_from("<2i", self._stream, record.start)
                made.place = (top, left)
            elif record.number == _TEXT_BOX:
                self._read_text_box(record, texts, made)
        return made

    def _read_text_box(
        self, box: _SlideRecord, texts: list[tuple[int, str]], made: LegacyShape
    ) -> None:
        for record in self._iterate_children(box.start, box.end):
            if record.number == _TEXT_KIND:
                made.text_kind = self._read_number(record, _OTHER_TEXT_KIND)
            elif record.number == _OUTLINE_TEXT:
                place = self._read_number(record, len(texts))
                if place < len(texts):
                    made.text_kind, made.text = texts[place]
            elif record.number in {_WIDE_TEXT, _NARROW_TEXT}:
                made.text = self._read_text(record)

    def _read_number(self, record: _SlideRecord, default: int) -> int:
        if record.end - record.start < 4:
            return default
        return int(struct.unpack_from("<I", self._stream, record.start)[0])

    def _read_text(self, record: _SlideRecord) -> str:
        raw = self._stream[record.start : record.end]
        wide = record.number == _WIDE_TEXT
        return raw.decode("utf-16-le" if wide else "latin-1", "replace")

    def _read_edits(self, edit: int) -> tuple[dict[int, int], int]:
        """The place of each persistent record by its id, and the id of the document record."""
        places: dict[int, int] = {}
        document = 0
        seen: set[int] = set()
        while edit not in seen and len(seen) < _MAX_EDITS:
            seen.add(edit)
            record = self._find_record(edit, _EDIT)
            if record is None or record.end - record.start < 20:
                break
            if record.end - record.start >= 32:
                raise document_text.EncryptedDocument(document_text.OFFICE_IS_ENCRYPTED)
            older, directory, main = struct.unpack_from("<3I", self._stream, record.start + 8)
            document = document or main
            for key, place in self._iterate_directory(directory):
                places.setdefault(key, place)
            edit = older
            if not older:
                break
        return places, document

    def _iterate_directory(self, place: int) -> Iterator[tuple[int, int]]:
        record = self._find_record(place, _DIRECTORY)
        at = record.start if record is not None else 0
        while record is not None and at + 4 <= record.end:
            (head,) = struct.unpack_from("<I", self._stream, at)
            first, count = head & 0xFFFFF, head >> 20
            at += 4
            for number in range(min(count, (record.end - at) // 4)):
                yield first + number, struct.unpack_from("<I", self._stream, at + 4 * number)[0]
            at += 4 * count

    def _find_record(self, place: int | None, number: int) -> _SlideRecord | None:
        if place is None or place + _HEADER.size > len(self._stream):
            return None
        record = self._parse_record(place, len(self._stream))
        return record if record.number == number else None

    def _parse_record(self, place: int, end: int) -> _SlideRecord:
        version, number, size = _HEADER.unpack_from(self._stream, place)
        start = place + _HEADER.size
        return _SlideRecord(number, version >> 4, start, min(start + size, end), version & 15 == 15)

    def _iterate_children(self, start: int, end: int) -> Iterator[_SlideRecord]:
        place = start
        while place + _HEADER.size <= end:
            self._count += 1
            if self._count > _MAX_RECORDS:
                return
            record = self._parse_record(place, end)
            yield record
            place = record.end


def _arrange_table_cells(cells: list[LegacyShape]) -> list[list[str]]:
    """The texts of a table's cells by their edges; empty if they form no table of sensible size."""
    tops = sorted({cell.place[0] for cell in cells})
    lefts = sorted({cell.place[1] for cell in cells})
    if not 1 <= len(tops) <= _MAX_TABLE_SIDE or not 2 <= len(lefts) <= _MAX_TABLE_SIDE:
        return []
    rows = [["" for _ in lefts] for _ in tops]
    for cell in cells:
        rows[tops.index(cell.place[0])][lefts.index(cell.place[1])] = cell.text
    return rows
