"""Reads lists of references that are tables, a source in each row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_RULE_PATTERN = re.compile(r"[\s|:-]{3,2000}")
_CELL_PATTERN = re.compile(r"(?<!\\)\|")
_NUMBER_PATTERN = re.compile(r"\W{0,4}(\d{1,4})\W{0,4}")
_AUTHOR_HEAD_PATTERN = re.compile(
    r"\W*(?:auth?or|autore?|auteur|verfasser|autorin|författare)", re.IGNORECASE
)
_YEAR_HEAD_PATTERN = re.compile(
    r"\W*(?:year|date|published|jahr|datum|ann[ée]e|año|fecha|anno|ano|jaar|år|rok)\b",
    re.IGNORECASE,
)
# Columns that say what a source is used for.
_REMARK_HEAD_PATTERN = re.compile(
    r"\W*(?:used|use|notes?|remarks?|comments?|supports?|claims?|relevance|key|verwendet|verwendung|bemerkung|anmerkung|notiz|remarques?|commentaire|utilis|notas?|comentario|uso)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    line: int  # its place among the lines
    number: str
    text: str  # the cells as one reference: authors, year, and the rest


def read_table_rows(lines: Sequence[str]) -> list[TableRow]:
    """The rows of the tables among these lines, without their heads."""
    return [
        row
        for at, line in enumerate(lines)
        if at and _is_rule(line) and "|" in lines[at - 1]
        for row in _iterate_rows(lines, at)
    ]


def list_table_lines(lines: Sequence[str]) -> set[int]:
    """The places of the lines that belong to such a table, with its head and its rule."""
    rows = {row.line for row in read_table_rows(lines)}
    heads = {at for at, line in enumerate(lines) if at + 1 in rows and _is_rule(line)}
    return rows | heads | {at - 1 for at in heads}


def _is_rule(line: str) -> bool:
    """Whether the line stands between the head of a table and its rows."""
    return "|" in line and "-" in line and _RULE_PATTERN.fullmatch(line) is not None


def _iterate_rows(lines: Sequence[str], rule: int) -> Iterator[TableRow]:
    head = _split_source_cells(lines[rule - 1])
    for at in range(rule + 1, len(lines)):
        if "|" not in lines[at]:
            return
        cells = _split_source_cells(lines[at])
        number = _NUMBER_PATTERN.fullmatch(cells[0]) if len(cells) > 1 else None
        if number is not None:
            cells[0] = ""
        yield TableRow(
            line=at, number=number[1] if number else "", text=_join_source_cells(head, cells)
        )


def _split_source_cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELL_PATTERN.split(line.strip().strip("|"))]


def _join_source_cells(head: Sequence[str], cells: Sequence[str]) -> str:
    """The cells in the order in which references are written."""
    ranked: list[tuple[int, str]] = []
    for place, cell in enumerate(cells):
        name = head[place] if place < len(head) else ""
        if not cell or _REMARK_HEAD_PATTERN.match(name):
            continue
        if _AUTHOR_HEAD_PATTERN.match(name):
            ranked.append((0, cell))
        elif _YEAR_HEAD_PATTERN.match(name):
            ranked.append((1, f"({cell})"))
        else:
            ranked.append((2, cell))
    if not any(rank == 0 for rank, _ in ranked):  # the year belongs behind what names the source
        ranked = [(2 - rank, cell) for rank, cell in ranked]
    return " ".join(_close_part(cell) for _, cell in sorted(ranked, key=lambda row: row[0]))


def _close_part(cell: str) -> str:
    return cell if cell.endswith((".", "!", "?")) or "://" in cell else f"{cell}."
