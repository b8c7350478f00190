"""Formats rows of cells as a GFM table, or as plain lines if there is only one column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from citewell.fetch.markdown.markdown_text import escape_markdown

_WHITESPACE_PATTERN = re.compile(r"\s+")
_SIMPLE_CELL_PATTERN = re.compile(r"[A-Za-z0-9.,:%/+-]{0,40}")
_UNESCAPED_BAR_PATTERN = re.compile(r"(?<!\\)\|")


def format_plain_cell(text: str) -> str:
    """Plain text as the content of a table cell: on one line, with markdown escaped."""
    if _SIMPLE_CELL_PATTERN.fullmatch(text):
        return text
    return _UNESCAPED_BAR_PATTERN.sub(
        r"\\|", escape_markdown(_WHITESPACE_PATTERN.sub(" ", text).strip())
    )


def format_markdown_cell(markdown: str) -> str:
    """Markdown as the content of a table cell: on one line, with bars escaped."""
    return _UNESCAPED_BAR_PATTERN.sub(r"\\|", _WHITESPACE_PATTERN.sub(" ", markdown).strip())


def render_markdown_table(rows: Iterable[Sequence[str]]) -> str:
    """A table whose first row is the header; empty rows and columns are left out."""
    filled = [list(row) for row in rows if any(row)]
    width = max((len(row) for row in filled), default=0)
    squared = [row + [""] * (width - len(row)) for row in filled]
    used = [place for place in range(width) if any(row[place] for row in squared)]
    kept = [[row[place] for place in used] for row in squared]
    if len(used) < 2:
        return "\n".join(f"{row[0]}  " for row in kept if row).rstrip()
    lines = [
        _format_table_row(kept[0]),
        _format_table_row(["---"] * len(used)),
        *map(_format_table_row, kept[1:]),
    ]
    return "\n".join(lines)


def _format_table_row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
