"""Finds tables on a PDF page: by their ruled lines, or else by columns that keep in line."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from citewell.fetch.documents.pdf.glyphs import Word
from citewell.fetch.documents.pdf.lines import LEADER, Line, make_line, split_lines
from citewell.fetch.documents.pdf.shapes import Box, Shapes

_TOLERANCE = 2.0
_MOST_RULES = 1500


class Table(NamedTuple):
    box: Box
    rows: tuple[tuple[tuple[Line, ...], ...], ...]  # each cell is the lines in it


def ruled_tables(words: list[Word], shapes: Shapes) -> tuple[list[Table], list[Word]]:
    """Tables drawn with lines, and the words outside them."""
    if len(shapes.across) + len(shapes.down) > _MOST_RULES:
        return [], words
    tables: list[Table] = []
    for across, down in _grids(shapes):
        ys = _distinct([box.y0 for box in across])
        xs = _distinct([box.x0 for box in down])
        if len(xs) < 3 or len(ys) < 3:
            continue
        box = Box(xs[0], ys[0], xs[-1], ys[-1])
        inside = [word for word in words if _within(word, box)]
        table = _fill(inside, xs, ys, box)
        if table is None:
            continue
        tables.append(table)
        words = [word for word in words if not _within(word, box)]
    return tables, words


def _grids(shapes: Shapes) -> list[tuple[list[Box], list[Box]]]:
    """Groups of lines that touch one another."""
    rules = [(box, True) for box in shapes.across] + [(box, False) for box in shapes.down]
    groups: list[tuple[Box, list[tuple[Box, bool]]]] = []
    for box, flat in sorted(rules):
        touching = [group for group in groups if _touch(group[0], box)]
        members = [(box, flat), *(rule for group in touching for rule in group[1])]
        hull = _hull([box, *(group[0] for group in touching)])
        groups = [group for group in groups if group not in touching] + [(hull, members)]
    return [
        ([box for box, flat in members if flat], [box for box, flat in members if not flat])
        for _, members in groups
        if len(members) >= 6
    ]


def _touch(one: Box, other: Box) -> bool:
    t = _TOLERANCE
    return (
        one.x0 - t <= other.x1
        and other.x0 - t <= one.x1
        and one.y0 - t <= other.y1
        and other.y0 - t <= one.y1
    )


def _hull(boxes: list[Box]) -> Box:
    return Box(
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )


def _distinct(values: list[float]) -> list[float]:
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > 2 * _TOLERANCE:
            kept.append(value)
    return kept


def _within(word: Word, box: Box) -> bool:
    return box.holds((word.x0 + word.x1) / 2, word.y - word.style.size / 4)


def _fill(words: list[Word], xs: list[float], ys: list[float], box: Box) -> Table | None:
    cells: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        column = _place(xs, (word.x0 + word.x1) / 2)
        row = _place(ys, word.y - word.style.size / 4)
        cells.setdefault((row, column), []).append(word)
    columns = {column for _, column in cells}
    rows = {row for row, _ in cells}
    if len(columns) < 2 or len(rows) < 2:
        return None
    made = tuple(
        tuple(tuple(split_lines(cells.get((row, column), []))) for column in sorted(columns))
        for row in sorted(rows)
    )
    return Table(box, made)


def _place(edges: list[float], value: float) -> int:
    return max(sum(edge <= value for edge in edges) - 1, 0)


def aligned_tables(lines: list[Line]) -> list[Line | Table]:
    """The region's lines with every run of rows that keep the same columns made a table."""
    rows = _rows(lines)
    result: list[Line | Table] = []
    place = 0
    while place < len(rows):
        end = _run_end(rows, place)
        table = _aligned(rows[place:end]) if end - place >= 3 else None
        if table is not None:
            result.append(table)
            place = end
        else:
            result += _rejoined(rows[place])
            place += 1
    return result


def _rejoined(row: list[Line]) -> list[Line]:
    """Pieces of a line that only wide spaces hold apart, as justified text has them."""
    kept = [row[0]]
    for line in row[1:]:
        if line.x0 - kept[-1].x1 < 2.5 * line.size and not line.words[0].style.mono:
            kept[-1] = make_line([*kept[-1].words, *line.words])
        else:
            kept.append(line)
    return kept


def _rows(lines: list[Line]) -> list[list[Line]]:
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.y):
        if rows and abs(rows[-1][0].y - line.y) <= 0.4 * max(line.size, rows[-1][0].size):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.x0) for row in rows]


def _run_end(rows: list[list[Line]], start: int) -> int:
    """Where the rows of at least two pieces, no further apart than a blank line, come to an end."""
    end = start
    while end < len(rows) and len(rows[end]) >= 2:
        if end > start and rows[end][0].y - rows[end - 1][0].y > 3 * rows[end][0].size:
            break
        if any(LEADER.search(line.text) for line in rows[end]):
            break
        end += 1
    return end


def _aligned(rows: list[list[Line]]) -> Table | None:
    """Columns are those of the fullest rows; the words of the others are set into them."""
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
    made = tuple(_cells(row, columns) for row in rows)
    if sum(bool(cell) for row in made for cell in row) < 0.6 * len(rows) * fullest:
        return None
    box = Box(columns[0][0], rows[0][0].y, columns[-1][1], rows[-1][0].y)
    return Table(box, made)


def _cells(row: list[Line], columns: list[tuple[float, float]]) -> tuple[tuple[Line, ...], ...]:
    held: list[list[Word]] = [[] for _ in columns]
    for line in row:
        whole = _nearest(line.x0, line.x1, columns) if len(row) == len(columns) else None
        for word in line.words:
            place = _nearest(word.x0, word.x1, columns) if whole is None else whole
            held[place].append(word)
    return tuple((make_line(words),) if words else () for words in held)


def _nearest(x0: float, x1: float, columns: list[tuple[float, float]]) -> int:
    def distance(place: int) -> tuple[float, float]:
        left, right = columns[place]
        return max(left - x1, x0 - right, 0.0), abs((left + right) / 2 - (x0 + x1) / 2)

    return min(range(len(columns)), key=distance)
