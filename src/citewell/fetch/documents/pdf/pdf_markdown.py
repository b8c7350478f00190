"""Renders the blocks of all pages as one markdown text, with consistent heading levels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from citewell.fetch.documents.pdf.pdf_blocks import PdfBlock
from citewell.fetch.documents.pdf.pdf_headings import LARGER
from citewell.fetch.documents.pdf.text_lines import TextLine
from citewell.fetch.markdown.markdown_text import escape_line_starts, format_fenced_code

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
        return format_fenced_code(block.text, "")
    if block.kind == "table":
        return block.text
    if block.kind == "item":
        return f"{block.marker} {escape_line_starts(block.text)}"
    if block.kind == "heading":
        level = block.heading.level or levels[_build_heading_style(block, body)]
        return f"{'#' * level} {block.text}"
    return escape_line_starts(block.text)
