"""One page of a PDF: its lines, ruled tables and text at other angles, and these in reading order."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, NamedTuple

from citewell.fetch.documents.pdf.aligned_tables import replace_aligned_tables
from citewell.fetch.documents.pdf.page_shapes import read_page_shapes
from citewell.fetch.documents.pdf.page_tables import PdfTable, find_ruled_tables
from citewell.fetch.documents.pdf.pdf_blocks import (
    PdfBlock,
    build_region_blocks,
    build_table_block,
    join_text_lines,
)
from citewell.fetch.documents.pdf.pdf_headings import PageClues
from citewell.fetch.documents.pdf.recognized_pages import build_recognized_blocks
from citewell.fetch.documents.pdf.text_lines import TextLine, order_line_regions, split_into_lines
from citewell.fetch.documents.pdf.words.page_words import PageText
from citewell.fetch.documents.pdf.words.pdf_word import PdfWord

_ANGLE_TOLERANCE_DEGREES = 2
_MAX_STAMP_LETTERS = 60  # a page number or the name of a scanner
_MIN_DRAWINGS = 50  # shapes from which a page without text may have its letters drawn


class PdfPage(NamedTuple):
    number: int  # from 0
    lines: list[TextLine]
    tables: list[PdfTable]
    sideways: list[TextLine]  # text at a right angle to the rest, such as labels in a margin
    slanted: int  # words at other angles, such as a watermark, which are left out
    height: float
    hidden: int
    images: int
    is_scan: bool  # an image covers most of it
    drawings: int  # lines and shapes
    recognized: str = ""  # the table of words that text recognition found on it

    @property
    def has_text(self) -> bool:
        return bool(self.lines or self.tables or self.sideways or self.recognized)

    @property
    def is_picture(self) -> bool:
        """Whether its text, if it has any, is drawn and not stored; a stamp on a scan does not count."""
        letters = sum(len(line.text) for line in self.lines)
        if self.tables or letters > _MAX_STAMP_LETTERS:
            return False
        return self.is_scan or (not letters and (self.images > 0 or self.drawings > _MIN_DRAWINGS))


def read_pdf_page(page: Any, number: int) -> PdfPage:
    shapes = read_page_shapes(page)
    words, hidden = PageText(page).read_visible_words(shapes)
    height = page.get_cropbox()[3] - page.get_cropbox()[1]
    turned = _split_by_direction(words)
    if turned.main_angle:
        # The edges of a rotated page are unknown, so no line on it can be a running header.
        shapes, height = shapes._replace(across=(), down=()), math.nan
    tables, rest = find_ruled_tables(turned.main, shapes)
    return PdfPage(
        number,
        split_into_lines(rest),
        tables,
        [line for words in turned.sideways for line in split_into_lines(words)],
        turned.slanted,
        height,
        hidden,
        shapes.images,
        shapes.is_scan,
        shapes.drawings,
    )


class _TurnedWords(NamedTuple):
    main: list[PdfWord]
    main_angle: int
    sideways: list[list[PdfWord]]
    slanted: int


def _split_by_direction(words: list[PdfWord]) -> _TurnedWords:
    """Words in the most common direction, those at a right angle to it, and how many slant."""
    angles = Counter[int]()
    for word in words:
        angles[word.style.angle] += len(word.text)
    if not angles or set(angles) == {0}:
        return _TurnedWords(words, 0, [], 0)
    main = angles.most_common(1)[0][0]
    turns: dict[int, list[PdfWord]] = {0: [], 90: [], 180: [], 270: []}
    slanted = 0
    for word in words:
        turn = (word.style.angle - main) % 360
        near = round(turn / 90) * 90
        if abs(turn - near) <= _ANGLE_TOLERANCE_DEGREES:
            turns[near % 360].append(word)
        else:
            slanted += 1
    return _TurnedWords(turns[0], main, [turns[n] for n in (90, 180, 270) if turns[n]], slanted)


def order_page_blocks(page: PdfPage, lines: list[TextLine], clues: PageClues) -> list[PdfBlock]:
    """The page's blocks in reading order, with each ruled table at its position."""
    waiting = sorted(page.tables, key=lambda table: table.box.y0)
    blocks: list[PdfBlock] = []
    for region in order_line_regions(lines):
        pending: list[TextLine] = []
        for line in region:
            while waiting and _is_before_line(waiting[0], line):
                blocks += build_region_blocks(replace_aligned_tables(pending), clues)
                pending = []
                blocks.append(build_table_block(waiting.pop(0)))
            pending.append(line)
        blocks += build_region_blocks(replace_aligned_tables(pending), clues)
    blocks += [build_table_block(table) for table in waiting]
    if page.recognized:
        blocks += build_recognized_blocks(page.recognized, clues.body)
    return blocks + [
        PdfBlock("paragraph", join_text_lines([line]), line.size) for line in page.sideways
    ]


def _is_before_line(table: PdfTable, line: TextLine) -> bool:
    overlaps = table.box.x0 < line.x1 and line.x0 < table.box.x1
    return overlaps and table.box.y0 < line.y
