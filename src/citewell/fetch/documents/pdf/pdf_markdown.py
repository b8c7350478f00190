"""Renders the blocks of all pages as one markdown text, with consistent heading levels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from citewell.fetch.documents.pdf.pdf_blocks import PdfBlock
from citewell.fetch.documents.pdf.text_lines import TextLine
from citewell.fetch.markdown.markdown_text import escape_line_starts, format_fenced_code

_PAGE_DIGITS_PATTERN = re.compile(r"\d+|\b[ivxlc]{1,6}\b", re.IGNORECASE)
_PAGE_NUMBER_PATTERN = re.compile(
    r"(?:page\s*|[-–|]\s*)?\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?(?:\s*[-–|])?", re.IGNORECASE
)
_UNFINISHED_TEXT_PATTERN = re.compile(r"[\w,;\u2019'-]$")
_PAGE_EDGE_SHARE = 0.1  # share of the page height where running headers and footers stand


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
    return (line.y < edge or line.y > height - edge) and line.size <= 1.12 * body


def _build_running_line_key(line: TextLine, height: float) -> tuple[str, bool]:
    return _PAGE_DIGITS_PATTERN.sub("#", line.text.strip().lower()), line.y < height / 2


def render_pdf_pages(pages: Sequence[list[PdfBlock]], *, body: float) -> str:
    blocks = _join_split_paragraphs(pages)
    levels = _assign_heading_levels(blocks, body)
    parts: list[str] = []
    previous: PdfBlock | None = None
    for block in blocks:
        text = _render_pdf_block(block, levels)
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


def _assign_heading_levels(
    blocks: Sequence[PdfBlock], body: float
) -> dict[tuple[float, bool], int]:
    """A heading level for each heading style: larger sizes first, then bold text of body size."""
    styles = {_normalize_heading_style(block, body) for block in blocks if block.kind == "heading"}
    ordered = sorted(styles, reverse=True)
    return {style: min(place + 1, 6) for place, style in enumerate(ordered)}


def _normalize_heading_style(block: PdfBlock, body: float) -> tuple[float, bool]:
    return (round(block.size * 2) / 2, block.bold) if block.size >= 1.12 * body else (body, True)


def _render_pdf_block(block: PdfBlock, levels: dict[tuple[float, bool], int]) -> str:
    if not block.text:
        return ""
    if block.kind == "code":
        return format_fenced_code(block.text, "")
    if block.kind == "table":
        return block.text
    if block.kind == "item":
        return f"{block.marker} {escape_line_starts(block.text)}"
    if block.kind == "heading":
        level = levels.get(_choose_known_style(block, levels), 6)
        return f"{'#' * level} {block.text}"
    return escape_line_starts(block.text)


def _choose_known_style(
    block: PdfBlock, levels: dict[tuple[float, bool], int]
) -> tuple[float, bool]:
    exact = (round(block.size * 2) / 2, block.bold)
    return exact if exact in levels else min(levels)
