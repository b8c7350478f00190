"""Rows of cells to a GFM table, or to plain lines where a table would have one column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from citewell.fetch.markdown.text import escape

_SPACE = re.compile(r"\s+")
_SIMPLE = re.compile(r"[A-Za-z0-9.,:%/+-]{0,40}")
_BAR = re.compile(r"(?<!\\)\|")


def plain_cell(text: str) -> str:
    """A value from a sheet as the inside of a cell: on one line and escaped."""
    if _SIMPLE.fullmatch(text):
        return text
    return _BAR.sub(r"\\|", escape(_SPACE.sub(" ", text).strip()))


def marked_cell(markdown: str) -> str:
    """The same for text that already is markdown."""
    return _BAR.sub(r"\\|", _SPACE.sub(" ", markdown).strip())


def table(rows: Iterable[Sequence[str]]) -> str:
    """The first row is the header; empty rows and columns are left out."""
    filled = [list(row) for row in rows if any(row)]
    width = max((len(row) for row in filled), default=0)
    squared = [row + [""] * (width - len(row)) for row in filled]
    used = [place for place in range(width) if any(row[place] for row in squared)]
    kept = [[row[place] for place in used] for row in squared]
    if len(used) < 2:
        return "\n".join(f"{row[0]}  " for row in kept if row).rstrip()
    lines = [_line(kept[0]), _line(["---"] * len(used)), *map(_line, kept[1:])]
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
