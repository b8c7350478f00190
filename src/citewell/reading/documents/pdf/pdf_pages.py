"""Reads each page of a PDF into blocks in reading order, and renders all pages as one markdown text."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import median
from typing import Any, NamedTuple

from citewell.reading.documents.pdf.page_tables import (
    PdfTable,
    find_ruled_tables,
    read_page_shapes,
    replace_aligned_tables,
)
from citewell.reading.documents.pdf.page_words import PageText
from citewell.reading.documents.pdf.pdf_blocks import (
    PdfBlock,
    build_region_blocks,
    build_table_block,
    join_text_lines,
)
from citewell.reading.documents.pdf.pdf_headings import LARGER, HeadingFound, PageClues
from citewell.reading.documents.pdf.text_lines import (
    PdfWord,
    TextLine,
    order_line_regions,
    split_into_lines,
)
from citewell.reading.markdown import markdown_text

_WORD_LEVEL = "5"
_MIN_CONFIDENCE = 20.0  # per cent; less is a stain or a line, not a letter
_HEADING_HEIGHT = 1.45  # of the usual line: taller ones are headings
_MAX_HEADING_WORDS = 12

_ANGLE_TOLERANCE_DEGREES = 2
_MAX_STAMP_LETTERS = 60  # a page number or the name of a scanner
_MIN_DRAWINGS = 50  # shapes from which a page without text may have its letters drawn

_PAGE_DIGITS_PATTERN = re.compile(r"\d+|\b[ivxlc]{1,6}\b", re.IGNORECASE)
_PAGE_NUMBER_PATTERN = re.compile(
    r"(?:page\s*|[-–|]\s*)?\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?(?:\s*[-–|])?", re.IGNORECASE
)
_UNFINISHED_TEXT_PATTERN = re.compile(r"[\w,;\u2019'-]$")
_HEADING_NUMBER_PATTERN = re.compile(r"\d{1,2}(?:\\?\.\d{1,2})+|[A-H]\\?[.)] ")
_MAX_BOLD_ROW = 3  # headings of the text's size that may follow one another
_MAX_LARGE_ROW = 5  # headings larger than the text that may
_PAGE_EDGE_SHARE = 0.1  # share of the page height where running headers and footers stand

HeadingStyle = tuple[float, bool, int]


def strip_running_headers(
    pages: Sequence[list[TextLine]], heights: Sequence[float], body: float
) -> list[list[TextLine]]:
    """The pages without running headers and footers, which many pages repeat at an edge."""
    seen = Counter[tuple[str, bool]]()
    for lines, height in zip(pages, heights, strict=True):
        seen.update(
            {
                _build_running_line_key(line, height)
                for line in lines
                if _is_at_page_edge(line, height, body)
            }
        )
    least = max(3, len(pages) * 0.3)
    repeated = {key for key, count in seen.items() if count >= least}
    many = len(pages) > 1
    return [
        _drop_running_lines(lines, height, body, repeated if many else set())
        for lines, height in zip(pages, heights, strict=True)
    ]


def _drop_running_lines(
    lines: list[TextLine], height: float, body: float, repeated: set[tuple[str, bool]]
) -> list[TextLine]:
    edge = [line for line in lines if _is_at_page_edge(line, height, body)]
    numbers = {round(line.y) for line in edge if _PAGE_NUMBER_PATTERN.fullmatch(line.text.strip())}
    running = {
        id(line)
        for line in edge
        if _build_running_line_key(line, height) in repeated
        or (repeated and round(line.y) in numbers)
    }
    return [line for line in lines if id(line) not in running]


def _is_at_page_edge(line: TextLine, height: float, body: float) -> bool:
    edge = _PAGE_EDGE_SHARE * height
    return (line.y < edge or line.y > height - edge) and line.size <= LARGER * body


def _build_running_line_key(line: TextLine, height: float) -> tuple[str, bool]:
    return _PAGE_DIGITS_PATTERN.sub("#", line.text.strip().lower()), line.y < height / 2


def render_pdf_pages(pages: Sequence[list[PdfBlock]], *, body: float) -> str:
    blocks = _demote_heading_rows(_join_split_paragraphs(pages), body)
    levels = _assign_heading_levels(blocks, body)
    parts: list[str] = []
    previous: PdfBlock | None = None
    for block in blocks:
        text = _render_pdf_block(block, levels, body)
        if not text.strip():
            continue
        tight = block.kind == "item" and previous is not None and previous.kind == "item"
        parts += ["" if not parts else ("\n" if tight else "\n\n"), text]
        previous = block
    return "".join(parts)


def _join_split_paragraphs(pages: Sequence[list[PdfBlock]]) -> list[PdfBlock]:
    """The blocks of all pages, with paragraphs joined that a page break had split."""
    blocks: list[PdfBlock] = []
    for page in pages:
        rest = page
        if blocks and page and _is_paragraph_continuation(blocks[-1], page[0]):
            last, first = blocks.pop(), page[0]
            hyphen = last.text.endswith("-")
            glued = last.text[:-1] + first.text if hyphen else f"{last.text} {first.text}"
            blocks.append(last._replace(text=glued))
            rest = page[1:]
        blocks += rest
    return blocks


def _is_paragraph_continuation(last: PdfBlock, first: PdfBlock) -> bool:
    return (
        last.kind in {"paragraph", "item"}
        and first.kind == "paragraph"
        and bool(_UNFINISHED_TEXT_PATTERN.search(last.text))
        and first.text[:1].islower()
    )


def _demote_heading_rows(blocks: Sequence[PdfBlock], body: float) -> list[PdfBlock]:
    """The blocks; many like headings in a row are a list of names or labels, and become text."""
    result: list[PdfBlock] = []
    for _, same in groupby(blocks, key=lambda block: _build_row_key(block, body)):
        row = list(same)
        most = _MAX_LARGE_ROW if row[0].size >= LARGER * body else _MAX_BOLD_ROW
        if row[0].kind == "heading" and not row[0].heading.sure and len(row) > most:
            row = [block._replace(kind="paragraph") for block in row]
        result += row
    return result


def _build_row_key(block: PdfBlock, body: float) -> tuple[object, ...]:
    if block.kind != "heading" or block.heading.sure:
        return (block.kind, id(block))
    return (block.kind, *_build_heading_style(block, body)[:2])


def _assign_heading_levels(blocks: Sequence[PdfBlock], body: float) -> dict[HeadingStyle, int]:
    """A heading level for each heading style: larger sizes first, then bold text of body size."""
    styles = {
        _build_heading_style(block, body)
        for block in blocks
        if block.kind == "heading" and not block.heading.level
    }
    ordered = sorted(styles, reverse=True)
    return {style: min(place + 1, 6) for place, style in enumerate(ordered)}


def _build_heading_style(block: PdfBlock, body: float) -> HeadingStyle:
    """Size, weight and how deep the heading's number is, as in 2.1 or B., counted downwards."""
    number = _HEADING_NUMBER_PATTERN.match(block.text)
    depth = -max(number[0].count("."), 1) if number else 0
    if block.size >= LARGER * body:
        return round(block.size * 2) / 2, block.bold, depth
    return body, block.bold, depth


