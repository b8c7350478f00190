"""Blocks of all pages to one markdown text, with heading levels that hold across the document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from citewell.fetch.documents.pdf.blocks import Block
from citewell.fetch.documents.pdf.lines import Line
from citewell.fetch.markdown.text import fenced, guard_line_starts

_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,6}\b", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"(?:page\s*|[-–|]\s*)?\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?(?:\s*[-–|])?", re.IGNORECASE
)
_UNENDED = re.compile(r"[\w,;\u2019'-]$")
_EDGE = 0.1  # of the page's height: where running headers and footers stand


def strip_running(
    pages: Sequence[list[Line]], heights: Sequence[float], body: float
) -> list[list[Line]]:
    """The pages without the lines that every page repeats at its top or bottom."""
    seen = Counter[tuple[str, bool]]()
    for lines, height in zip(pages, heights, strict=True):
        seen.update({_key(line, height) for line in lines if _at_edge(line, height, body)})
    least = max(3, len(pages) * 0.3)
    repeated = {key for key, count in seen.items() if count >= least}
    many = len(pages) > 1
    return [
        _without_running(lines, height, body, repeated if many else set())
        for lines, height in zip(pages, heights, strict=True)
    ]


def _without_running(
    lines: list[Line], height: float, body: float, repeated: set[tuple[str, bool]]
) -> list[Line]:
    edge = [line for line in lines if _at_edge(line, height, body)]
    numbers = {round(line.y) for line in edge if _PAGE_NUMBER.fullmatch(line.text.strip())}
    running = {
        id(line)
        for line in edge
        if _key(line, height) in repeated or (repeated and round(line.y) in numbers)
    }
    return [line for line in lines if id(line) not in running]


def _at_edge(line: Line, height: float, body: float) -> bool:
    edge = _EDGE * height
    return (line.y < edge or line.y > height - edge) and line.size <= 1.12 * body


def _key(line: Line, height: float) -> tuple[str, bool]:
    return _DIGITS.sub("#", line.text.strip().lower()), line.y < height / 2


def write_pages(pages: Sequence[list[Block]], *, body: float) -> str:
    blocks = _joined(pages)
    levels = _levels(blocks, body)
    parts: list[str] = []
    previous: Block | None = None
    for block in blocks:
        text = _written(block, levels)
        if not text.strip():
            continue
        tight = block.kind == "item" and previous is not None and previous.kind == "item"
        parts += ["" if not parts else ("\n" if tight else "\n\n"), text]
        previous = block
    return "".join(parts)


def _joined(pages: Sequence[list[Block]]) -> list[Block]:
    """All blocks, with paragraphs that a page break cut in two put together again."""
    blocks: list[Block] = []
    for page in pages:
        rest = page
        if blocks and page and _goes_on(blocks[-1], page[0]):
            last, first = blocks.pop(), page[0]
            hyphen = last.text.endswith("-")
            glued = last.text[:-1] + first.text if hyphen else f"{last.text} {first.text}"
            blocks.append(last._replace(text=glued))
            rest = page[1:]
        blocks += rest
    return blocks


def _goes_on(last: Block, first: Block) -> bool:
    return (
        last.kind in {"paragraph", "item"}
        and first.kind == "paragraph"
        and bool(_UNENDED.search(last.text))
        and first.text[:1].islower()
    )


def _levels(blocks: Sequence[Block], body: float) -> dict[tuple[float, bool], int]:
    """A level for each way headings are set: larger first, then bold at the size of the text."""
    styles = {_style(block, body) for block in blocks if block.kind == "heading"}
    ordered = sorted(styles, reverse=True)
    return {style: min(place + 1, 6) for place, style in enumerate(ordered)}


def _style(block: Block, body: float) -> tuple[float, bool]:
    return (round(block.size * 2) / 2, block.bold) if block.size >= 1.12 * body else (body, True)


def _written(block: Block, levels: dict[tuple[float, bool], int]) -> str:
    if not block.text:
        return ""
    if block.kind == "code":
        return fenced(block.text, "")
    if block.kind == "table":
        return block.text
    if block.kind == "item":
        return f"{block.marker} {guard_line_starts(block.text)}"
    if block.kind == "heading":
        level = levels.get(_style_of(block, levels), 6)
        return f"{'#' * level} {block.text}"
    return guard_line_starts(block.text)


def _style_of(block: Block, levels: dict[tuple[float, bool], int]) -> tuple[float, bool]:
    exact = (round(block.size * 2) / 2, block.bold)
    return exact if exact in levels else min(levels)
