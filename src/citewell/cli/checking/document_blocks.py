"""Lays out a Word, OpenDocument or PDF draft as HTML: headings, paragraphs, lists, tables and notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise

from citewell.model.draft import Draft
from citewell.text.drafts.draft_reading import build_draft_view
from citewell.text.drafts.draft_views import DraftBlock, DraftBlockKind

RenderSpan = Callable[[int, int], str]  # the HTML of a part of the draft's text
_HEADING_MARK_PATTERN = re.compile(r" {0,3}#{1,6}[ \t]++")
_CELL_EDGE_PATTERN = re.compile(r"(?<!\\)\||\Z")
_FENCES = ("```", "~~~")
_RULE_CHARS = (
    "|:-+=> \t"  # of lines that have no words: below the head of a table, within a quotation
)
_LOWEST_HEADING = 6


def render_document_blocks(draft: Draft, render_span: RenderSpan) -> Iterator[str]:
    """The blocks of the draft in order; `render_span` escapes and renders the words of each."""
    view = build_draft_view(draft.text, draft.format)
    levels = {one.start: one.level for one in view.headings}
    done = 0
    for group in _group_blocks(draft.text, view.blocks):
        if group[0].start < done:
            continue  # a note within the paragraph that has been rendered
        yield from _render_code(draft.text, done, group[0].start)
        if group[0].kind is DraftBlockKind.ROW:
            yield _render_table(draft.text, group, render_span)
        elif group[0].kind is DraftBlockKind.ITEM:
            yield _render_list(draft.text, group, render_span)
        else:
            yield _render_text_block(draft.text, group[0], levels, render_span)
        done = group[-1].end
    yield from _render_code(draft.text, done, len(draft.text))


def _group_blocks(text: str, blocks: Sequence[DraftBlock]) -> Iterator[list[DraftBlock]]:
    """The rows of a table together, and the items of a list; every other block alone."""
    group: list[DraftBlock] = []
    for block in blocks:
        if group and not _continues_group(text, group[-1], block):
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _continues_group(text: str, before: DraftBlock, block: DraftBlock) -> bool:
    if block.kind is not before.kind:
        return False
    if block.kind is DraftBlockKind.ROW:
        return "\n\n" not in text[before.end : block.start]
    is_item = block.kind is DraftBlockKind.ITEM
    return is_item and not _list_code_lines(text, before.end, block.start)


def _list_code_lines(text: str, start: int, end: int) -> list[str]:
    """The lines between two blocks that have words, which are code; not the mark before the second."""
    lines = text[start:end].split("\n")
    if end < len(text):
        lines.pop()
    return [line for line in lines if line.strip(_RULE_CHARS) and not line.startswith(_FENCES)]


def _render_code(text: str, start: int, end: int) -> Iterator[str]:
    if lines := _list_code_lines(text, start, end):
        yield f"<pre>{escape(chr(10).join(lines), quote=False)}</pre>\n"


def _render_text_block(
    text: str, block: DraftBlock, levels: Mapping[int, int], render_span: RenderSpan
) -> str:
    start = block.start
    if block.kind is DraftBlockKind.HEADING:
        if mark := _HEADING_MARK_PATTERN.match(text, start, block.end):
            start = mark.end()
        # The name of the file is the heading above them.
        level = min(levels.get(block.start, 1) + 1, _LOWEST_HEADING)
        return f"<h{level}>{render_span(start, block.end)}</h{level}>\n"
    words = render_span(start, block.end)
    if block.kind is DraftBlockKind.QUOTE:
        return f"<blockquote><p>{words}</p></blockquote>\n"
    if block.kind is DraftBlockKind.NOTE:
        return f'<p class="note"><sup>{escape(block.number)}</sup> {words}</p>\n'
    return f"<p>{words}</p>\n"


def _render_list(text: str, items: Sequence[DraftBlock], render_span: RenderSpan) -> str:
    parts: list[str] = []
    opened: list[tuple[int, str]] = []  # indent and element of the lists around an item
    for item in items:
        line = text[text.rfind("\n", 0, item.start) + 1 : item.start]
        here = (len(line) - len(line.lstrip()), "ol" if item.number else "ul")
        while opened and opened[-1] != here and opened[-1][0] >= here[0]:
            parts.append(f"</li></{opened.pop()[1]}>")
        if opened and opened[-1] == here:
            parts.append("</li>")
        else:
            opened.append(here)
            parts.append(f"<{here[1]}>")
        value = f' value="{escape(item.number)}"' if item.number else ""
        parts.append(f"<li{value}>{render_span(item.start, item.end)}")
    parts += [f"</li></{element}>" for _, element in reversed(opened)]
    return "".join(parts) + "\n"


def _render_table(text: str, rows: Sequence[DraftBlock], render_span: RenderSpan) -> str:
    """The rows; the first is the head of the table if a rule is below it."""
    has_head = len(rows) > 1 and "-" in text[rows[0].end : rows[1].start]
    parts = ["<table>"]
    for number, row in enumerate(rows):
        element = "th" if has_head and not number else "td"
        cells = "".join(
            f"<{element}>{render_span(start, end)}</{element}>"
            for start, end in _iterate_cells(text, row)
        )
        parts.append(f"<tr>{cells}</tr>")
    return "".join(parts) + "</table>\n"


def _iterate_cells(text: str, row: DraftBlock) -> Iterator[tuple[int, int]]:
    """Where the words of each cell are; a row begins and ends with a bar."""
    edges = [match.start() for match in _CELL_EDGE_PATTERN.finditer(text, row.start, row.end)]
    for before, end in pairwise(edges):
        cell = text[before + 1 : end]
        if cell.strip() or end < row.end:
            start = before + 1 + len(cell) - len(cell.lstrip())
            yield start, start + len(cell.strip())
