"""Reads old Word documents (DOC): the text of their pieces, in paragraphs, tables and notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from citewell.reading.documents import document_text
from citewell.reading.documents.document_markdown import (
    TextPiece,
    format_markdown_cell,
    join_text_pieces,
    render_markdown_table,
    resolve_web_link,
)
from citewell.reading.documents.document_packages import open_ole_document, read_ole_properties
from citewell.reading.documents.office.legacy_word_text import LegacyParagraph, LegacyWordFile
from citewell.reading.markdown.markdown_text import escape_line_starts

_FIELD_MARKS = re.compile("([\x13\x14\x15])")
_NOTE_MARKS = re.compile("\ue000(\\d{1,6})\ue001")
_HYPERLINK_CODE = re.compile(r'\s*HYPERLINK\s+(?!\\)"?([^"\s]+)', re.IGNORECASE)
_CONTROLS = {code: None for code in range(32) if code not in {9, 10}} | {9: " ", 0x1E: "-"}
_MAX_FIELD_DEPTH = 50


def read_doc(job: document_text.DocumentRequest) -> document_text.DocumentText:
    container = open_ole_document(job.body)
    document = LegacyWordFile(container)
    blocks = _render_legacy_blocks(document.read_story(0))
    for kind in ("footnote", "endnote"):
        blocks += _render_legacy_notes(document, kind)
    blocks += _render_legacy_blocks(document.read_story(6))
    about = read_ole_properties(container)
    notes = document_text.describe_hidden_text(document.hidden_count)
    return replace(about, markdown="\n\n".join(blocks), notes=notes)


def _render_legacy_blocks(paragraphs: list[LegacyParagraph]) -> list[str]:
    fields = _FieldStack()
    made: list[str] = []

    def find_kind(paragraph: LegacyParagraph) -> str:
        if paragraph.in_table:
            return "table"
        return "list" if paragraph.in_list and not paragraph.heading_level else "text"

    for kind, same in groupby(paragraphs, key=find_kind):
        if kind == "table":
            made += _render_legacy_table(list(same), fields)
            continue
        texts = [
            text
            for paragraph in same
            if (text := _format_legacy_paragraph(paragraph, fields, kind))
        ]
        made += ["\n".join(texts)] if kind == "list" and texts else texts
    return made


def _format_legacy_paragraph(paragraph: LegacyParagraph, fields: _FieldStack, kind: str) -> str:
    text = join_text_pieces(fields.split_pieces(paragraph.text), plain=True).strip()
    if not text:
        return ""
    if paragraph.heading_level:
        return f"{'#' * paragraph.heading_level} {' '.join(text.split())}"
    if kind == "list":
        return "  " * paragraph.list_level + "- " + " ".join(text.split())
    return escape_line_starts(text)


def _render_legacy_table(paragraphs: list[LegacyParagraph], fields: _FieldStack) -> list[str]:
    """A table of the paragraphs between the marks that end cells and rows."""
    rows: list[list[list[str]]] = []
    row: list[list[str]] = []
    cell: list[str] = []
    for paragraph in paragraphs:
        if not paragraph.ends_row:
            kind = "list" if paragraph.in_list else "text"
            cell.append(_format_legacy_paragraph(paragraph, fields, kind))
        if (paragraph.ends_cell and not paragraph.ends_row) or (paragraph.ends_row and cell):
            row.append(cell)
            cell = []
        if paragraph.ends_row:
            rows.append(row)
            row = []
    if row or cell:
        rows.append([*row, cell])
    if max((len(cells) for cells in rows), default=0) <= 1:  # a frame around text, not a table
        return [text for cells in rows for texts in cells for text in texts if text]
    made = render_markdown_table(
        [[format_markdown_cell(" ".join(filter(None, texts))) for texts in cells] for cells in rows]
    )
    return [made] if made else []


def _render_legacy_notes(document: LegacyWordFile, kind: str) -> list[str]:
    first = document.count_notes("footnote") if kind == "endnote" else 0
    made: list[str] = []
    fields = _FieldStack()
    for number, paragraphs in enumerate(document.read_notes(kind), first + 1):
        texts = (
            join_text_pieces(fields.split_pieces(paragraph.text), plain=True)
            for paragraph in paragraphs
        )
        text = " ".join(" ".join(texts).split())
        if text:
            made.append(f"[^{number}]: {text}")
    return made


class _FieldStack:
    """Follows fields, which may go on over paragraphs: their codes are dropped, results kept."""

    def __init__(self) -> None:
        self._open: list[tuple[list[str], bool]] = []  # the code, and whether the result began

    def split_pieces(self, text: str) -> list[TextPiece]:
        return list(self._iterate_pieces(text))

    def _iterate_pieces(self, text: str) -> Iterator[TextPiece]:
        for part in _FIELD_MARKS.split(text):
            if part == "\x13":
                if len(self._open) < _MAX_FIELD_DEPTH:
                    self._open.append(([], False))
            elif part == "\x14":
                if self._open:
                    self._open[-1] = (self._open[-1][0], True)
            elif part == "\x15":
                if self._open:
                    self._open.pop()
            elif self._open and not all(shown for _, shown in self._open):
                self._open[-1][0].append(part)
            else:
                yield from _mark_note_references(part, self._find_link())

    def _find_link(self) -> str:
        for code, _ in self._open:
            match = _HYPERLINK_CODE.match("".join(code))
            if match is not None:
                return resolve_web_link(match[1])
        return ""


def _mark_note_references(text: str, link: str) -> Iterator[TextPiece]:
    """The text; references to notes, written as private characters, become their marks."""
    for place, part in enumerate(_NOTE_MARKS.split(text)):
        if place % 2:
            yield TextPiece(f"[^{part}]", ready=True)
        elif part:
            yield TextPiece(part.replace("\x0b", "\n").translate(_CONTROLS), link=link)
