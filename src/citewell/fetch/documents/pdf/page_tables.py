"""Finds tables on a PDF page by their ruled lines."""

from __future__ import annotations

from typing import NamedTuple

from citewell.fetch.documents.pdf.page_shapes import PageBox, PageShapes
from citewell.fetch.documents.pdf.text_lines import (
    TextLine,
    split_into_lines,
)
from citewell.fetch.documents.pdf.words.pdf_word import PdfWord

_RULE_TOLERANCE_POINTS = 2.0
_MAX_TABLE_RULES = 1500
_MIN_GROUPED_ROWS = 5  # lines in each of two cells that may be rows of their own
_MAX_GROUPED_LENGTH = 25  # characters of such a line


class PdfTable(NamedTuple):
    box: PageBox
    rows: tuple[tuple[tuple[TextLine, ...], ...], ...]  # each cell is the lines in it


def find_ruled_tables(
    words: list[PdfWord], shapes: PageShapes
) -> tuple[list[PdfTable], list[PdfWord]]:
    """Tables drawn with lines, and the words outside them."""
    if len(shapes.across) + len(shapes.down) > _MAX_TABLE_RULES:
        return [], words
    tables: list[PdfTable] = []
    for across, down in _group_touching_rules(shapes):
        ys = _merge_close_values([box.y0 for box in across])
        xs = _merge_close_values([box.x0 for box in down])
        if len(xs) < 3 or len(ys) < 3:
            continue
        box = PageBox(xs[0], ys[0], xs[-1], ys[-1])
        inside = [word for word in words if _is_word_inside(word, box)]
        table = _build_ruled_table(inside, xs, ys, box)
        if table is None:
            continue
        tables.append(table)
        words = [word for word in words if not _is_word_inside(word, box)]
    return tables, words


def _group_touching_rules(shapes: PageShapes) -> list[tuple[list[PageBox], list[PageBox]]]:
    """Groups of touching rules, each as (horizontal rules, vertical rules)."""
    rules = [(box, True) for box in shapes.across] + [(box, False) for box in shapes.down]
    groups: list[tuple[PageBox, list[tuple[PageBox, bool]]]] = []
    for box, flat in sorted(rules):
        touching = [group for group in groups if _is_touching(group[0], box)]
        members = [(box, flat), *(rule for group in touching for rule in group[1])]
        hull = _merge_boxes([box, *(group[0] for group in touching)])
        groups = [group for group in groups if group not in touching] + [(hull, members)]
    return [
        ([box for box, flat in members if flat], [box for box, flat in members if not flat])
        for _, members in groups
        if len(members) >= 6
    ]


def _is_touching(one: PageBox, other: PageBox) -> bool:
    t = _RULE_TOLERANCE_POINTS
    return (
        one.x0 - t <= other.x1
        and other.x0 - t <= one.x1
        and one.y0 - t <= other.y1
        and other.y0 - t <= one.y1
    )


def _merge_boxes(boxes: list[PageBox]) -> PageBox:
    return PageBox(
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )


def _merge_close_values(values: list[float]) -> list[float]:
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > 2 * _RULE_TOLERANCE_POINTS:
            kept.append(value)
    return kept


def _is_word_inside(word: PdfWord, box: PageBox) -> bool:
    return box.contains_point((word.x0 + word.x1) / 2, word.y - word.style.size / 4)


def _build_ruled_table(
    words: list[PdfWord], xs: list[float], ys: list[float], box: PageBox
) -> PdfTable | None:
    cells: dict[tuple[int, int], list[PdfWord]] = {}
    for word in words:
        column = _find_grid_index(xs, (word.x0 + word.x1) / 2)
        row = _find_grid_index(ys, word.y - word.style.size / 4)
        cells.setdefault((row, column), []).append(word)
    columns = {column for _, column in cells}
    rows = {row for row, _ in cells}
    if len(columns) < 2 or len(rows) < 2:
        return None
    made = tuple(
        tuple(tuple(split_into_lines(cells.get((row, column), []))) for column in sorted(columns))
        for row in sorted(rows)
    )
    # Rules around groups of rows only: the rows are found by their alignment instead.
    return None if any(map(_holds_many_rows, made)) else PdfTable(box, made)


def _holds_many_rows(row: tuple[tuple[TextLine, ...], ...]) -> bool:
    """Whether a row of the grid holds many rows of text, which stand level in two or more cells."""
    tall = [{round(line.y) for line in cell} for cell in row]
    tall = [levels for levels in tall if len(levels) >= _MIN_GROUPED_ROWS]
    if len(tall) < 2:
        return False
    short = [len(line.text) < _MAX_GROUPED_LENGTH for cell in row for line in cell]
    shared = set.intersection(*tall)
    return len(shared) >= 0.8 * max(map(len, tall)) and sum(short) >= 0.8 * len(short)


def _find_grid_index(edges: list[float], value: float) -> int:
    return max(sum(edge <= value for edge in edges) - 1, 0)