def _render_pdf_block(block: PdfBlock, levels: dict[HeadingStyle, int], body: float) -> str:
    if not block.text:
        return ""
    if block.kind == "code":
        return markdown_text.format_fenced_code(block.text, "")
    if block.kind == "table":
        return block.text
    if block.kind == "item":
        return f"{block.marker} {markdown_text.escape_line_starts(block.text)}"
    if block.kind == "heading":
        level = block.heading.level or levels[_build_heading_style(block, body)]
        return f"{'#' * level} {block.text}"
    return markdown_text.escape_line_starts(block.text)


# One page of a PDF: its lines, ruled tables and text at other angles, and these in reading order.


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
            while waiting and (
                waiting[0].box.x0 < line.x1
                and line.x0 < waiting[0].box.x1
                and waiting[0].box.y0 < line.y
            ):
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


# The text that recognition found on a scanned page, as paragraphs and headings.


class _SeenLine(NamedTuple):
    words: list[str]
    height: float


def build_recognized_blocks(table: str, body: float) -> list[PdfBlock]:
    """The blocks of a page from tesseract's table of words; `body` is the size of the usual text."""
    paragraphs = list(_read_paragraphs(table))
    heights = [line.height for lines in paragraphs for line in lines]
    usual = median(heights or [0.0])
    blocks: list[PdfBlock] = []
    for lines in paragraphs:
        text = markdown_text.escape_markdown(_join_recognized_lines(lines))
        tall = len(heights) > 3 and all(line.height >= _HEADING_HEIGHT * usual for line in lines)
        if tall and len(text.split()) <= _MAX_HEADING_WORDS and not text[:1].islower():
            blocks.append(PdfBlock("heading", text, 1.5 * body, heading=HeadingFound()))
        else:
            blocks.append(PdfBlock("paragraph", text, body))
    return blocks


def _read_paragraphs(table: str) -> Iterator[list[_SeenLine]]:
    rows = csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = [row for row in rows if row.get("level") == _WORD_LEVEL and _is_certain(row)]
    for _, paragraph in groupby(words, key=lambda row: (row["block_num"], row["par_num"])):
        lines: list[_SeenLine] = []
        for _, line in groupby(paragraph, key=lambda row: row["line_num"]):
            seen = [(word["text"].strip(), word["height"]) for word in line]
            heights = [float(height) for _, height in seen if height.isdigit()]
            lines.append(_SeenLine([text for text, _ in seen], median(heights or [0.0])))
        yield lines


def _is_certain(row: dict[str, str]) -> bool:
    try:
        return float(row["conf"]) >= _MIN_CONFIDENCE and bool((row["text"] or "").strip())
    except (KeyError, TypeError, ValueError):
        return False


def _join_recognized_lines(lines: list[_SeenLine]) -> str:
    text = ""
    for line in lines:
        added = " ".join(line.words)
        if text.endswith(("-", "‐")) and text[-2:-1].islower() and added[:1].islower():
            text = text[:-1] + added
        else:
            text = f"{text} {added}" if text else added
    return text
