"""Reads HTML tables, tells data tables from layout tables, and renders data as GFM tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.reading.markdown.inline_and_code import MAX_RENDER_DEPTH, InlineRenderer
from citewell.reading.markdown.markdown_text import squeeze_spaces

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from citewell.reading.markdown.inline_and_code import RenderScope

_SECTION_TAGS = frozenset(("thead", "tbody", "tfoot"))
_TABLE_CELL_TAGS = frozenset(("td", "th"))
_CELL_BLOCK_TAG_NAMES = "p div ul ol li dl dt dd blockquote figure h1 h2 h3 h4 h5 h6"
_CELL_BLOCK_TAGS = frozenset(_CELL_BLOCK_TAG_NAMES.split())
_UNESCAPED_BAR = re.compile(r"(?<!\\)\|")
_MAX_CELL_SPAN = 50
# A single very wide row would make all rows as wide.
_MAX_TABLE_COLUMNS = 100
_LAYOUT_ELEMENTS = "pre,form,table,article,section,nav"
_HEADING_ELEMENTS = "h1,h2,h3,h4,h5,h6"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCell:
    """One cell with the columns and rows it spans."""

    node: LexborNode
    is_header: bool
    column_span: int
    row_span: int


def collect_table_rows(table: LexborNode) -> list[list[TableCell]]:
    """The rows of this table, without those of tables nested in it."""
    rows: list[list[TableCell]] = []
    for section in _list_child_elements(table):
        if section.tag == "tr":
            rows.append(_read_row_cells(section))
        elif section.tag in _SECTION_TAGS:
            rows += [
                _read_row_cells(row) for row in _list_child_elements(section) if row.tag == "tr"
            ]
    return [row for row in rows if row]


def is_data_table(table: LexborNode, rows: list[list[TableCell]]) -> bool:
    """Whether the table holds data, rather than the layout of a page."""
    role = table.attributes.get("role")
    if role in ("presentation", "none") or not rows:
        return False
    width = max(sum(cell.column_span for cell in row) for row in rows)
    if not 2 <= width <= _MAX_TABLE_COLUMNS or (len(rows) < 2 and not rows[0][0].is_header):
        return False
    return not any(_lays_out_page(cell.node) for row in rows for cell in row)


def _lays_out_page(cell: LexborNode) -> bool:
    """Whether a cell holds parts of a page. A heading that is its whole text only names rows or columns."""
    if cell.css_first(_LAYOUT_ELEMENTS) is not None:
        return True
    heading = cell.css_first(_HEADING_ELEMENTS)
    return heading is not None and len(heading.text().split()) < len(
        cell.text(separator=" ").split()
    )


def render_gfm_table(table: LexborNode, rows: list[list[TableCell]], scope: RenderScope) -> str:
    """A GFM table; cells covered by a span are left empty so that columns stay aligned."""
    inline = InlineRenderer(scope)
    grid = _fill_spans(rows, inline)
    width = max(len(row) for row in grid)
    grid = [row + [""] * (width - len(row)) for row in grid]
    header, body = _split_table_header(table, rows, grid)
    kept = [row for row in body if any(row)]
    if not kept and not any(header):
        return ""
    lines = [
        _format_table_line(header),
        _format_table_line(["---"] * width),
        *map(_format_table_line, kept),
    ]
    return "\n".join(lines)


def _split_table_header(
    table: LexborNode, rows: list[list[TableCell]], grid: list[list[str]]
) -> tuple[list[str], list[list[str]]]:
    first = rows[0]
    named = all(cell.is_header for cell in first) or table.css_first("thead") is not None
    sided = any(row[0].is_header for row in rows)
    if sided and not named and not any(cell.is_header for cell in first[1:]):
        return [""] * len(grid[0]), grid
    return grid[0], grid[1:]


def _fill_spans(rows: list[list[TableCell]], inline: InlineRenderer) -> list[list[str]]:
    grid: list[list[str]] = []
    hanging: dict[int, int] = {}
    for row in rows:
        line: list[str] = []
        for cell in row:
            _skip_spanned_columns(line, hanging)
            start = len(line)
            # The content of a cell is on one line, with a space between the blocks in it.
            text = squeeze_spaces(_flatten_cell(cell.node, inline, 0)).strip()
            line += [_UNESCAPED_BAR.sub(r"\\|", text)] + [""] * (cell.column_span - 1)
            if cell.row_span > 1:
                hanging.update(dict.fromkeys(range(start, len(line)), cell.row_span - 1))
        _skip_spanned_columns(line, hanging)
        grid.append(line)
    return grid


def _skip_spanned_columns(line: list[str], hanging: dict[int, int]) -> None:
    while hanging.get(len(line), 0) > 0:
        hanging[len(line)] -= 1
        line.append("")


def _flatten_cell(node: LexborNode, inline: InlineRenderer, depth: int) -> str:
    pieces: list[str] = []
    child = node.first_child if depth < MAX_RENDER_DEPTH else None
    number = 0
    while child is not None:
        if child.tag in _CELL_BLOCK_TAGS:
            number += child.tag == "li"
            text = _flatten_cell(child, inline, depth + 1)
            pieces += (" ", _mark_cell_item(child, number) if text.strip() else "", text, " ")
        else:
            pieces.append(inline.render_node(child))
        child = child.next
    return "".join(pieces)


def _mark_cell_item(node: LexborNode, number: int) -> str:
    """The sign before a list item in a cell, which has one line; a list of one item needs none."""
    if node.tag != "li" or node.parent is None:
        return ""
    later = node.next
    while later is not None and later.tag != "li":
        later = later.next
    if number == 1 and later is None:
        return ""
    return f"{number}. " if node.parent.tag == "ol" else "• "


def _format_table_line(values: list[str]) -> str:
    return "| " + " | ".join(values) + " |"


def _read_row_cells(row: LexborNode) -> list[TableCell]:
    return [
        TableCell(
            node=cell,
            is_header=cell.tag == "th",
            column_span=_read_span(cell, "colspan"),
            row_span=_read_span(cell, "rowspan"),
        )
        for cell in _list_child_elements(row)
        if cell.tag in _TABLE_CELL_TAGS
    ]


def _read_span(cell: LexborNode, name: str) -> int:
    value = cell.attributes.get(name) or "1"
    return min(max(int(value), 1), _MAX_CELL_SPAN) if value.isascii() and value.isdigit() else 1


def _list_child_elements(node: LexborNode) -> list[LexborNode]:
    return list(node.iter(include_text=False))
