"""Finds tables on a PDF page by their ruled lines, or by aligned columns."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from citewell.fetch.documents.pdf.page_shapes import PageBox, PageShapes
from citewell.fetch.documents.pdf.pdf_word import PdfWord
from citewell.fetch.documents.pdf.text_lines import (
    DOT_LEADER_PATTERN,
    TextLine,
    build_text_line,
    split_into_lines,
)

_RULE_TOLERANCE_POINTS = 2.0
_MAX_TABLE_RULES = 1500


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
    return PdfTable(box, made)


def _find_grid_index(edges: list[float], value: float) -> int:
    return max(sum(edge <= value for edge in edges) - 1, 0)


def replace_aligned_tables(lines: list[TextLine]) -> list[TextLine | PdfTable]:
    """The region's lines, with each run of rows in the same columns replaced by a table."""
    rows = _group_table_rows(lines)
    result: list[TextLine | PdfTable] = []
    place = 0
    while place < len(rows):
        end = _find_table_end(rows, place)
        table = _build_aligned_table(rows[place:end]) if end - place >= 3 else None
        if table is not None:
            result.append(table)
            place = end
        else:
            result += _join_spaced_pieces(rows[place])
            place += 1
    return result


def _join_spaced_pieces(row: list[TextLine]) -> list[TextLine]:
    """The row, with pieces joined that only wide spaces separate, as in justified text."""
    rtl = any(line.rtl for line in row)
    row = row[::-1] if rtl else row
    kept = [row[0]]
    for line in row[1:]:
        gap = kept[-1].x0 - line.x1 if rtl else line.x0 - kept[-1].x1
        if gap < 2.5 * line.size and not line.words[0].style.mono:
            kept[-1] = build_text_line([*kept[-1].words, *line.words])
        else:
            kept.append(line)
    return kept


def _group_table_rows(lines: list[TextLine]) -> list[list[TextLine]]:
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: line.y):
        if rows and abs(rows[-1][0].y - line.y) <= 0.4 * max(line.size, rows[-1][0].size):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.x0) for row in rows]


def _find_table_end(rows: list[list[TextLine]], start: int) -> int:
    """The end of the run of rows that have two or more pieces and no large gap between them."""
    end = start
    while end < len(rows) and len(rows[end]) >= 2:
        if end > start and rows[end][0].y - rows[end - 1][0].y > 3 * rows[end][0].size:
            break
        if any(DOT_LEADER_PATTERN.search(line.text) for line in rows[end]):
            break
        end += 1
    return end


def _build_aligned_table(rows: list[list[TextLine]]) -> PdfTable | None:
    """A table with the columns of the fullest rows; None if the rows do not align."""
    fullest = max(len(row) for row in rows)
    full = [row for row in rows if len(row) == fullest]
    columns = [
        (min(row[place].x0 for row in full), max(row[place].x1 for row in full))
        for place in range(fullest)
    ]
    apart = all(one[1] < other[0] for one, other in pairwise(columns))
    mono = all(word.style.mono for row in rows for line in row for word in line.words)
    if not apart or mono or len(full) < 0.5 * len(rows):
        return None
    made = tuple(_assign_cells(row, columns) for row in rows)
    if sum(bool(cell) for row in made for cell in row) < 0.6 * len(rows) * fullest:
        return None
    box = PageBox(columns[0][0], rows[0][0].y, columns[-1][1], rows[-1][0].y)
    return PdfTable(box, made)


def _assign_cells(
    row: list[TextLine], columns: list[tuple[float, float]]
) -> tuple[tuple[TextLine, ...], ...]:
    held: list[list[PdfWord]] = [[] for _ in columns]
    for line in row:
        whole = (
            _find_nearest_column(line.x0, line.x1, columns) if len(row) == len(columns) else None
        )
        for word in line.words:
            place = _find_nearest_column(word.x0, word.x1, columns) if whole is None else whole
            held[place].append(word)
    return tuple((build_text_line(words),) if words else () for words in held)


def _find_nearest_column(x0: float, x1: float, columns: list[tuple[float, float]]) -> int:
    def distance(place: int) -> tuple[float, float]:
        left, right = columns[place]
        return max(left - x1, x0 - right, 0.0), abs((left + right) / 2 - (x0 + x1) / 2)

    return min(range(len(columns)), key=distance)
