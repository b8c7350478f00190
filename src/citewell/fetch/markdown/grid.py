"""Render tables: data as GFM tables, everything else as the text it holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.fetch.markdown.inline import Inline
from citewell.fetch.markdown.scope import MAX_LEVEL
from citewell.fetch.markdown.text import squeeze

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from citewell.fetch.markdown.scope import Scope

_SECTIONS = frozenset(("thead", "tbody", "tfoot"))
_CELLS = frozenset(("td", "th"))
_BAR = re.compile(r"(?<!\\)\|")
_MAX_SPAN = 50
# One very wide row would make every other row as wide.
_MAX_WIDTH = 100
_LAYOUT = "h1,h2,h3,h4,h5,h6,pre,form,table,article,section,nav"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell with the room it takes."""

    node: LexborNode
    header: bool
    columns: int
    rows: int


def cells_of(table: LexborNode) -> list[list[Cell]]:
    """Rows of cells that belong to this table and not to one inside it."""
    rows: list[list[Cell]] = []
    for section in _elements(table):
        if section.tag == "tr":
            rows.append(_row(section))
        elif section.tag in _SECTIONS:
            rows += [_row(row) for row in _elements(section) if row.tag == "tr"]
    return [row for row in rows if row]


def is_data(table: LexborNode, rows: list[list[Cell]]) -> bool:
    """Whether the table is a grid of values rather than a way to place things on a page."""
    role = table.attributes.get("role")
    if role in ("presentation", "none") or not rows:
        return False
    width = max(sum(cell.columns for cell in row) for row in rows)
    if not 2 <= width <= _MAX_WIDTH or (len(rows) < 2 and not rows[0][0].header):
        return False
    return not any(cell.node.css_first(_LAYOUT) for row in rows for cell in row)


def render(table: LexborNode, rows: list[list[Cell]], scope: Scope) -> str:
    """A GFM table; spanned places are left empty so that columns stay in line."""
    inline = Inline(scope)
    grid = _fill(rows, inline)
    width = max(len(row) for row in grid)
    grid = [row + [""] * (width - len(row)) for row in grid]
    header, body = _split_header(table, rows, grid)
    kept = [row for row in body if any(row)]
    if not kept and not any(header):
        return ""
    lines = [_line(header), _line(["---"] * width), *map(_line, kept)]
    return "\n".join(lines)


def _split_header(
    table: LexborNode, rows: list[list[Cell]], grid: list[list[str]]
) -> tuple[list[str], list[list[str]]]:
    first = rows[0]
    named = all(cell.header for cell in first) or table.css_first("thead") is not None
    sided = any(row[0].header for row in rows)
    if sided and not named and not any(cell.header for cell in first[1:]):
        return [""] * len(grid[0]), grid
    return grid[0], grid[1:]


def _fill(rows: list[list[Cell]], inline: Inline) -> list[list[str]]:
    grid: list[list[str]] = []
    hanging: dict[int, int] = {}
    for row in rows:
        line: list[str] = []
        for cell in row:
            _pass_hanging(line, hanging)
            start = len(line)
            line += [cell_text(cell.node, inline)] + [""] * (cell.columns - 1)
            if cell.rows > 1:
                hanging.update(dict.fromkeys(range(start, len(line)), cell.rows - 1))
        _pass_hanging(line, hanging)
        grid.append(line)
    return grid


def _pass_hanging(line: list[str], hanging: dict[int, int]) -> None:
    while hanging.get(len(line), 0) > 0:
        hanging[len(line)] -= 1
        line.append("")


def cell_text(node: LexborNode, inline: Inline) -> str:
    """A cell on one line, blocks inside it parted by a space."""
    text = squeeze(_flat(node, inline, 0)).strip()
    return _BAR.sub(r"\\|", text)


def _flat(node: LexborNode, inline: Inline, depth: int) -> str:
    pieces: list[str] = []
    child = node.first_child if depth < MAX_LEVEL else None
    while child is not None:
        if child.tag in ("p", "div", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "figure"):
            pieces += (" ", _flat(child, inline, depth + 1), " ")
        else:
            pieces.append(inline.node(child))
        child = child.next
    return "".join(pieces)


def _line(values: list[str]) -> str:
    return "| " + " | ".join(values) + " |"


def _row(row: LexborNode) -> list[Cell]:
    return [
        Cell(
            node=cell,
            header=cell.tag == "th",
            columns=_span(cell, "colspan"),
            rows=_span(cell, "rowspan"),
        )
        for cell in _elements(row)
        if cell.tag in _CELLS
    ]


def _span(cell: LexborNode, name: str) -> int:
    value = cell.attributes.get(name) or "1"
    return min(max(int(value), 1), _MAX_SPAN) if value.isascii() and value.isdigit() else 1


def _elements(node: LexborNode) -> list[LexborNode]:
    return list(node.iter(include_text=False))
